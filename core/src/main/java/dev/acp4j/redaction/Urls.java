package dev.acp4j.redaction;

/** Finds secrets in URLs: before the host, and as values of parameters. */
final class Urls {
    /** A name alone, such as {@code git} in {@code ssh://git@host}, is shorter than this and not hidden; a token is. */
    private static final int SHORTEST_TOKEN = 16;

    private Urls() {}

    /** Returns the password of the first URL in a text, or an empty text. */
    static String password(String text) {
        int scheme = text.indexOf("://");
        if (scheme < 0) {
            return "";
        }
        int end = userEnd(text, scheme + 3);
        int colon = text.indexOf(':', scheme + 3);
        return end < 0 || colon < 0 || colon >= end ? "" : text.substring(colon + 1, end);
    }

    /**
     * Returns the end of name and password if they contain a secret, or -1.
     *
     * @param from the index at which the host would begin
     */
    static int secretEnd(String text, int from) {
        int end = userEnd(text, from);
        if (end < 0) {
            return -1;
        }
        int colon = text.indexOf(':', from);
        return (colon >= 0 && colon < end) || end - from >= SHORTEST_TOKEN ? end : -1;
    }

    private static int userEnd(String text, int from) {
        int end = -1;
        for (int at = from; at < text.length() && !isEnd(text.charAt(at)); at++) {
            char c = text.charAt(at);
            if (c == '/' || c == '?' || c == '#') {
                break;
            }
            if (c == '@') {
                end = at;
            }
        }
        return end;
    }

    /** Returns whether a URL ends before this character. */
    static boolean isEnd(char c) {
        return c <= ' ' || c == '"' || c == '\'' || c == '<' || c == '>' || c == '\\' || c == '`';
    }
}
