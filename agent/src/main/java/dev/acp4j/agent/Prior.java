package dev.acp4j.agent;

import java.util.Locale;

/** The prior probability that a file is relevant, independent of the question. */
final class Prior {
    private Prior() {}

    /** Returns a factor: 1 for an ordinary source file. */
    static double of(WorkspaceFile file, Question question) {
        Language language = Language.of(file);
        String name = file.name().toLowerCase(Locale.ROOT);
        double prior = switch (language.kind()) {
            case CODE -> 1;
            case PROSE -> 0.9;
            case DATA -> 0.75;
            case OTHER -> 0.6;
        };
        if (isGenerated(name, file.fileName().toLowerCase(Locale.ROOT))) {
            prior *= 0.4;
        }
        if (isTest(name, file.fileName())) {
            prior *= question.asksFor(Question.Aim.TESTS) ? 1.1 : 0.75;
        }
        if (question.asksFor(Question.Aim.USES) && isNamedAfter(file, question)) {
            prior *= 0.4;
        }
        return prior;
    }

    /** Whether the file is, by its name, the one that defines what is asked about. */
    private static boolean isNamedAfter(WorkspaceFile file, Question question) {
        String fileName = file.fileName();
        return question.words().stream()
                .map(word -> word.text().split("\\.", 2)[0])
                .anyMatch(word -> fileName.regionMatches(true, 0, word + ".", 0, word.length() + 1));
    }

    private static boolean isGenerated(String name, String fileName) {
        return name.contains("generated/")
                || fileName.contains(".min.")
                || fileName.endsWith(".lock")
                || fileName.endsWith("-lock.json")
                || fileName.startsWith("changelog")
                || fileName.startsWith("license")
                || fileName.startsWith("copying")
                || fileName.startsWith("notice");
    }

    /** Whether a file holds tests or what tests need, as far as its name tells. */
    static boolean isTest(String name, String fileName) {
        int dot = fileName.lastIndexOf('.');
        String stem = dot > 0 ? fileName.substring(0, dot) : fileName;
        return ("/" + name).contains("/test/")
                || ("/" + name).contains("/tests/")
                || ("/" + name).contains("/__tests__/")
                || stem.endsWith("Test")
                || stem.endsWith("Tests")
                || stem.endsWith("_test")
                || stem.startsWith("test_")
                || stem.endsWith(".test")
                || stem.endsWith(".spec");
    }
}
