package dev.acp4j.json;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A text that is not JSON, or a value that is not what was expected. The message says where, what was expected and what
 * came: {@code params.prompt[2].type: expected a string, got 7}.
 *
 * <p>Message and path are worked out when asked for, by reading the text again; ask before the array it was read from
 * is used for something else.
 */
public final class JsonException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    /** How the message begins when the nesting is too deep. */
    static final String TOO_DEEP = "nested deeper than ";

    private final transient @Nullable JsonText text;
    private final int at;
    private final String what;
    private final boolean quotes;
    private @Nullable String path;

    /** @param quotes whether the message ends with the value found */
    JsonException(JsonText text, int at, String what, boolean quotes) {
        super(what);
        this.text = text;
        this.at = at;
        this.what = what;
        this.quotes = quotes;
    }

    /**
     * Does nothing: where a list may hold thousands of bad elements that are passed over, their stack traces would cost
     * more than reading the list. Who calls {@link RawJson} gets one, by {@link #traced}.
     */
    @Override
    public Throwable fillInStackTrace() {
        return this;
    }

    /** Makes the stack trace begin here. */
    JsonException traced() {
        super.fillInStackTrace();
        return this;
    }

    /** Returns true when the text may well be JSON, but is nested more deeply than is read here. */
    public boolean isTooDeep() {
        return what.startsWith(TOO_DEEP);
    }

    /** Returns where it happened, like {@code params.prompt[2].type}; empty for a whole text that has no label. */
    public String path() {
        if (path == null) {
            path = text == null ? "" : JsonPath.of(text, at);
        }
        return path;
    }

    /** Returns where it happened in bytes from the beginning of the text. */
    public int offset() {
        return text == null ? 0 : at - text.from;
    }

    @Override
    public String getMessage() {
        return withPath(quotes && text != null ? what + ", got " + text.found(at) : what);
    }

    /**
     * Returns the message with the kind of the value found instead of the value, as in {@code expected a string, got a
     * number}: for places where what a peer sent, which may be a secret, must not be repeated.
     */
    public String messageWithoutValue() {
        return withPath(quotes && text != null ? what + ", got " + text.foundKind(at) : what);
    }

    private String withPath(String rest) {
        String where = path();
        return where.isEmpty() ? rest : where + ": " + rest;
    }
}
