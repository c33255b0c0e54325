package dev.acp4j.agent;

import java.util.ArrayList;
import java.util.List;

/** Splits an identifier into the words it is made of: {@code XMLReader_v2} into XML, Reader, v2. */
final class IdentifierParts {
    private IdentifierParts() {}

    /** Returns the words in order and in their own case; the whole as one word when there is nothing to split. */
    static List<String> of(CharSequence identifier) {
        List<String> parts = new ArrayList<>(4);
        int start = -1;
        for (int i = 0; i < identifier.length(); i++) {
            char c = identifier.charAt(i);
            if (!Character.isLetterOrDigit(c)) {
                start = add(parts, identifier, start, i);
            } else if (start < 0) {
                start = i;
            } else if (startsWord(identifier, i)) {
                add(parts, identifier, start, i);
                start = i;
            }
        }
        add(parts, identifier, start, identifier.length());
        return parts;
    }

    private static int add(List<String> parts, CharSequence identifier, int start, int end) {
        if (start >= 0) {
            parts.add(identifier.subSequence(start, end).toString());
        }
        return -1;
    }

    /** A capital begins a word after anything but a capital, and after capitals when a small letter follows it. */
    private static boolean startsWord(CharSequence text, int i) {
        if (!Character.isUpperCase(text.charAt(i))) {
            return false;
        }
        boolean afterCapital = Character.isUpperCase(text.charAt(i - 1));
        boolean beforeSmall = i + 1 < text.length() && Character.isLowerCase(text.charAt(i + 1));
        return !afterCapital || beforeSmall;
    }
}
