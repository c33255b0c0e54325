package dev.acp4j.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A term to look up in the index.
 *
 * @param text the stem, as the analyzer made it
 * @param word the word of the question it stands for
 * @param group terms of one group stand for each other: a text with two of them is no better than with one
 * @param weight how much a match counts
 * @param exact whether it is the word itself, not a synonym or a guess
 */
record SearchTerm(String text, String word, String group, float weight, boolean exact) {
    // What has a dash or a slash in it, as "back-pressure" or a path, is several names.
    private static final Pattern NOT_IN_NAMES = Pattern.compile("[^\\p{L}\\p{N}\\p{M}_$'’]+");
    private static final float PART = 0.45f;
    private static final float BASE = 0.9f;
    private static final float SYNONYM = 0.25f;
    private static final float JOINED = 1.2f;

    /** Returns whether the term affects the ranking only. */
    boolean isWeak() {
        return weight <= Question.WEAK;
    }

    /** Whether the term is what a type may be called: a word of the question, or several written together. */
    boolean isWholeName() {
        return !isWeak() && (exact || weight == JOINED);
    }

    /** Returns a term that may stand for this one and counts {@code share} of it. */
    SearchTerm alternative(String other, float share) {
        return new SearchTerm(other, word, group, weight * share, false);
    }

    /** Returns the terms of a question: its words, parts of its identifiers, neighbours written together, synonyms. */
    static List<SearchTerm> of(Question question, CodeAnalyzer analyzer, Synonyms synonyms) {
        Map<String, SearchTerm> terms = new LinkedHashMap<>();
        for (Question.Word word : question.words()) {
            addWord(terms, word, analyzer);
        }
        addJoined(terms, question.words(), analyzer);
        for (SearchTerm term : new ArrayList<>(terms.values())) {
            if (term.isWeak()) {
                continue;
            }
            for (String synonym : synonyms.of(term.text())) {
                add(terms, term.alternative(synonym, SYNONYM));
            }
        }
        return List.copyOf(terms.values());
    }

    private static void addWord(Map<String, SearchTerm> terms, Question.Word word, CodeAnalyzer analyzer) {
        for (String name : NOT_IN_NAMES.split(word.text(), 0)) {
            List<String> parts = analyzer.terms(name);
            for (int i = 0; i < parts.size(); i++) {
                float weight = i == 0 ? word.weight() : word.weight() * PART;
                add(terms, new SearchTerm(parts.get(i), name, parts.get(i), weight, i == 0));
            }
            String base = IrregularForms.base(name);
            if (!base.equals(name) && !parts.isEmpty()) {
                SearchTerm term = new SearchTerm(parts.getFirst(), name, parts.getFirst(), word.weight(), true);
                add(terms, term.alternative(analyzer.terms(base).getFirst(), BASE));
            }
        }
    }

    /** "memory transport" also means MemoryTransport. */
    private static void addJoined(Map<String, SearchTerm> terms, List<Question.Word> words, CodeAnalyzer analyzer) {
        for (int from = 0; from + 1 < words.size(); from++) {
            StringBuilder joined = new StringBuilder(words.get(from).text());
            for (int to = from + 1; to < Math.min(words.size(), from + 4); to++) {
                joined.append(words.get(to).text());
                List<String> parts = analyzer.terms(joined.toString().toLowerCase(Locale.ROOT));
                if (parts.size() == 1
                        && (words.get(from).isStrong() || words.get(to).isStrong())) {
                    String term = parts.getFirst();
                    add(terms, new SearchTerm(term, joined.toString(), term, JOINED, false));
                }
            }
        }
    }

    private static void add(Map<String, SearchTerm> terms, SearchTerm term) {
        terms.merge(term.text(), term, (a, b) -> a.weight() >= b.weight() ? a : b);
    }
}
