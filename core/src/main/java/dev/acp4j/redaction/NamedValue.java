package dev.acp4j.redaction;

import java.util.Locale;

/**
 * A name and its value: {@code name=value}, {@code "name": "value"}, {@code Name: value}, {@code name => value}, also
 * within JSON strings, where backslashes precede each quotation mark.
 */
final class NamedValue {
    private static final int LONGEST_NAME = 100;

    /** Length of the part of a value that decides whether it is a secret. */
    private static final int PROBE = 300;

    private final String text;

    /** The index of the separator between name and value. */
    private final int separator;

    private final int nameFrom;
    private final int nameTo;

    /** The number of backslashes before the quotation mark that ends the name; -1 if it has none. */
    private int nesting = -1;

    /** @param earliest the first possible index of the name */
    NamedValue(String text, int separator, int earliest) {
        this.text = text;
        this.separator = separator;
        int at = separator;
        while (at > earliest && isBlank(text.charAt(at - 1))) {
            at--;
        }
        if (at > earliest && isQuote(text.charAt(at - 1))) {
            at--;
            int quote = at;
            while (at > earliest && text.charAt(at - 1) == '\\') {
                at--;
            }
            nesting = quote - at;
        }
        this.nameTo = at;
        this.nameFrom = nameFrom(at, earliest);
    }

    private int nameFrom(int to, int earliest) {
        int at = to;
        while (at > earliest && to - at <= LONGEST_NAME && isName(text.charAt(at - 1))) {
            at--;
        }
        // The letter of an escape is not part of the name: \nTOKEN=.
        return at > 0 && at < to && text.charAt(at - 1) == '\\' ? at + 1 : at;
    }

    private static boolean isName(char c) {
        return SecretLook.isWord(c) || c == '.' || c == '$' || c > 127;
    }

    /** Hides the value if it is a secret; returns the index to continue at. */
    int hideIn(TextWalk walk) {
        int from = valueFrom();
        SecretName kind = from < 0 || from == text.length() || nameFrom == nameTo ? SecretName.ORDINARY : kind(from);
        if (!kind.isSecret()) {
            return separator;
        }
        int quote = quoteAt(from);
        if (quote >= 0) {
            int end = quotedEnd(quote, quote - from);
            return hides(kind, quote + 1, end) ? walk.hide(quote + 1, end) : separator;
        }
        char first = text.charAt(from);
        if (nesting >= 0 && (first == '{' || first == '[')) {
            return kind.hidesNumbers() && kind.holdsSecrets() ? walk.hide(from, listEnd(from)) : separator;
        }
        // The end may be far away, and this may not be a value: then there may be many of these.
        int end = bareEnd(kind, from, Math.min(text.length(), from + PROBE));
        boolean isSecret = end > from && hides(kind, from, end) && !SecretName.isNothing(text.substring(from, end));
        return isSecret ? walk.hide(from, bareEnd(kind, from, text.length())) : separator;
    }

    private boolean hides(SecretName kind, int from, int to) {
        return kind.hides(text.substring(from, to));
    }

    /** Hides the argument that follows the name of an option; returns the index to continue at. */
    int hideOptionIn(TextWalk walk, int optionEnd) {
        int from = optionEnd;
        int outer = quoteAt(from);
        if (outer >= 0) {
            // A list in JSON or in a programming language: "--token", "value".
            from = outer + 1;
            from += from < text.length() && text.charAt(from) == ',' ? 1 : 0;
        }
        int blanks = blanksEnd(from);
        if (blanks == optionEnd) {
            return optionEnd;
        }
        int quote = quoteAt(blanks);
        if (quote >= 0) {
            return walk.hide(quote + 1, quotedEnd(quote, quote - blanks));
        }
        int end = wordEnd(blanks, text.length(), "\"'");
        boolean isValue = outer < 0 && end > blanks && text.charAt(blanks) != '-';
        return isValue && hides(SecretName.OPAQUE, blanks, end) ? walk.hide(blanks, end) : optionEnd;
    }

