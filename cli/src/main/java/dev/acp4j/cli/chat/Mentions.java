package dev.acp4j.cli.chat;

import dev.acp4j.Feature;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.session.Attachment;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.schema.ContentBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files and folders that a message mentions: {@code @path}, or {@code @"path with blanks"}. They are attached to
 * the message, whose text stays as it was typed. What is outside of the session's folder is named; a message of several
 * lines, which may have been pasted, attaches nothing from there.
 *
 * @param content the text, then what is attached
 * @param notes what the user must know about mentions that are not attached, a line each
 */
record Mentions(List<ContentBlock> content, List<String> notes) {
    /** An {@code @} in a word, as in an e-mail address, mentions nothing. */
    private static final Pattern MENTION = Pattern.compile("(?<![^\\s(\\[{<'\"`,;])@(?:\"([^\"\\n]+)\"|(\\S+))");

    /** How many files and folders one message attaches at most. */
    private static final int MOST = 20;

    private static final String PUNCTUATION = ".,;:!?)]}>'\"`";

    Mentions {
        content = List.copyOf(content);
        notes = List.copyOf(notes);
    }

    /**
     * Returns a message with the files that it mentions.
     *
     * @param folder what relative paths are in
     * @param supports the features of the agent
     */
    static Mentions in(String text, Path folder, Predicate<Feature> supports) {
        List<ContentBlock> content = new ArrayList<>(List.of(ContentBlock.text(text)));
        List<String> notes = new ArrayList<>();
        Set<Path> attached = new LinkedHashSet<>();
        Matcher matcher = MENTION.matcher(text);
        while (matcher.find()) {
            String quoted = matcher.group(1);
            String name = quoted == null ? matcher.group(2) : quoted;
            Path file = quoted == null ? fileOf(name, folder) : there(name, folder);
            if (file == null) {
                if (quoted != null || looksLikePath(name)) {
                    notes.add("There is no file " + SafeText.line(withoutPunctuation(name)) + ": sent as text.");
                }
            } else if (!file.startsWith(folder) && text.strip().indexOf('\n') >= 0) {
                notes.add("Not attached, because the message has several lines and may be pasted: "
                        + SafeText.line(file.toString()));
            } else if (attached.size() == MOST && !attached.contains(file)) {
                notes.add("Not attached, " + MOST + " are the most: " + SafeText.line(file.toString()));
            } else if (attached.add(file)) {
                if (!file.startsWith(folder)) {
                    notes.add("Attached, from outside of the folder: " + SafeText.line(file.toString()));
                }
                try {
                    content.add(Attachment.of(file, supports));
                } catch (IOException e) {
                    notes.add("Not attached: " + SafeText.line(IoProblem.text(e)));
                }
            }
        }
        return new Mentions(content, notes);
    }

    /** Returns the file of a name that may be followed by punctuation; null if there is none. */
    private static @Nullable Path fileOf(String name, Path folder) {
        String rest = name;
        while (!rest.isEmpty()) {
            Path file = there(rest, folder);
            if (file != null || PUNCTUATION.indexOf(rest.charAt(rest.length() - 1)) < 0) {
                return file;
            }
            rest = rest.substring(0, rest.length() - 1);
        }
        return null;
    }

    /** Returns the file or folder of this name; null if there is none. */
    static @Nullable Path there(String name, Path folder) {
        try {
            String home = System.getProperty("user.home", "");
            String path = name.equals("~") || name.startsWith("~/") ? home + name.substring(1) : name;
            Path file = folder.resolve(path).normalize();
            return Files.isRegularFile(file) || Files.isDirectory(file) ? file : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** Returns whether a name that is no file was probably meant as one; {@code @Override} was not. */
    private static boolean looksLikePath(String name) {
        String bare = withoutPunctuation(name);
        return bare.indexOf('/') >= 0 || bare.indexOf('.') > 0;
    }

    private static String withoutPunctuation(String name) {
        int end = name.length();
        while (end > 0 && PUNCTUATION.indexOf(name.charAt(end - 1)) >= 0) {
            end--;
        }
        return name.substring(0, end);
    }
}
