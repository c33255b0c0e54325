package dev.acp4j.registry;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Names of files in archives and entries. What one system refuses or reads in another way is refused on all. */
final class EntryPath {
    static final int LONGEST_NAME = 255;

    private static final Set<String> DEVICES = Set.of(
            "con", "prn", "aux", "nul", "conin$", "conout$", "com0", "com1", "com2", "com3", "com4", "com5", "com6",
            "com7", "com8", "com9", "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9");

    private EntryPath() {}

    /**
     * Returns the parts of a relative path, of which there may be none.
     *
     * @throws IllegalArgumentException if it leads out, or a system cannot have it
     */
    static List<String> parts(String path, int longest) {
        if (path.length() > longest) {
            throw new IllegalArgumentException("a path of " + path.length() + " characters");
        }
        if (path.startsWith("/")) {
            throw new IllegalArgumentException("an absolute path: " + path);
        }
        List<String> parts = new ArrayList<>();
        for (String part : path.split("/", -1)) {
            if (!part.isEmpty() && !part.equals(".")) {
                parts.add(checked(part, path));
            }
        }
        return parts;
    }

    private static String checked(String part, String path) {
        if (part.equals("..")) {
            throw new IllegalArgumentException("a path that leads up: " + path);
        }
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            if (c < ' ' || c == 0x7f || "\\:*?\"<>|".indexOf(c) >= 0) {
                throw new IllegalArgumentException("a character that not all systems have in names: " + path);
            }
        }
        if (part.endsWith(".") || part.endsWith(" ")) {
            throw new IllegalArgumentException("a name that ends with a dot or a space: " + path);
        }
        int dot = part.indexOf('.');
        String stem = (dot < 0 ? part : part.substring(0, dot)).stripTrailing().toLowerCase(Locale.ROOT);
        if (DEVICES.contains(stem)) {
            throw new IllegalArgumentException("a name that is reserved on Windows: " + path);
        }
        if (part.length() > LONGEST_NAME) {
            throw new IllegalArgumentException("a name of " + part.length() + " characters");
        }
        return part;
    }

    /**
     * Returns the program of an entry as a path with slashes, relative to the root of its archive.
     *
     * @throws IllegalArgumentException if it leads out, or a system cannot have it
     */
    static String ofCommand(String command) {
        try {
            List<String> parts = parts(command.replace('\\', '/'), 1024);
            if (parts.isEmpty()) {
                throw new IllegalArgumentException("no program: " + command);
            }
            return String.join("/", parts);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("cmd: " + e.getMessage(), e);
        }
    }
}
