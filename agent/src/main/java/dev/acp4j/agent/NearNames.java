package dev.acp4j.agent;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/** Names similar to one that does not exist: with the same words in them, or spelled alike. */
final class NearNames {
    private static final double LEAST = 0.4;

    private record Near(String name, double likeness) {}

    private NearNames() {}

    /** Returns the names among {@code names} that are similar to {@code wanted}, the most similar first. */
    static List<String> of(@Nullable Terms names, String wanted, int limit) throws IOException {
        List<Near> found = new ArrayList<>();
        TermsEnum each = names == null ? TermsEnum.EMPTY : names.iterator();
        for (BytesRef next = each.next(); next != null; next = each.next()) {
            String name = next.utf8ToString();
            double likeness = likeness(wanted, name);
            if (likeness >= LEAST) {
                found.add(new Near(name, likeness));
            }
        }
        found.sort(Comparator.comparingDouble(Near::likeness)
                .reversed()
                .thenComparingInt(near -> near.name().length()));
        return found.stream().map(Near::name).limit(limit).toList();
    }

    /** From 0 to 1: the share of common words, or of letters that need not change, whichever is more. */
    private static double likeness(String a, String b) {
        Set<String> words = words(a);
        Set<String> all = words(b);
        int both = words.size() + all.size();
        words.retainAll(all);
        double common = 2.0 * words.size() / both;
        int longest = Math.max(a.length(), b.length());
        // Few changes in a short name make another word of it.
        int allowed = longest / 5;
        boolean close = Math.abs(a.length() - b.length()) <= allowed;
        int changes = close ? changes(a.toLowerCase(Locale.ROOT), b.toLowerCase(Locale.ROOT)) : longest;
        return Math.max(common, changes > allowed ? 0 : 1.0 - (double) changes / longest);
    }

    private static Set<String> words(String name) {
        Set<String> words = new HashSet<>();
        for (String part : IdentifierParts.of(name)) {
            words.add(part.toLowerCase(Locale.ROOT));
        }
        return words;
    }

    /** The number of letters to insert, to remove or to change (Levenshtein). */
    private static int changes(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
