package dev.acp4j.agent;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** An answer as Markdown: the best files with the lines around the place, the others by one line each. */
final class AnswerText {
    private static final int WITH_CONTEXT = 3;
    private static final int EXCERPTS = 2;

    private AnswerText() {}

    /** Returns the answer in pieces, in order. */
    static List<String> of(Answer answer) {
        List<String> pieces = new ArrayList<>();
        if (answer.hits().isEmpty()) {
            pieces.add(nothing(answer));
        } else {
            pieces.add(heading(answer));
            for (int i = 0; i < answer.hits().size(); i++) {
                Answer.Hit hit = answer.hits().get(i);
                boolean withContext = i < WITH_CONTEXT && !hit.excerpts().isEmpty();
                String gap = i == WITH_CONTEXT ? "More places:\n\n" : "";
                pieces.add(withContext ? withContext(hit) : gap + inOneLine(hit));
            }
        }
        String notes = answer.coverage().notes();
        if (!notes.isEmpty()) {
            pieces.add("\n" + notes + "\n");
        }
        return pieces;
    }

    private static String heading(Answer answer) {
        StringBuilder text = new StringBuilder(leftOut(answer.question()));
        if (!answer.missing().isEmpty()) {
            text.append(missing(answer.missing())).append("\n\n");
        }
        int shown = answer.hits().size();
        text.append(answer.total() > shown ? "The best " + shown + " of " + answer.total() + " files" : files(shown));
        text.append(" for ").append(found(answer)).append(":\n\n");
        return text.toString();
    }

    private static String files(int count) {
        return count == 1 ? "One file" : count + " files";
    }

    private static String leftOut(Question question) {
        return question.left() == 0
                ? ""
                : "That is long: I looked for " + question.words().size() + " of its "
                        + Markdown.grouped((long) question.words().size() + question.left()) + " words.\n\n";
    }

    private static String wanted(Question question) {
        return words(question, Map.of());
    }

    /** The words found: similar words replace a word that no file contains. */
    private static String found(Answer answer) {
        String words = words(answer.question(), answer.missing());
        return words.isEmpty() ? "words that mean about the same" : words;
    }

    private static String words(Question question, Map<String, List<String>> instead) {
        Set<String> words = new LinkedHashSet<>();
        for (Question.Word word : question.words()) {
            if (word.isStrong()) {
                instead.getOrDefault(word.text(), List.of(word.text())).forEach(text -> words.add("*" + text + "*"));
            }
        }
        for (String phrase : question.phrases()) {
            words.add("“" + phrase + "”");
        }
        return String.join(", ", words);
    }

    private static String missing(Map<String, List<String>> missing) {
        List<String> sentences = new ArrayList<>();
        missing.forEach((word, near) -> sentences.add("No file has *" + word + "*"
                + (near.isEmpty() ? "." : ", but there is " + joined(near, likely -> "*" + likely + "*") + ".")));
        return String.join(" ", sentences);
    }

    private static String joined(List<String> words, Function<String, String> each) {
        return String.join(", ", words.stream().distinct().map(each).toList());
    }

    private static String withContext(Answer.Hit hit) {
        String name = hit.file().name();
        StringBuilder text = new StringBuilder();
        int shown = Math.min(EXCERPTS, hit.excerpts().size());
        for (int i = 0; i < shown; i++) {
            Answer.Excerpt excerpt = hit.excerpts().get(i);
            String place = Markdown.place(name, excerpt.line());
            text.append(i == 0 ? "**" + place + "**" : place).append("\n\n");
            text.append(Markdown.block(hit.file().extension(), Markdown.numbered(excerpt.lines(), excerpt.first())));
            text.append('\n');
        }
        List<Answer.Excerpt> others =
                hit.excerpts().subList(shown, hit.excerpts().size());
        if (!others.isEmpty()) {
            List<String> lines = others.stream()
                    .map(excerpt -> Integer.toString(excerpt.line()))
                    .toList();
            text.append(lines.size() == 1 ? "Also line " : "Also lines ");
            text.append(String.join(", ", lines)).append(".\n\n");
        }
        return text.toString();
    }

    private static String inOneLine(Answer.Hit hit) {
        String name = hit.file().name();
        if (hit.excerpts().isEmpty()) {
            return "- " + Markdown.code(name) + " (by its name)\n";
        }
        Answer.Excerpt best = hit.excerpts().getFirst();
        return "- " + Markdown.place(name, best.line()) + " " + Markdown.code(best.text()) + "\n";
    }

    private static String nothing(Answer answer) {
        StringBuilder text = new StringBuilder(leftOut(answer.question()));
        Coverage coverage = answer.coverage();
        if (coverage.isEmpty() && !answer.scope().isEmpty()) {
            return text + "No file matches " + Markdown.code(answer.scope()) + ".\n";
        }
        if (coverage.searched() == 0) {
            return text.append("There was nothing to search.\n").toString();
        }
        text.append("Nothing found for ").append(wanted(answer.question())).append(" in ");
        text.append(searched(answer)).append(".\n");
        List<String> near = new ArrayList<>();
        answer.missing().values().forEach(near::addAll);
        if (!near.isEmpty()) {
            text.append("\nWords that look like it: ")
                    .append(joined(near, Markdown::code))
                    .append(".\n");
        }
        text.append("\nTry fewer words, or the name of a class or file. `/files` lists what there is.\n");
        return text.toString();
    }

    /** "in 12 files of `core/**`"; one file that was asked for is named. */
    private static String searched(Answer answer) {
        int count = answer.coverage().searched();
        if (answer.scope().isEmpty()) {
            return Markdown.count(count, "file", "files");
        }
        String scope = Markdown.code(answer.scope());
        return count == 1 ? scope : Markdown.count(count, "file", "files") + " of " + scope;
    }
}
