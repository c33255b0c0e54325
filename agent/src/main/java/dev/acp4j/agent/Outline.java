package dev.acp4j.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The public definitions of a source file, each with its line and the first sentence of its documentation.
 *
 * @param text as it is in the file, without what follows the opening brace
 */
record Outline(int line, String text, String summary) {
    private static final int LONGEST_SUMMARY = 160;

    /** Returns the definitions of a file, in order. */
    static List<Outline> of(List<String> lines, Language language) {
        return of(lines, language, 0, lines.size());
    }

    /** Returns the definitions from line {@code from} to before {@code to}, counted from 0. */
    static List<Outline> of(List<String> lines, Language language, int from, int to) {
        boolean lenient = isLenient(lines, language);
        List<Outline> found = new ArrayList<>();
        for (int i = from; i < to; i++) {
            String line = lines.get(i);
            String name = Definitions.nameIn(line, language);
            if (name != null && isPublic(line, name, language, lenient)) {
                found.add(new Outline(i + 1, signature(line), summary(lines, i)));
            }
        }
        return found;
    }

    /** Returns the definition without its body. */
    static String signature(String line) {
        return line.strip().replaceFirst("\\s*+(?:\\{\\s*+}?+|;)\\s*+$", "");
    }

    private static String summary(List<String> lines, int index) {
        String sentence = DocComment.firstSentence(DocComment.of(lines, index));
        return sentence.length() > LONGEST_SUMMARY ? sentence.substring(0, LONGEST_SUMMARY) + "…" : sentence;
    }

    /**
     * In a Java file whose first type is not a public class, members without a modifier count: those of an interface
     * are public, and nobody else could use those of a package-private class either.
     */
    private static boolean isLenient(List<String> lines, Language language) {
        for (String line : lines) {
            String keyword = Definitions.typeKeyword(line, language);
            if (keyword != null) {
                return keyword.endsWith("interface") || !line.strip().startsWith("public");
            }
        }
        return true;
    }

    private static boolean isPublic(String line, String name, Language language, boolean lenient) {
        String start = line.strip();
        return switch (language.name().toLowerCase(Locale.ROOT)) {
            case "java", "c#" -> !has(start, "private") && (lenient || has(start, "public") || has(start, "protected"));
            case "kotlin", "scala", "swift", "typescript", "php" ->
                !has(start, "private") && !has(start, "internal") && !has(start, "fileprivate");
            case "python" -> !name.startsWith("_") || name.startsWith("__");
            case "go" -> Character.isUpperCase(name.charAt(0));
            case "rust" -> start.startsWith("pub") || start.startsWith("impl");
            default -> true;
        };
    }

    private static boolean has(String line, String modifier) {
        return line.startsWith(modifier + " ") || line.contains(" " + modifier + " ");
    }
}
