package dev.acp4j.agent;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the lines of one file that answer a question best: those with the most telling terms, alone and together with
 * their neighbours; definitions more than uses, uses more than imports.
 */
final class Passages {
    /**
     * A line worth showing.
     *
     * @param line counted from 1
     */
    record Passage(int line, double score) {}

    /**
     * The matches of a file.
     *
     * @param score of the file as a whole; 0 when no line matches
     * @param best lines, best first, not close to each other
     * @param matching how many lines have one of the terms
     */
    record Found(double score, List<Passage> best, int matching) {}

    /**
     * The weight of a term.
     *
     * @param group of terms that stand for each other: the best of them counts
     * @param exact whether the term is what was asked for, and tells something
     * @param weak whether a line with this term alone is no answer
     */
    record Value(String group, double value, boolean exact, boolean weak) {
        static Value of(SearchTerm term, double rarity) {
            double value = term.weight() * (0.5 + rarity);
            return new Value(term.group(), value, term.exact() && !term.isWeak(), term.isWeak());
        }
    }

    private static final int MAX_LINE = 1000;
    private static final int CHECK_EVERY = 1000;
    private static final int NEIGHBOURHOOD = 3;
    private static final double NEIGHBOUR = 0.4;
    private static final double DEFINITION = 1.6;
    private static final double ASKED_DEFINITION = 2.5;
    private static final double OWN_DEFINITION = 0.3;
    private static final double IMPORT = 0.25;
    private static final double PHRASE = 4;
    private static final double OWN_NAME = 0.6;
    private static final double FAINT = 0.25;
    private static final double ALL = 1.4;
    private static final double LITERAL = 1.25;

    private final Question question;
    private final CodeAnalyzer analyzer;
    private final Map<String, Value> values;
    private final List<String> phrases;
    private final List<String> words;
    private final Set<String> asked;

    /** {@code values} says how much each term counts. */
    Passages(Question question, CodeAnalyzer analyzer, Map<String, Value> values) {
        this.question = question;
        this.analyzer = analyzer;
        this.values = values;
        this.phrases =
                question.phrases().stream().map(p -> p.toLowerCase(Locale.ROOT)).toList();
        this.words = question.words().stream()
                .filter(Question.Word::isStrong)
                .map(w -> w.text().toLowerCase(Locale.ROOT))
                .toList();
        this.asked = new HashSet<>();
        values.forEach((term, value) -> {
            if (value.exact()) {
                asked.add(term);
            }
        });
    }

    /** Looks through {@code lines} of {@code file}; at most {@code limit} passages. */
    Found in(WorkspaceFile file, List<String> lines, int limit) throws InterruptedException {
        Language language = Language.of(file);
        List<Set<String>> matched = new ArrayList<>(lines.size());
        double[] scores = new double[lines.size()];
        int matching = 0;
        for (int i = 0; i < scores.length; i++) {
            if (i % CHECK_EVERY == 0 && Thread.interrupted()) {
                throw new InterruptedException();
            }
            String line = lines.get(i);
            Set<String> terms = matchedTerms(line);
            matched.add(terms);
            scores[i] = score(line, terms, language);
            matching += scores[i] > 0 ? 1 : 0;
        }
        for (int i = 0; i < scores.length; i++) {
            scores[i] += scores[i] > 0 ? neighbours(matched, i) : 0;
        }
        Set<String> named = new HashSet<>(analyzer.terms(file.fileName()));
        List<Passage> best = best(scores, matched, named, limit);
        Set<String> shown = new HashSet<>();
        best.forEach(passage -> shown.addAll(around(matched, passage.line() - 1)));
        return new Found(total(best, scores, matching) * coverage(shown), best, matching);
    }

    /** A word of the file's own name occurs throughout the file, so it has less weight than others. */
    private List<Passage> best(double[] scores, List<Set<String>> matched, Set<String> named, int limit) {
        List<Passage> ranked = new ArrayList<>();
        for (int i = 0; i < scores.length; i++) {
            if (scores[i] > 0) {
                Set<String> own = new HashSet<>(matched.get(i));
                own.retainAll(named);
                double all = valueOf(matched.get(i));
                double share = all == 0 ? 0 : valueOf(own) / all;
                ranked.add(new Passage(i + 1, scores[i] * (1 - OWN_NAME * share)));
            }
        }
        ranked.sort(Comparator.comparingDouble(Passage::score).reversed());
        return apart(ranked, limit);
    }

