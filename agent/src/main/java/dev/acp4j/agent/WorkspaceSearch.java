package dev.acp4j.agent;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers a question with places in the workspace. The index ranks files; then the best ones are read again, line by
 * line, to find the places, whose quality affects the final order. So line numbers refer to the current text, including
 * unsaved changes in the editor.
 */
final class WorkspaceSearch {
    /** The source of the text of a file. */
    interface Texts {
        /** Returns the text, or null if it is not available. */
        @Nullable
        String of(WorkspaceFile file) throws InterruptedException;
    }

    private static final int CANDIDATES = 60;
    private static final int PASSAGES = 4;
    private static final int CONTEXT = 2;
    private static final double INDEX_SHARE = 0.5;
    private static final double NOISE = 0.12;
    private static final double WORTHWHILE = 0.35;
    private static final float GUESS = 0.6f;

    private final WorkspaceIndex index;
    private final Texts texts;

    WorkspaceSearch(WorkspaceIndex index, Texts texts) {
        this.index = index;
        this.texts = texts;
    }

    /** Answers {@code question} with at most {@code limit} files. */
    Answer answer(Question question, Scope scope, int limit, WorkspaceIndex.Progress progress)
            throws InterruptedException, IOException {
        var unused = index.refresh(progress);
        Coverage coverage = index.coverage(scope, question.extensions());
        List<SearchTerm> terms = new ArrayList<>(index.terms(question));
        Map<String, List<String>> missing = missing(terms);
        SearchQuery query = new SearchQuery(question, terms, index.analyzer());
        boolean everywhere = scope.isEverywhere() && question.extensions().isEmpty();
        WorkspaceIndex.Matches matches = index.search(query, everywhere ? CANDIDATES : WorkspaceFiles.MAX_FILES);
        Passages passages = new Passages(question, index.analyzer(), values(terms));
        List<Ranked> ranked = rank(within(question, scope, matches.best()), question, passages);
        List<Answer.Hit> hits = new ArrayList<>();
        for (Ranked file : ranked.subList(0, Math.min(limit, ranked.size()))) {
            hits.add(hit(file, passages));
        }
        int total = everywhere ? Math.max(matches.total(), hits.size()) : ranked.size();
        return new Answer(question, scope.toString(), hits, total, missing, coverage);
    }

    private record Ranked(WorkspaceFile file, double score) {}

    private static List<WorkspaceIndex.Match> within(Question question, Scope scope, List<WorkspaceIndex.Match> matches)
            throws InterruptedException {
        List<WorkspaceIndex.Match> found = new ArrayList<>();
        for (WorkspaceIndex.Match match : matches) {
            WorkspaceFile file = match.file();
            boolean language =
                    question.extensions().isEmpty() || question.extensions().contains(file.extension());
            if (language && found.size() < CANDIDATES && scope.includes(file)) {
                found.add(match);
            }
        }
        return found;
    }

