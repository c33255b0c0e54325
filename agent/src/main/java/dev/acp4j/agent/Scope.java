package dev.acp4j.agent;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;

/**
 * The files a command or a question is about. A pattern is a file name, a folder, or a glob; one without {@code /} may
 * stand at any depth, one that begins with {@code ./} only at the root of the workspace.
 */
final class Scope {
    private static final Scope EVERYWHERE = new Scope(List.of(), "");

    private final String shown;
    private final List<PathMatcher> matchers = new ArrayList<>();

    private Scope(List<String> patterns, String shown) {
        this.shown = shown;
        for (String pattern : patterns) {
            addMatchers(pattern);
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
        return patterns.isEmpty() ? EVERYWHERE : new Scope(patterns, String.join(", ", patterns));
    }

    /** Returns the scope of the files and folders with exactly these names, of which there is at least one. */
    static Scope ofNames(List<String> names) {
        return new Scope(names.stream().map(Scope::literally).toList(), String.join(", ", names));
    }

    private static String literally(String name) {
        StringBuilder pattern = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            pattern.append("*?[]{}\\".indexOf(c) >= 0 ? "\\" : "").append(c);
        }
        // A name is one path from the root of the workspace, even if it is a single word.
        return "./" + pattern;
    }

    boolean isEverywhere() {
        return matchers.isEmpty();
    }

    boolean includes(WorkspaceFile file) {
        if (isEverywhere()) {
            return true;
        }
        Path name = Path.of(file.name());
        return matchers.stream().anyMatch(matcher -> matcher.matches(name));
    }

    /** The patterns or names for people; empty for all files. */
    @Override
    public String toString() {
        return shown;
    }

    private void addMatchers(String pattern) {
        boolean fromRoot = pattern.startsWith("./");
        String glob = fromRoot ? pattern.substring(2) : pattern;
        glob = glob.endsWith("/") ? glob.substring(0, glob.length() - 1) : glob;
        add(glob);
        add(glob + "/**");
        if (!fromRoot && glob.indexOf('/') < 0) {
            add("**/" + glob);
            add("**/" + glob + "/**");
        }
    }

    private void add(String glob) {
        matchers.add(FileSystems.getDefault().getPathMatcher("glob:" + glob));
    }
}
