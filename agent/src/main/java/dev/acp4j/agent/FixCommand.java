package dev.acp4j.agent;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code /fix}: finds and changes step by step, with a plan: a name in all its forms, or untidy white space. Each file
 * is shown and confirmed separately; afterwards it searches for the remaining places and can run a check.
 */
final class FixCommand implements Command {
    private static final int MAX_STEPS = 12;

    @Override
    public String name() {
        return "fix";
    }

    @Override
    public String description() {
        return "Change a name in all its forms, or untidy white space, file by file with a plan";
    }

    @Override
    public String hint() {
        return "oldName -> newName | whitespace [--in glob] [--check \"command\"]";
    }

    @Override
    public void run(Work work, String arguments) throws InterruptedException, IOException {
        Arguments parsed = Arguments.parse(arguments, Set.of(), Set.of("in", "check"));
        boolean whitespace = parsed.words().equals(List.of("whitespace"));
        ReplaceCommand.Pair pair = whitespace ? null : ReplaceCommand.Pair.of(parsed);
        ChangeFinder.Edit edit = pair == null ? FixCommand::tidied : renaming(pair);
        String what = pair == null ? "white space" : pair.old();
        FixPlan plan = new FixPlan(work, "Find " + what);
        ChangeFinder finder = new ChangeFinder(work, ChangeFinder.scope(parsed));
        plan.begin(0);
        List<FileChange> changes = finder.find("Find " + what, facts(pair), edit);
        plan.done(0);
        finder.sayLeftOut();
        if (changes.isEmpty()) {
            plan.keep();
            finder.sayNothing("fix", "there is no " + (pair == null ? "untidy white space" : Markdown.code(what)));
            return;
        }
        Replacement renaming =
                pair != null && areNames(pair) ? NameForms.replacement(pair.old(), pair.replacement()) : null;
        FileNames names = refused -> FileRenaming.of(work, finder.scope(), renaming, refused);
        if (work.isReadOnly()) {
            plan.keep();
            new ChangeMaker(work).preview(changes);
            names.without(List.of()).preview();
            work.say("The session is read-only, so nothing was changed.\n");
            return;
        }
        String check =
                parsed.values("check").isEmpty() ? null : parsed.values("check").getLast();
        new Fixing(work, plan, finder, edit, names).fix(changes, what, check);
    }

    /** Finds the files to be renamed. */
    private interface FileNames {
        FileRenaming without(List<WorkspaceFile> refused) throws InterruptedException, IOException;
    }

    private static Facts facts(ReplaceCommand.@Nullable Pair pair) {
        if (pair == null) {
            return new Facts().put("fix", "whitespace");
        }
        Facts facts = new Facts().put("old", pair.old()).put("new", pair.replacement());
        return areNames(pair)
                ? facts.put(
                        "forms",
                        List.copyOf(NameForms.of(pair.old(), pair.replacement()).keySet()))
                : facts;
    }

    private static boolean areNames(ReplaceCommand.Pair pair) {
        return NameForms.isName(pair.old()) && NameForms.isName(pair.replacement());
    }

    private static ChangeFinder.Edit renaming(ReplaceCommand.Pair pair) {
        if (pair.old().isEmpty()) {
            throw new UsageException("there is nothing to find");
        }
        if (pair.old().equals(pair.replacement())) {
            throw new UsageException("the old text and the new one are the same");
        }
        Replacement replacement = areNames(pair)
                ? NameForms.replacement(pair.old(), pair.replacement())
                : Replacement.of(pair.old(), pair.replacement(), Replacement.Options.LITERAL);
        return (file, text) -> replacement.in(text);
    }

    private static Replacement.@Nullable Replaced tidied(WorkspaceFile file, String text) {
        Language language = Language.of(file);
        boolean meant =
                language.kind() == Language.Kind.OTHER || file.extension().equals("csv");
        return meant ? null : Whitespace.tidy(text, language.name().equals("Markdown"));
    }