    private List<Ranked> rank(List<WorkspaceIndex.Match> matches, Question question, Passages passages)
            throws InterruptedException {
        double[] inText = new double[matches.size()];
        double bestText = 0;
        double bestScore = 0;
        for (int i = 0; i < inText.length; i++) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            WorkspaceFile file = matches.get(i).file();
            // From the disk: reading sixty files through the editor would take longer than the search.
            String text = TextFile.textOf(file);
            inText[i] =
                    text == null ? 0 : passages.in(file, lines(text), PASSAGES).score();
            bestText = Math.max(bestText, inText[i]);
            bestScore = Math.max(bestScore, matches.get(i).score());
        }
        List<Ranked> ranked = new ArrayList<>();
        for (int i = 0; i < inText.length; i++) {
            double byIndex = bestScore == 0 ? 0 : matches.get(i).score() / bestScore;
            double byText = bestText == 0 ? 0 : inText[i] / bestText;
            double score = INDEX_SHARE * byIndex + (1 - INDEX_SHARE) * byText;
            WorkspaceIndex.Match match = matches.get(i);
            double prior = Prior.of(match.file(), match.generated(), question);
            ranked.add(new Ranked(match.file(), score * prior));
        }
        ranked.sort(Comparator.comparingDouble(Ranked::score).reversed());
        if (!question.asksFor(Question.Aim.TESTS)) {
            testsLast(ranked);
        }
        double best = ranked.stream().mapToDouble(Ranked::score).max().orElse(0);
        double least = best * NOISE;
        return ranked.stream().filter(file -> file.score() >= least).toList();
    }

    /** Moves tests and fixtures behind what they test, unless that hardly matches. */
    private static void testsLast(List<Ranked> ranked) {
        double least = ranked.isEmpty() ? 0 : ranked.getFirst().score() * WORTHWHILE;
        ranked.sort(Comparator.comparing(file -> file.score() < least || Prior.isTest(file.file())));
    }

    private Answer.Hit hit(Ranked ranked, Passages passages) throws InterruptedException {
        String text = texts.of(ranked.file());
        List<String> lines = text == null ? List.of() : lines(text);
        Passages.Found found = passages.in(ranked.file(), lines, PASSAGES);
        return new Answer.Hit(ranked.file(), ranked.score(), excerpts(found.best(), lines), found.matching());
    }

    /** Returns the passages with the lines around them. */
    static List<Answer.Excerpt> excerpts(List<Passages.Passage> passages, List<String> lines) {
        List<Answer.Excerpt> excerpts = new ArrayList<>();
        for (Passages.Passage passage : passages) {
            int from = Math.max(0, passage.line() - 1 - CONTEXT);
            int to = Math.min(lines.size(), passage.line() + CONTEXT);
            excerpts.add(new Answer.Excerpt(passage.line(), from + 1, lines.subList(from, to)));
        }
        return excerpts;
    }

    /** Finds the words without matches, and adds similar ones to the terms. */
    private Map<String, List<String>> missing(List<SearchTerm> terms) throws InterruptedException, IOException {
        Map<String, List<String>> missing = new LinkedHashMap<>();
        for (SearchTerm term : List.copyOf(terms)) {
            List<String> parts = IdentifierParts.of(term.word());
            if (!term.exact() || term.weight() < 1 || index.rarity(term.text()) > 0) {
                continue;
            }
            if (parts.size() > 1) {
                missing.put(term.word(), present(parts));
                continue;
            }
            List<String> words = new ArrayList<>();
            for (String near : index.near(term.text(), 3)) {
                terms.add(term.alternative(near, GUESS));
                words.add(original(near));
            }
            missing.put(term.word(), words);
        }
        return missing;
    }

    /** The words of a name that no file contains, which some file contains. */
    private List<String> present(List<String> parts) throws InterruptedException, IOException {
        List<String> present = new ArrayList<>();
        for (String part : parts) {
            List<String> terms = index.analyzer().terms(part);
            if (!terms.isEmpty() && index.rarity(terms.getFirst()) > 0) {
                present.add(part.toLowerCase(Locale.ROOT));
            }
        }
        return present;
    }

    /** The index knows word stems; people want to read the words. */
    private String original(String stem) throws InterruptedException, IOException {
        Question question = new Question(List.of(), List.of(), Set.of(), Set.of(), 0, "");
        List<SearchTerm> terms = List.of(new SearchTerm(stem, stem, stem, 1, true));
        for (var match : index.search(new SearchQuery(question, terms, index.analyzer()), 1)
                .best()) {
            String text = TextFile.textOf(match.file());
            for (String word : text == null ? new String[0] : text.split("[^\\p{L}\\p{N}_]+", -1)) {
                for (String part : IdentifierParts.of(word)) {
                    if (index.analyzer().terms(part).contains(stem)) {
                        return part.toLowerCase(Locale.ROOT);
                    }
                }
            }
        }
        return stem;
    }

    private Map<String, Passages.Value> values(List<SearchTerm> terms) throws InterruptedException, IOException {
        Map<String, Passages.Value> values = new HashMap<>();
        for (SearchTerm term : terms) {
            values.put(term.text(), Passages.Value.of(term, index.rarity(term.text())));
        }
        return values;
    }

    static List<String> lines(String text) {
        return text.lines().toList();
    }
}
