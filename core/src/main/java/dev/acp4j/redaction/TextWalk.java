package dev.acp4j.redaction;

import java.util.function.UnaryOperator;

/**
 * Walks over a text once and hides values that look like secrets and, optionally, values named like secrets. The time
 * is linear in the length of the text: looking back stops where the last name ended, looking ahead stops at the end of
 * a word or of the hidden part.
 */
final class TextWalk {
    private static final String KEY_BEGIN = "-----BEGIN ";
    private static final String KEY_END = "-----END ";
    private static final int LONGEST_LABEL = 60;
    private static final int LONGEST_NAME = 100;

    private final String text;
    private final boolean isNamed;
    private final UnaryOperator<String> other;
    private StringBuilder shown = new StringBuilder(0);

    /** Text before this index has been copied to {@link #shown} or hidden. */
    private int done;

    /** No name begins before this index. */
    private int nameFrom;

    private int urlEnd;

    private TextWalk(String text, boolean isNamed, UnaryOperator<String> other) {
        this.text = text;
        this.isNamed = isNamed;
        this.other = other;
    }

    /** Returns the text without values that look like secrets. */
    static String withoutLooks(String text) {
        return withoutLooks(text, Hidden.AS_MARK);
    }

    /** Returns the text with something else in place of values that look like secrets. */
    static String withoutLooks(String text, UnaryOperator<String> other) {
        return new TextWalk(text, false, other).walk();
    }

    /**
     * Returns the text without values that look like secrets or are named like secrets, as in {@code token=} and
     * {@code Cookie:}.
     */
    static String withoutNamed(String text) {
        return new TextWalk(text, true, Hidden.AS_MARK).walk();
    }

    /** Returns whether a private key begins in the text and does not end there. */
    static boolean endsInKey(String text) {
        int begin = text.lastIndexOf(KEY_BEGIN);
        return begin >= 0 && isKey(text, begin + KEY_BEGIN.length()) && text.indexOf(KEY_END, begin) < 0;
    }

    /** Returns the end of a private key that began before the text, or -1. */
    static int keyEnd(String text) {
        int end = text.indexOf(KEY_END);
        return end < 0 ? -1 : labelEnd(text, end + KEY_END.length());
    }

    private String walk() {
        int length = text.length();
        boolean inWord = false;
        for (int at = 0; at < length; ) {
            char c = text.charAt(at);
            int next = at;
            if (c == ':' || c == '=') {
                next = separator(c, at);
            } else if (c == '-') {
                next = dash(at);
            } else if (at < urlEnd && (c == '?' || c == '&' || c == '#' || c == ';')) {
                next = parameter(at + 1);
            } else if (!inWord && SecretLook.mayBegin(c)) {
                next = look(at);
            }
            if (next > at) {
                at = next;
                inWord = false;
            } else {
                inWord = SecretLook.isWord(c) && !isEscape(at);
                at++;
            }
        }
        return done == 0 ? text : shown.append(text, done, length).toString();
    }

    /** Hides a part and returns its end. */
    int hide(int from, int to) {
        if (from >= done && from < to) {
            shown.append(text, done, from).append(other.apply(text.substring(from, to)));
            done = to;
            nameFrom = to;
        }
        return to;
    }

    /** Whether the letter belongs to an escape such as {@code \n}: a word may begin after it. */
    private boolean isEscape(int at) {
        return at > 0 && text.charAt(at - 1) == '\\';
    }

    private int look(int at) {
        int end = SecretLook.end(text, at);
        return end > at ? hide(at, end) : at;
    }

    private int separator(char c, int at) {
        if (c == ':' && text.startsWith("://", at)) {
            return url(at + 3);
        }
        if (!isNamed) {
            return at;
        }
        int end = new NamedValue(text, at, nameFrom).hideIn(this);
        nameFrom = Math.max(nameFrom, at + 1);
        return end;
    }

    private int url(int from) {
        int secretEnd = Urls.secretEnd(text, from);
        if (urlEnd < from) {
            urlEnd = from;
            while (urlEnd < text.length() && !Urls.isEnd(text.charAt(urlEnd))) {
                urlEnd++;
            }
        }
        nameFrom = from;
        return secretEnd < 0 ? from : hide(from, secretEnd);
    }

    private int parameter(int from) {
        int equals = from;
        while (equals < urlEnd && equals - from < LONGEST_NAME && SecretLook.isWord(text.charAt(equals))) {
            equals++;
        }
        if (equals == urlEnd || text.charAt(equals) != '=') {
            return from;
        }
        int end = equals + 1;
        while (end < urlEnd && "&#;".indexOf(text.charAt(end)) < 0) {
            end++;
        }
        String name = text.substring(from, equals);
        SecretName kind = name.equals("key") ? SecretName.OPAQUE : SecretName.of(name);
        return kind.hides(text.substring(equals + 1, end)) ? hide(equals + 1, end) : from;
    }

    private int dash(int at) {
        if (text.startsWith(KEY_BEGIN, at) && isKey(text, at + KEY_BEGIN.length())) {
            int end = text.indexOf(KEY_END, at);
            return hide(at, end < 0 ? text.length() : labelEnd(text, end + KEY_END.length()));
        }
        if (!isNamed || (at > 0 && text.charAt(at - 1) == '-')) {
            return at;
        }
        if (text.startsWith(KEY_END, at) && isKey(text, at + KEY_END.length())) {
            return hide(keyStart(at), labelEnd(text, at + KEY_END.length()));
        }
        return option(at);
    }

    /** Returns the beginning of the lines of a key whose end only is in the text. */
    private int keyStart(int end) {
        int start = end;
        int at = end;
        while (at > done && (SecretLook.isBase64(text.charAt(at - 1)) || "\r\n".indexOf(text.charAt(at - 1)) >= 0)) {
            at--;
            if (at == 0 || text.charAt(at - 1) == '\n') {
                start = at;
            }
        }
        return Math.max(start, done);
    }

    /** Hides the value of {@code --token value}. In prose the next word is not a value: {@code --token is required}. */
    private int option(int at) {
        boolean isFirst = at == 0 || !SecretLook.isBase64(text.charAt(at - 1));
        int from = text.startsWith("--", at) ? at + 2 : at + 1;
        int end = from;
        while (end < text.length() && end - from < LONGEST_NAME && SecretLook.isWord(text.charAt(end))) {
            end++;
        }
        if (!isFirst || end - from < 2 || end == text.length() || !SecretName.isOption(text.substring(at, end))) {
            return at;
        }
        return new NamedValue(text, end, from).hideOptionIn(this, end);
    }

    private static boolean isKey(String text, int label) {
        return text.substring(label, labelEnd(text, label)).contains("PRIVATE KEY");
    }

    /** Returns the end of the dashes after a label; in a hostile text they may be missing. */
    private static int labelEnd(String text, int label) {
        int at = label;
        while (at < text.length() && at - label < LONGEST_LABEL && isLabel(text.charAt(at))) {
            at++;
        }
        return text.startsWith("-----", at) ? at + 5 : at;
    }

    private static boolean isLabel(char c) {
        return c == ' ' || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
}