    private double valueOf(Set<String> terms) {
        if (terms.isEmpty()) {
            return 0;
        }
        Map<String, Double> best = new HashMap<>();
        for (String term : terms) {
            Value value = values.get(term);
            if (value != null) {
                best.merge(value.group(), value.value(), Math::max);
            }
        }
        return best.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    private Set<String> matchedTerms(String line) {
        if (line.isBlank()) {
            return Set.of();
        }
        String text = line.length() > MAX_LINE ? line.substring(0, MAX_LINE) : line;
        Set<String> found = new HashSet<>();
        for (String term : analyzer.terms(text)) {
            if (values.containsKey(term)) {
                found.add(term);
            }
        }
        return found;
    }

    private double score(String line, Set<String> terms, Language language) {
        double score = isWeak(terms) ? 0 : valueOf(terms);
        String lower = line.toLowerCase(Locale.ROOT);
        for (String phrase : phrases) {
            // A name that is written in one is found as well, as by the index.
            score += lower.contains(phrase) || lower.contains(phrase.replace(" ", "")) ? PHRASE : 0;
        }
        for (String word : words) {
            score *= terms.isEmpty() || !lower.contains(word) ? 1 : LITERAL;
        }
        if (score == 0) {
            return 0;
        }
        score *= hasAll(terms) ? ALL : 1;
        if (isImport(line)) {
            return score * IMPORT;
        }
        return score * definition(line, terms, language);
    }

    /** The weight of a definition; less if the question asks for uses. */
    private double definition(String line, Set<String> terms, Language language) {
        @Nullable String name = terms.isEmpty() ? null : Definitions.nameIn(line, language);
        if (name == null || analyzer.terms(name).stream().noneMatch(terms::contains)) {
            return 1;
        }
        if (question.asksFor(Question.Aim.DEFINITION)) {
            return ASKED_DEFINITION;
        }
        if (question.asksFor(Question.Aim.USES)) {
            return asked.contains(analyzer.terms(name).getFirst()) ? OWN_DEFINITION : 1;
        }
        return DEFINITION;
    }

    private boolean isWeak(Set<String> terms) {
        for (String term : terms) {
            Value value = values.get(term);
            if (value != null && !value.weak()) {
                return false;
            }
        }
        return true;
    }

    private boolean hasAll(Set<String> terms) {
        return asked.size() > 1 && terms.containsAll(asked);
    }

    private static boolean isImport(String line) {
        String start = line.stripLeading();
        return start.startsWith("import ")
                || start.startsWith("package ")
                || start.startsWith("using ")
                || start.startsWith("#include")
                || (start.startsWith("from ") && start.contains(" import "));
    }

    /** The score that neighbouring lines add. */
    private double neighbours(List<Set<String>> matched, int line) {
        return NEIGHBOUR * (valueOf(around(matched, line)) - valueOf(matched.get(line)));
    }

    private static Set<String> around(List<Set<String>> matched, int line) {
        Set<String> around = new HashSet<>();
        int to = Math.min(matched.size() - 1, line + NEIGHBOURHOOD);
        for (int i = Math.max(0, line - NEIGHBOURHOOD); i <= to; i++) {
            around.addAll(matched.get(i));
        }
        return around;
    }

    private static List<Passage> apart(List<Passage> ranked, int limit) {
        List<Passage> best = new ArrayList<>();
        for (Passage candidate : ranked) {
            if (candidate.score() < ranked.getFirst().score() * FAINT) {
                break;
            }
            boolean close = best.stream().anyMatch(b -> Math.abs(b.line() - candidate.line()) <= NEIGHBOURHOOD);
            if (!close) {
                best.add(candidate);
            }
            if (best.size() == limit) {
                break;
            }
        }
        return List.copyOf(best);
    }

    /** A place with all terms scores higher than one with many repetitions of some. */
    private double coverage(Set<String> shown) {
        double all = valueOf(asked);
        return all == 0 ? 1 : 0.4 + 0.6 * Math.min(1, valueOf(shown) / all);
    }

    /** The best passage determines the score; further matches add a little. */
    private static double total(List<Passage> best, double[] scores, int matching) {
        double total = 0;
        double share = 1;
        for (Passage passage : best) {
            total += scores[passage.line() - 1] * share;
            share *= 0.4;
        }
        return total * (1 + 0.05 * Math.log1p(matching));
    }
}
