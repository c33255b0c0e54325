package dev.acp4j.agent;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
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
            double value = term.weight() * (COMMON + rarity);
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
    private static final double WHOLE_NAME = 1.3;
    private static final double ENTRY = 8;
    private static final double VERSION = 8;
    private static final double TITLE = 0.5;
    private static final double IMPORT = 0.25;
    private static final double PHRASE = 4;
    private static final double OWN_NAME = 0.6;
    private static final double FAINT = 0.25;
    private static final double ALL = 2;
    private static final double LITERAL = 1.25;
    private static final double COMMON = 0.1;

    private final Question question;
    private final CodeAnalyzer analyzer;
    private final Map<String, Value> values;
    private final List<String> phrases;
    private final List<String> words;
    private final List<Pattern> versions;
    private final Set<String> asked;
    private final List<String> roots;

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
        this.versions = words.stream()
                .filter(word -> !word.startsWith("version"))
                .map(word -> Pattern.compile(
                        "\\b" + Pattern.quote(word) + "\\b[\\s:>=v]{1,4}+\\d", Pattern.CASE_INSENSITIVE))
                .toList();
        this.asked = new HashSet<>();
        this.roots = values.keySet().stream().map(Passages::root).distinct().toList();
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
        double places = total(best, scores, matching) * coverage(shown);
        return new Found(places * (1 + TITLE * title(file, lines, language)), best, matching);
    }

    /** The share, from 0 to 1, of what was asked for that the name of the file and its first comment have. */
    private double title(WorkspaceFile file, List<String> lines, Language language) {
        double all = valueOf(asked);
        if (all == 0) {
            return 0;
        }
        Set<String> terms = new HashSet<>(analyzer.terms(LeadingComment.of(lines, language)));
        terms.addAll(analyzer.terms(file.fileName()));
        terms.retainAll(values.keySet());
        return Math.min(1, valueOf(terms) / all);
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
        String text = line.length() > MAX_LINE ? line.substring(0, MAX_LINE) : line;
        String lower = text.toLowerCase(Locale.ROOT);
        if (roots.stream().noneMatch(lower::contains)) {
            return Set.of(); // most lines, for which the analyzer would take long
        }
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
        if (question.asksFor(Question.Aim.ENTRY) && isEntry(line, language)) {
            return score + ENTRY;
        }
        if (score == 0 || (terms.containsAll(asked) && question.isQuotedIn(line))) {
            return 0;
        }
        score += question.asksFor(Question.Aim.SETUP) && saysWhichVersion(line) ? VERSION : 0;
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
        Set<String> own = new HashSet<>(analyzer.terms(name));
        boolean whole = asked.contains(analyzer.terms(name).getFirst());
        own.retainAll(terms);
        double share = valueOf(own) / Math.max(valueOf(terms), Double.MIN_NORMAL);
        double bonus = whole ? DEFINITION * WHOLE_NAME : DEFINITION;
        return 1 + (bonus - 1) * share;
    }

    /** The beginning of a stem that every form of the word has: its end may differ, as in "copy" and "copies". */
    private static String root(String stem) {
        return stem.substring(0, Math.min(stem.length(), Math.max(2, stem.length() - 2)));
    }

    /** Whether a name that was asked about is followed by a number, as in "Java 21". */
    private boolean saysWhichVersion(String line) {
        return versions.stream().anyMatch(version -> version.matcher(line).find());
    }

    private static boolean isEntry(String line, Language language) {
        return line.contains("__main__")
                || (line.contains(Definitions.ENTRY) && Definitions.ENTRY.equals(Definitions.nameIn(line, language)));
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
        return total * (1 + 0.1 * Math.log1p(matching));
    }
}
