package dev.acp4j.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Words that programs use for the same thing, so that a question need not hit on the one a project chose. */
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
            "folder directory");

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

    /** Returns the terms that mean about the same as {@code term}; often none. */
    Set<String> of(String term) {
        return byTerm.getOrDefault(term, Set.of());
    }
}
