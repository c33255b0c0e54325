package dev.acp4j.agent;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.Terms;
import org.apache.lucene.search.BoostAttribute;
import org.apache.lucene.search.FuzzyTermsEnum;
import org.apache.lucene.util.BytesRef;

/** Terms that are spelled like one that nothing matches. */
final class NearTerms {
    private static final int SHORT = 5;

    private record Near(String text, float likeness, int files) {}

    private NearTerms() {}

    /** Returns the terms at most two changes away, the most similar and most frequent first. */
    static List<String> of(IndexReader reader, String term, int limit) throws IOException {
        Terms terms = MultiTerms.getTerms(reader, WorkspaceIndex.BODY);
        if (terms == null || term.length() < 3) {
            return List.of();
        }
        List<Near> found = new ArrayList<>();
        int edits = term.length() <= SHORT ? 1 : 2;
        FuzzyTermsEnum near = new FuzzyTermsEnum(terms, new Term(WorkspaceIndex.BODY, term), edits, 1, true);
        BoostAttribute boost = near.attributes().addAttribute(BoostAttribute.class);
        for (BytesRef next = near.next(); next != null; next = near.next()) {
            found.add(new Near(next.utf8ToString(), boost.getBoost(), near.docFreq()));
        }
        found.sort(Comparator.comparingDouble(Near::likeness)
                .thenComparingInt(Near::files)
                .reversed());
        return found.stream()
                .map(Near::text)
                .filter(text -> !text.equals(term))
                .limit(limit)
                .toList();
    }
}
