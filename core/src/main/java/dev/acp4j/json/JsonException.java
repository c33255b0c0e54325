package dev.acp4j.json;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A text is not JSON, or a value is not as expected. The message gives the path, the expectation and the actual value:
 * {@code params.prompt[2].type: expected a string, got 7}.
 *
 * <p>Message and path are computed on demand by reading the text again, so call the getters before the underlying array
 * is reused.
 */
public final class JsonException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    /** The beginning of the message if the nesting is too deep. */
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
     * Does nothing: a list may contain thousands of bad elements that are skipped, and their stack traces would cost
     * more than reading the list. Callers of {@link RawJson} get a stack trace by {@link #traced}.
     */
    @Override
    public Throwable fillInStackTrace() {
        return this;
    }

    /** Fills in the stack trace from here. */
    JsonException traced() {
        super.fillInStackTrace();
        return this;
    }

    /** Returns whether the text is nested more deeply than the limit; it may be valid JSON. */
    public boolean isTooDeep() {
        return what.startsWith(TOO_DEEP);
    }

    /** Returns the path of the error, like {@code params.prompt[2].type}; empty for a whole text without label. */
    public String path() {
        if (path == null) {
            path = text == null ? "" : JsonPath.of(text, at);
        }
        return path;
    }

    /** Returns the offset of the error in bytes from the beginning of the text. */
    public int offset() {
        return text == null ? 0 : at - text.from;
    }

    @Override
    public String getMessage() {
        return withPath(quotes && text != null ? what + ", got " + text.found(at) : what);
    }

    /**
     * Returns the message with the kind of the value found instead of the value, as in {@code expected a string, got a
     * number}: for output that must not repeat a peer's data, which may be a secret.
     */
    public String messageWithoutValue() {
        return withPath(quotes && text != null ? what + ", got " + text.foundKind(at) : what);
    }

    private String withPath(String rest) {
        String where = path();
        return where.isEmpty() ? rest : where + ": " + rest;
    }
}
