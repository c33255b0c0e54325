package dev.acp4j.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Words that programs use as synonyms, so that a question need not use the word chosen by a project. */
final class Synonyms {
    private static final List<String> GROUPS = List.of(
            "cancel abort interrupt",
            "delete remove erase",
            "start launch spawn begin",
            "stop terminate shutdown kill",
            "close release dispose",
            "create construct instantiate",
            "config configuration settings options preferences",
            "auth authenticate authentication login signin credential",
            "authorize authorization permission allow",
            "error exception failure fault",
            "retry backoff reattempt",
            "log logger logging",
            "test spec",
            "docs documentation manual readme",
            "build compile",
            "dependency library requirement",
            "parse decode deserialize",
            "write encode serialize",
            "find search lookup query",
            "cache memoize",
            "thread concurrency concurrent parallel",
            "lock mutex synchronized",
            "queue buffer backlog",
            "timeout deadline",
            "command cli subcommand",
            "database db sql",
            "network socket http",
            "password secret token",
            "user account",
            "rename move",
            "replace substitute",
            "validate validation check verify",
            "message notification event",
            "version release",
            "limit bound maximum",
            "process subprocess child",
            "folder directory",
            "license licence copyright",
            "env environment",
            "parameter param argument");

    private static final Map<String, String> LONG_FORMS = Map.of(
            "symlink", "symbolic link",
            "hardlink", "hard link",
            "regex", "regular expression",
            "regexp", "regular expression",
            "stdin", "standard input",
            "stdout", "standard output",
            "stderr", "standard error");

    private final Map<String, Set<String>> byTerm = new HashMap<>();

    Synonyms(CodeAnalyzer analyzer) {
        for (String group : GROUPS) {
            List<String> terms = new ArrayList<>(new LinkedHashSet<>(analyzer.terms(group)));
            for (String term : terms) {
                Set<String> others = byTerm.computeIfAbsent(term, t -> new LinkedHashSet<>());
                others.addAll(terms);
                others.remove(term);
            }
        }
    }

    /**
     * Returns the long form, of several words, of {@code word} or of what it is the plural of; null when it has none.
     */
    static @Nullable String longForm(String word) {
        String lower = word.toLowerCase(Locale.ROOT);
        String singular = lower.endsWith("s") ? lower.substring(0, lower.length() - 1) : lower;
        return LONG_FORMS.getOrDefault(lower, LONG_FORMS.get(singular));
    }

    /** Returns the synonyms of {@code term}; often none. */
    Set<String> of(String term) {
        return byTerm.getOrDefault(term, Set.of());
    }
}
