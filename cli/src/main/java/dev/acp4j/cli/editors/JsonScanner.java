package dev.acp4j.cli.editors;

import dev.acp4j.cli.editors.JsonNode.Item;
import dev.acp4j.cli.editors.JsonNode.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the places of all values in a text of JSON, as it is or with the comments and commas that editors allow. */
final class JsonScanner {
    private static final int DEEPEST = 200;

    private final String text;
    private final boolean isStrict;
    private int at;
    private int depth;

    private JsonScanner(String text, boolean isStrict) {
        this.text = text;
        this.isStrict = isStrict;
    }

    /**
     * Returns the value that a text consists of; null if there is none, only space and comments.
     *
     * @param isStrict whether comments and commas behind the last item are errors
     */
    static @Nullable JsonNode scan(String text, boolean isStrict) throws UnreadableTextException {
        JsonScanner scanner = new JsonScanner(text, isStrict);
        if (text.startsWith("\ufeff")) {
            scanner.at = 1;
        }
        scanner.skip();
        if (scanner.at == text.length()) {
            return null;
        }
        JsonNode root = scanner.value();
        scanner.skip();
        if (scanner.at < text.length()) {
            throw scanner.problem("expected the end of the file, found " + scanner.found());
        }
        return root;
    }

    private JsonNode value() throws UnreadableTextException {
        if (at == text.length()) {
            throw problem("expected a value, found the end of the file");
        }
        return switch (text.charAt(at)) {
            case '{' -> container(Kind.OBJECT, '}');
            case '[' -> container(Kind.ARRAY, ']');
            case '"' -> string();
            default -> word();
        };
    }

    private JsonNode container(Kind kind, char close) throws UnreadableTextException {
        if (++depth > DEEPEST) {
            throw problem("nested more than " + DEEPEST + " deep");
        }
        int start = at++;
        List<Item> items = new ArrayList<>();
        boolean isOpen = true;
        while (true) {
            skip();
            if (at < text.length() && text.charAt(at) == close) {
                if (isStrict && isOpen && !items.isEmpty()) {
                    throw problem("expected a value after the comma, found '" + close + "'");
                }
                at++;
                depth--;
                return new JsonNode(kind, start, at, "", List.copyOf(items));
            }
            if (!isOpen) {
                throw problem("expected ',' or '" + close + "', found " + found());
            }
            items.add(item(kind));
            isOpen = items.getLast().comma() >= 0;
        }
    }

    private Item item(Kind kind) throws UnreadableTextException {
        int start = at;
        String name = "";
        if (kind == Kind.OBJECT) {
            if (at == text.length() || text.charAt(at) != '"') {
                throw problem("expected a name in quotes, found " + found());
            }
            name = string().text();
            skip();
            if (at == text.length() || text.charAt(at) != ':') {
                throw problem("expected ':', found " + found());
            }
            at++;
            skip();
        }
        JsonNode value = value();
        skip();
        int comma = -1;
        if (at < text.length() && text.charAt(at) == ',') {
            comma = at++;
        }
        return new Item(name, start, value, comma);
    }

    private JsonNode string() throws UnreadableTextException {
        int start = at++;
        StringBuilder out = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') {
                return new JsonNode(Kind.STRING, start, at, out.toString(), List.of());
            }
            if (c < ' ') {
                at--;
                throw problem(
                        c == '\n' || c == '\r'
                                ? "a string is not closed before the end of its line"
                                : "a control character in a string: write %s"
                                        .formatted(c == '\t' ? "\\t" : "\\u%04x".formatted((int) c)));
            }
            out.append(c == '\\' ? escaped() : c);
        }
        throw problem("a string is not closed");
    }

    private char escaped() throws UnreadableTextException {
        char c = at < text.length() ? text.charAt(at++) : ' ';
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> {
                at--;
                throw problem("unknown escape in a string");
            }
        };
    }

    private char unicode() throws UnreadableTextException {
        int end = at + 4;
        int value = 0;
        for (; at < end; at++) {
            int digit = at < text.length() ? Character.digit(text.charAt(at), 16) : -1;
            if (digit < 0 || text.charAt(at) > 'f') {
                throw problem("expected four hexadecimal digits");
            }
            value = value * 16 + digit;
        }
        return (char) value;
    }

    private JsonNode word() throws UnreadableTextException {
        int start = at;
        while (at < text.length() && isOfWord(text.charAt(at))) {
            at++;
        }
        String word = text.substring(start, at);
        if (!word.matches("true|false|null|-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            at = start;
            throw problem("expected a value, found " + found());
        }
        return new JsonNode(Kind.OTHER, start, at, "", List.of());
    }

    private static boolean isOfWord(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '+'
                || c == '.';
    }

    /** Skips space and comments. */
    private void skip() throws UnreadableTextException {
        int next = space(text, at);
        while (next < text.length() && text.charAt(next) == '/') {
            int end = comment(text, next);
            if (isStrict || end < 0) {
                at = next;
                throw problem(notComment());
            }
            next = space(text, end);
        }
        at = next;
    }

    private String notComment() {
        if (text.startsWith("//", at) || text.startsWith("/*", at)) {
            return isStrict ? "comments are not allowed in this file" : "a comment is not closed";
        }
        return "unexpected '/'";
    }

    /** Returns the index of the first character from here on that is not space. */
    static int space(String text, int from) {
        int at = from;
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at;
    }

    /** Returns the index after the comment that begins here, its line end excluded; -1 if there is no whole one. */
    static int comment(String text, int from) {
        if (text.startsWith("//", from)) {
            int at = from;
            while (at < text.length() && text.charAt(at) != '\n' && text.charAt(at) != '\r') {
                at++;
            }
            return at;
        }
        int close = text.startsWith("/*", from) ? text.indexOf("*/", from + 2) : -1;
        return close < 0 ? -1 : close + 2;
    }

    private String found() {
        if (at == text.length()) {
            return "the end of the file";
        }
        int end = at;
        while (end < text.length() && end < at + 20 && isOfWord(text.charAt(end))) {
            end++;
        }
        return "'" + (end == at ? Character.toString(text.codePointAt(at)) : text.substring(at, end)) + "'";
    }

    private UnreadableTextException problem(String what) {
        return UnreadableTextException.at(text, at, what);
    }
}
