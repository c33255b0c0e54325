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

/** Terms similar to one without matches. */
final class NearTerms {
    // A short word is one or two changes away from too many unrelated words.
    private static final int MIN_LENGTH = 4;
    private static final float LIKE = 0.7f;

    private record Near(String text, float likeness, int files) {}

    private NearTerms() {}

    /** Returns the terms one change away, or if there is none two, the most similar and most frequent first. */
    static List<String> of(IndexReader reader, String term, int limit) throws IOException {
        Terms terms = MultiTerms.getTerms(reader, WorkspaceIndex.BODY);
        if (terms == null || term.length() < MIN_LENGTH) {
            return List.of();
        }
        List<Near> found = within(terms, term, 1);
        if (found.isEmpty()) {
            found = within(terms, term, 2);
        }
        found.sort(Comparator.comparingDouble(Near::likeness)
                .thenComparingInt(Near::files)
                .reversed());
        return found.stream().map(Near::text).limit(limit).toList();
    }

    private static List<Near> within(Terms terms, String term, int edits) throws IOException {
        List<Near> found = new ArrayList<>();
        FuzzyTermsEnum near = new FuzzyTermsEnum(terms, new Term(WorkspaceIndex.BODY, term), edits, 1, true);
        BoostAttribute boost = near.attributes().addAttribute(BoostAttribute.class);
        for (BytesRef next = near.next(); next != null; next = near.next()) {
            String text = next.utf8ToString();
            if (boost.getBoost() >= LIKE && !text.equals(term)) {
                found.add(new Near(text, boost.getBoost(), near.docFreq()));
            }
        }
        return found;
    }
}