    private SecretName kind(int from) {
        String name = text.substring(nameFrom, nameTo);
        SecretName kind = SecretName.of(name);
        char before = nameFrom == 0 ? '\n' : text.charAt(nameFrom - 1);
        if (nesting >= 0) {
            return kind;
        }
        if (text.charAt(separator) == ':' && (before == '/' || isLineNumber(name, from))) {
            return SecretName.ORDINARY;
        }
        if (before != ' ') {
            return kind;
        }
        int wordTo = nameFrom - 1;
        int wordFrom = wordTo;
        while (wordFrom > 0 && wordTo - wordFrom < LONGEST_NAME && SecretLook.isWord(text.charAt(wordFrom - 1))) {
            wordFrom--;
        }
        String word = text.substring(wordFrom, wordTo);
        if (name.equalsIgnoreCase("key")) {
            // For "API key" the word before decides, unless this is the name of a variable.
            return SecretName.of(name.equals("KEY") ? word.toUpperCase(Locale.ROOT) + "_KEY" : word + "_key");
        }
        // "Unexpected token: x" means another kind of token.
        return word.equalsIgnoreCase("unexpected") ? SecretName.ORDINARY : kind;
    }

    /** Returns whether this is a position in a file, {@code Token.java:12}. */
    private boolean isLineNumber(String name, int from) {
        int at = from;
        while (at < text.length() && Character.isDigit(text.charAt(at))) {
            at++;
        }
        return name.indexOf('.') > 0
                && from == separator + 1
                && at > from
                && (at == text.length() || !SecretLook.isWord(text.charAt(at)));
    }

    /** Returns the index of the value, or -1 if this is an operator instead of a separator. */
    private int valueFrom() {
        int from = separator + 1;
        char c = text.charAt(separator);
        char next = from < text.length() ? text.charAt(from) : ' ';
        if (c == next || (separator > 0 && "=!<>:".indexOf(text.charAt(separator - 1)) >= 0)) {
            return -1;
        }
        if ((c == '=' && next == '>') || (c == ':' && next == '=')) {
            from++;
        }
        return blanksEnd(from);
    }

    private int blanksEnd(int from) {
        int at = from;
        while (at < text.length() && isBlank(text.charAt(at))) {
            at++;
        }
        return at;
    }

    /** Returns the index of the quotation mark that begins here, after its backslashes, or -1. */
    private int quoteAt(int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) == '\\') {
            at++;
        }
        return at < text.length() && isQuote(text.charAt(at)) ? at : -1;
    }

    /**
     * Returns the end of the string that begins with this quotation mark, or the end of the line if it is not closed.
     */
    private int quotedEnd(int quote, int backslashes) {
        int run = 0;
        for (int at = quote + 1; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '\n' || c == '\r') {
                return at;
            }
            // A string within a string doubles its own backslashes and adds one before each mark.
            if (c == text.charAt(quote) && run % (2 * (backslashes + 1)) == backslashes) {
                return at - backslashes;
            }
            run = c == '\\' ? run + 1 : 0;
        }
        return text.length();
    }

    private int listEnd(int from) {
        int depth = 0;
        boolean inString = false;
        int run = 0;
        for (int at = from; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"' && run % (2 * (nesting + 1)) == nesting) {
                inString = !inString;
            } else if (!inString && (c == '{' || c == '[')) {
                depth++;
            } else if (!inString && (c == '}' || c == ']') && --depth == 0) {
                return at + 1;
            }
            run = c == '\\' ? run + 1 : 0;
        }
        return text.length();
    }

    /** Returns the end of a value without quotation marks. */
    private int bareEnd(SecretName kind, int from, int to) {
        if (nesting >= 0) {
            return wordEnd(from, to, "\"',;}]");
        }
        char before = nameFrom > 0 ? text.charAt(nameFrom - 1) : ' ';
        if (text.charAt(separator) == '=' && (before == '?' || before == '&')) {
            return wordEnd(from, to, "\"',;&#<>");
        }
        if (kind == SecretName.LINE) {
            return lineEnd(from, to, isQuote(before) ? String.valueOf(before) : "");
        }
        return kind == SecretName.PHRASE ? lineEnd(from, to, "\"',;") : wordEnd(from, to, "\"',;");
    }

    private int wordEnd(int from, int to, String ends) {
        int at = from;
        while (at < to && text.charAt(at) > ' ' && ends.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return at;
    }

    private int lineEnd(int from, int to, String ends) {
        int at = from;
        while (at < to && text.charAt(at) != '\n' && text.charAt(at) != '\r' && ends.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return at;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    private static boolean isQuote(char c) {
        return c == '"' || c == '\'';
    }
}