    /** The steps after the finding. */
    private static final class Fixing {
        private final Work work;
        private final FixPlan plan;
        private final ChangeFinder finder;
        private final ChangeFinder.Edit edit;
        private final FileNames names;
        private final ChangeMaker maker;

        Fixing(Work work, FixPlan plan, ChangeFinder finder, ChangeFinder.Edit edit, FileNames names) {
            this.work = work;
            this.plan = plan;
            this.finder = finder;
            this.edit = edit;
            this.names = names;
            this.maker = new ChangeMaker(work);
        }

        void fix(List<FileChange> changes, String what, @Nullable String check)
                throws InterruptedException, IOException {
            List<List<FileChange>> portions = portions(changes);
            int first = plan.size();
            for (List<FileChange> portion : portions) {
                plan.add("Change " + title(portion));
            }
            FileRenaming files = names.without(List.of());
            if (!files.isEmpty()) {
                plan.add(files.title());
            }
            plan.add("Look for what is left");
            if (check != null) {
                plan.add("Check: " + check);
            }
            work.say("Found " + ChangeFinder.sum(changes) + ".\n\n");
            for (int i = 0; i < portions.size(); i++) {
                change(first + i, portions.get(i), what);
            }
            int next = first + portions.size();
            if (!files.isEmpty()) {
                renameFiles(next, changes);
                next++;
            }
            lookForRest(next, what);
            if (check != null && maker.made().isEmpty()) {
                plan.leftUndone(next + 1);
            } else if (check != null) {
                plan.begin(next + 1);
                new RunCommand().run(work, check);
                plan.done(next + 1);
            }
            plan.keep();
        }

        private void change(int step, List<FileChange> portion, String what) throws InterruptedException {
            plan.begin(step);
            Facts input = new Facts().put("fix", what).put("file", title(portion));
            int changed = maker.make("Change " + title(portion), input, portion);
            if (changed < portion.size()) {
                plan.leftUndone(step);
            } else {
                plan.done(step);
            }
        }

        /** Renames the files, unless the user refused what was to be changed in them, or everything. */
        private void renameFiles(int step, List<FileChange> changes) throws InterruptedException, IOException {
            List<WorkspaceFile> made =
                    maker.made().stream().map(FileChange::file).toList();
            List<WorkspaceFile> refused = changes.stream()
                    .map(FileChange::file)
                    .filter(file -> !made.contains(file))
                    .toList();
            plan.begin(step);
            FileRenaming files = names.without(refused);
            if (!made.isEmpty() && !files.isEmpty() && files.run()) {
                plan.done(step);
            } else {
                plan.leftUndone(step);
            }
        }

        private void lookForRest(int step, String what) throws InterruptedException, IOException {
            plan.begin(step);
            List<FileChange> rest = finder.find("Look for what is left", new Facts().put("fix", what), edit);
            plan.done(step);
            if (!maker.made().isEmpty()) {
                work.say("Changed " + ChangeFinder.sum(maker.made()) + ".\n\n");
            }
            maker.sayRest();
            List<String> left = rest.stream()
                    .map(change -> Markdown.place(change.file().name(), change.firstLine()))
                    .toList();
            work.say(Markdown.list("Left as they were", left));
        }

        /** One file per step, unless there are too many to ask for each. */
        private static List<List<FileChange>> portions(List<FileChange> changes) {
            List<List<FileChange>> portions = new ArrayList<>();
            int size = (changes.size() + MAX_STEPS - 1) / MAX_STEPS;
            for (int from = 0; from < changes.size(); from += size) {
                portions.add(changes.subList(from, Math.min(changes.size(), from + size)));
            }
            return portions;
        }

        private static String title(List<FileChange> portion) {
            String first = portion.getFirst().file().name();
            return portion.size() == 1 ? first : first + " and " + (portion.size() - 1) + " more";
        }
    }
}
