package dev.acp4j.agent;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;

/**
 * The files a command or a question is about. A pattern is a file name, a folder, or a glob; one without {@code /} may
 * stand at any depth.
 */
final class Scope {
    private static final Scope EVERYWHERE = new Scope(List.of());

    private final List<String> patterns;
    private final List<PathMatcher> matchers = new ArrayList<>();

    private Scope(List<String> patterns) {
        this.patterns = List.copyOf(patterns);
        for (String pattern : patterns) {
            addMatchers(strip(pattern));
        }
    }

    static Scope everywhere() {
        return EVERYWHERE;
    }

    /**
     * Returns the scope of files that match one of {@code patterns}; all files when there is none.
     *
     * @throws IllegalArgumentException when a pattern is not a valid glob
     */
    static Scope of(List<String> patterns) {
        return patterns.isEmpty() ? EVERYWHERE : new Scope(patterns);
    }

    boolean isEverywhere() {
        return patterns.isEmpty();
    }

    boolean includes(WorkspaceFile file) {
        if (isEverywhere()) {
            return true;
        }
        Path name = Path.of(file.name());
        return matchers.stream().anyMatch(matcher -> matcher.matches(name));
    }

    /** The patterns for people; empty for all files. */
    @Override
    public String toString() {
        return String.join(", ", patterns);
    }

    private static String strip(String pattern) {
        String result = pattern.startsWith("./") ? pattern.substring(2) : pattern;
        return result.endsWith("/") ? result.substring(0, result.length() - 1) : result;
    }

    private void addMatchers(String pattern) {
        add(pattern);
        add(pattern + "/**");
        if (pattern.indexOf('/') < 0) {
            add("**/" + pattern);
            add("**/" + pattern + "/**");
        }
    }

    private void add(String glob) {
        matchers.add(FileSystems.getDefault().getPathMatcher("glob:" + glob));
    }
}
