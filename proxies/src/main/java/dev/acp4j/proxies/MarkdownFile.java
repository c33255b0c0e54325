package dev.acp4j.proxies;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A Markdown file that describes itself.
 *
 * @param head what stands between two lines of three dashes at the beginning, by names in small letters
 * @param body the rest
 */
record MarkdownFile(Map<String, String> head, String body) {
    private static final int MOST_BYTES = 256 * 1024;
    private static final String DASHES = "---";

    /** Reads files of a kind, many times: what is wrong with one is said once. */
    static final class Reading {
        private final String kind;
        private final Trust trust;
        private final Consumer<String> onNotice;
        private final Set<String> said = ConcurrentHashMap.newKeySet();

        /**
         * @param kind what stands before the path of a file in a sentence
         * @param trust which files of projects may be used
         */
        Reading(String kind, Trust trust, Consumer<String> onNotice) {
            this.kind = kind;
            this.trust = trust;
            this.onNotice = onNotice;
        }

        /** Says a sentence that was not said yet. */
        void once(String sentence) {
            if (said.add(sentence)) {
                onNotice.accept(sentence);
            }
        }

        /**
         * Returns what a folder holds, in order; nothing if there is no folder.
         *
         * @param what what that is, for a sentence
         * @param most how many there may be; more are left out, which is reported
         */
        List<Path> in(Path folder, String what, int most, Predicate<Path> isWanted) {
            List<Path> found = new ArrayList<>();
            try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
                for (Path one : all) {
                    if (isWanted.test(one)) {
                        found.add(one);
                    }
                }
            } catch (NoSuchFileException | NotDirectoryException e) {
                // There may be none.
            } catch (IOException e) {
                once("The " + what + " in " + folder + " cannot be read: " + e);
            }
            found.sort(null);
            if (found.size() > most) {
                once("Of the " + found.size() + " " + what + " in " + folder + ", those after the first " + most
                        + " are left out.");
            }
            return found.stream().limit(most).toList();
        }

        /** Returns the text of a file of the user's; null if it cannot be read or is too long, which is reported. */
        @Nullable
        String text(Path file) {
            try {
                String text = contents(file);
                if (text == null) {
                    once("The file " + file + " is left out: it has more than " + MOST_BYTES + " bytes.");
                }
                return text;
            } catch (IOException e) {
                once("The file " + file + " cannot be read: " + e);
                return null;
            }
        }

        /** Returns the text of a file; null if it is too long. */
        private static @Nullable String contents(Path file) throws IOException {
            try (InputStream in = Files.newInputStream(file)) {
                byte[] bytes = in.readNBytes(MOST_BYTES + 1);
                return bytes.length > MOST_BYTES ? null : new String(bytes, StandardCharsets.UTF_8);
            }
        }

        private static boolean isIn(Path file, Path project) throws IOException {
            return file.toRealPath().startsWith(project.toRealPath());
        }

        /** Returns whether the user trusts a file of a project; one that cannot be read is not. Says nothing. */
        boolean isTrusted(Path file, Path project) {
            try {
                String text = isIn(file, project) ? contents(file) : null;
                return text != null && trust.isTrusted(file, text);
            } catch (IOException e) {
                return false;
            }
        }

        /** Returns the text of a file of a project; null also if it is not trusted, or a link leads out of there. */
        @Nullable
        String text(Path file, Path project) {
            String notTrusted = kind + " " + file + " does nothing until you trust it.";
            try {
                if (!isIn(file, project)) {
                    return null;
                }
                String text = text(file);
                if (text == null) {
                    return null;
                }
                if (trust.isTrusted(file, text)) {
                    // So it is said again when a change ends that.
                    said.remove(notTrusted);
                    return text;
                }
                once(notTrusted);
            } catch (IOException e) {
                once(notTrusted);
            }
            return null;
        }
    }

    /**
     * Returns the path of a folder of projects.
     *
     * @throws IllegalArgumentException when it is not below that of the session
     */
    static Path folderOfProjects(String folder) {
        Path path = Path.of(folder).normalize();
        if (path.isAbsolute() || path.startsWith("..") || path.toString().isEmpty()) {
            throw new IllegalArgumentException("expected a folder below that of the session, got " + folder);
        }
        return path;
    }

    /** Reads a text. A value may go on in lines that begin with a space, also behind {@code |} and {@code >}. */
    static MarkdownFile parse(String text) {
        List<String> lines = text.lines().toList();
        int end = lines.isEmpty() || !lines.get(0).strip().equals(DASHES) ? -1 : indexOfDashes(lines);
        Map<String, String> head = new HashMap<>();
        String last = "";
        for (int i = 1; i < end; i++) {
            String line = lines.get(i);
            int colon = line.indexOf(':');
            if (!last.isEmpty() && line.startsWith(" ")) {
                head.merge(last, line.strip(), (before, more) -> (before + " " + more).strip());
            } else if (colon > 0) {
                last = line.substring(0, colon).strip().toLowerCase(Locale.ROOT);
                String value = line.substring(colon + 1).strip();
                head.put(last, value.matches("[|>][+-]?") ? "" : value);
            }
        }
        head.replaceAll((name, value) -> unquoted(value));
        return new MarkdownFile(
                head, String.join("\n", lines.subList(end + 1, lines.size())).strip());
    }

    private static int indexOfDashes(List<String> lines) {
        for (int i = 1; i < lines.size(); i++) {
            if (lines.get(i).strip().equals(DASHES)) {
                return i;
            }
        }
        return -1;
    }

    private static String unquoted(String value) {
        boolean isQuoted = value.length() > 1
                && (value.charAt(0) == '"' || value.charAt(0) == '\'')
                && value.charAt(value.length() - 1) == value.charAt(0);
        return isQuoted ? value.substring(1, value.length() - 1) : value;
    }

    /** Returns a value of the head; empty if there is none. */
    String value(String name) {
        return head.getOrDefault(name, "");
    }
}
