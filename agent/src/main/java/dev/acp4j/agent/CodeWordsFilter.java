package dev.acp4j.agent;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import org.apache.lucene.analysis.TokenFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute;

/**
 * Splits identifiers into words: {@code jsonReader} and {@code json_reader} both become {@code jsonreader} and, from
 * the same position on, {@code json} and {@code reader}. So the whole name, its parts, and the parts as a phrase all
 * find it. A dotted name is treated part by part.
 */
final class CodeWordsFilter extends TokenFilter {
    private static final int MAX_LENGTH = 64;

    private record Word(String text, int increment) {}

    private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
    private final PositionIncrementAttribute position = addAttribute(PositionIncrementAttribute.class);
    private final Deque<Word> pending = new ArrayDeque<>();

    CodeWordsFilter(TokenStream input) {
        super(input);
    }

    @Override
    public boolean incrementToken() throws IOException {
        while (pending.isEmpty()) {
            if (!input.incrementToken()) {
                return false;
            }
            if (isPlain()) {
                return true;
            }
            splitNames();
        }
        Word word = pending.removeFirst();
        term.setEmpty().append(word.text());
        position.setPositionIncrement(word.increment());
        return true;
    }

    @Override
    public void reset() throws IOException {
        super.reset();
        pending.clear();
    }

    /** Most words need no splitting, and are converted to lower case in place. */
    private boolean isPlain() {
        char[] buffer = term.buffer();
        int length = term.length();
        if (length > MAX_LENGTH) {
            return false;
        }
        for (int i = 1; i < length; i++) {
            if (!Character.isLetterOrDigit(buffer[i]) || Character.isUpperCase(buffer[i])) {
                return false;
            }
        }
        if (length > 0) {
            buffer[0] = Character.toLowerCase(buffer[0]);
        }
        return true;
    }

    private void splitNames() {
        int increment = position.getPositionIncrement();
        String text = term.toString().replace("'", "").replace("’", "");
        for (String name : text.split("[.:]", -1)) {
            if (name.length() <= MAX_LENGTH) {
                increment = split(name, increment);
            }
        }
    }

    private int split(String name, int increment) {
        List<String> parts = IdentifierParts.of(name);
        if (parts.isEmpty()) {
            return increment;
        }
        int next = increment;
        if (parts.size() > 1) {
            pending.add(new Word(lower(String.join("", parts)), next));
            next = 0;
        }
        for (String part : parts) {
            pending.add(new Word(lower(part), next));
            next = 1;
        }
        return 1;
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }
}
