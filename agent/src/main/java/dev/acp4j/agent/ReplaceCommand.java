package dev.acp4j.agent;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** {@code /replace}: replaces a text across files, after one confirmation of all changes. */
final class ReplaceCommand implements Command {
    // A client gets both texts of each file, and should not get the whole workspace in one message.
    private static final long MAX_BATCH = 2 << 20;

    @Override
    public String name() {
        return "replace";
    }

    @Override
    public String description() {
        return "Replace a text or a regular expression across files, after showing the changes";
    }

    @Override
    public String hint() {
        return "\"old\" \"new\" [--in glob] [--regex] [--word] [--ignore-case]";
    }

    @Override
    public void run(Work work, String arguments) throws InterruptedException, IOException {
        Arguments parsed = Arguments.parse(arguments, Set.of("regex", "word", "ignore-case"), Set.of("in"));
        Pair pair = Pair.of(parsed);
        Replacement.Options options =
                new Replacement.Options(parsed.has("regex"), parsed.has("word"), parsed.has("ignore-case"));
        Replacement replacement = replacement(pair, options);
        Scope scope = ChangeFinder.scope(parsed);
        ChangeFinder finder = new ChangeFinder(work, scope);
        List<FileChange> changes = finder.find("Find " + pair.old(), facts(pair), (file, text) -> replacement.in(text));
        finder.sayLeftOut();
        if (changes.isEmpty()) {
            finder.sayNothing("replace", "no file has " + Markdown.code(pair.old()));
        } else if (work.isReadOnly()) {
            new ChangeMaker(work).preview(changes);
            work.say("The session is read-only, so nothing was changed.\n");
        } else {
            make(work, pair, changes);
        }
    }

    private static Replacement replacement(Pair pair, Replacement.Options options) {
        try {
            return Replacement.of(pair.old(), pair.replacement(), options);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private static Facts facts(Pair pair) {
        return new Facts().put("old", pair.old()).put("new", pair.replacement());
    }

    private static void make(Work work, Pair pair, List<FileChange> changes) throws InterruptedException {
        ChangeMaker maker = new ChangeMaker(work);
        for (List<FileChange> batch : batches(changes)) {
            String title = "Replace " + pair.old() + " by " + pair.replacement() + ": " + ChangeFinder.sum(batch);
            maker.make(title, facts(pair), batch);
        }
        if (!maker.made().isEmpty()) {
            List<String> places =
                    maker.made().stream().map(ReplaceCommand::place).toList();
            work.say(Markdown.list("Replaced " + ChangeFinder.sum(maker.made()), places));
        }
        maker.sayRest();
    }

    private static String place(FileChange change) {
        String place = Markdown.place(change.file().name(), change.firstLine());
        return change.places() > 1 ? place + " (" + change.places() + ")" : place;
    }

    private static List<List<FileChange>> batches(List<FileChange> changes) {
        List<List<FileChange>> batches = new ArrayList<>();
        long size = MAX_BATCH;
        for (FileChange change : changes) {
            if (size + change.length() > MAX_BATCH) {
                batches.add(new ArrayList<>());
                size = 0;
            }
            batches.getLast().add(change);
            size += change.length();
        }
        return batches;
    }

    /**
     * The text to find and its replacement.
     *
     * @param replacement may be empty
     */
    record Pair(String old, String replacement) {
        /**
         * Reads {@code old new} or {@code old -> new}; with an arrow both may have several words. An empty text must be
         * in quotes: a missing argument must not delete anything.
         */
        static Pair of(Arguments arguments) {
            List<String> words = arguments.words();
            int arrow = arguments.arrow();
            List<String> before = arrow < 0 ? words.stream().limit(1).toList() : words.subList(0, arrow);
            List<String> after = words.subList(arrow < 0 ? before.size() : arrow + 1, words.size());
            if (before.isEmpty() || after.isEmpty() || (arrow < 0 && after.size() > 1)) {
                throw new UsageException(
                        "it takes an old text and a new one, in quotes if they have spaces or are empty");
            }
            return new Pair(String.join(" ", before), String.join(" ", after));
        }
    }
}
