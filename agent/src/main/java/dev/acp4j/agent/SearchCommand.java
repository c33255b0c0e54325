package dev.acp4j.agent;

import java.io.IOException;
import java.util.Set;

/** {@code /search}: ranked by words, or every line that contains a text or matches a regular expression. */
final class SearchCommand implements Command {
    private static final int FILES = 20;

    @Override
    public String name() {
        return "search";
    }

    @Override
    public String description() {
        return "Search the workspace; with --exact or --regex every matching line";
    }

    @Override
    public String hint() {
        return "words [--in glob] [--exact | --regex] [--ignore-case]";
    }

    @Override
    public void run(Work work, String arguments) throws InterruptedException, IOException {
        Arguments parsed = Arguments.parse(arguments, Set.of("exact", "regex", "ignore-case"), Set.of("in"));
        if (parsed.words().isEmpty()) {
            throw new UsageException("there is nothing to search for");
        }
        String text = String.join(" ", parsed.words());
        Scope scope = ChangeFinder.scope(parsed);
        if (parsed.has("exact") || parsed.has("regex")) {
            Replacement.Options options =
                    new Replacement.Options(parsed.has("regex"), false, parsed.has("ignore-case"));
            new EveryLine(work, scope).find(text, options);
        } else {
            // A text in quotes is one word here; to the question it is a phrase again.
            boolean phrase = parsed.words().size() == 1 && text.indexOf(' ') > 0;
            new Answering(work).search(Question.of(phrase ? '"' + text + '"' : text), scope, FILES);
        }
    }
}
