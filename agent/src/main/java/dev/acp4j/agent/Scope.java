package dev.acp4j.agent;

import java.util.ArrayList;
import java.util.List;

/**
 * The files that a command or a question refers to. A pattern is a file name, a folder, or a glob; one without
 * {@code /} may stand at any depth, one that begins with {@code ./} only at the root of the workspace.
 */
final class Scope {
    private static final Scope EVERYWHERE = new Scope(List.of(), "");

    private final String shown;
    private final List<Glob> globs = new ArrayList<>();

    private Scope(List<String> patterns, String shown) {
        this.shown = shown;
        for (String pattern : patterns) {
            globs.add(glob(pattern));
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
        return globs.isEmpty();
    }

    boolean includes(WorkspaceFile file) throws InterruptedException {
        if (isEverywhere()) {
            return true;
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        for (Glob glob : globs) {
            if (glob.matches(file.name())) {
                return true;
            }
        }
        return false;
    }

    /** The patterns or names for people; empty for all files. */
    @Override
    public String toString() {
        return shown;
    }

    private static Glob glob(String pattern) {
        boolean fromRoot = pattern.startsWith("./");
        String glob = fromRoot ? pattern.substring(2) : pattern;
        glob = glob.endsWith("/") ? glob.substring(0, glob.length() - 1) : glob;
        boolean anywhere = !fromRoot && glob.indexOf('/') < 0;
        return Glob.of(anywhere ? "{**/,}" : "", glob, "{/**,}");
    }
}
