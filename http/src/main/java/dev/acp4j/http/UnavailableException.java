package dev.acp4j.http;

import dev.acp4j.schema.Unstable;
import java.time.Duration;

/**
 * Refuses a client for now, as what takes the clients of {@link HttpServer#start}, or as an {@link Authenticator}: the
 * request is answered 503 or 429 with {@code Retry-After}, and a WebSocket that is open is closed.
 */
@Unstable
public final class UnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String reason;
    private final boolean ofPrincipal;
    private final Duration retryAfter;

    /**
     * Creates a refusal.
     *
     * @param reason one word for programs, such as {@code too_many_processes}
     * @param message a sentence for people, which may be shown to the client
     * @param ofPrincipal whether only this principal is refused (429), not everybody (503)
     * @param retryAfter when it is worth to try again
     */
    public UnavailableException(String reason, String message, boolean ofPrincipal, Duration retryAfter) {
        super(message);
        this.reason = reason;
        this.ofPrincipal = ofPrincipal;
        this.retryAfter = retryAfter;
    }

    /** Returns the word for programs. */
    public String reason() {
        return reason;
    }

    /** Returns whether only this principal is refused. */
    public boolean isOfPrincipal() {
        return ofPrincipal;
    }

    /** Returns when it is worth to try again. */
    public Duration retryAfter() {
        return retryAfter;
    }

    Answer answer() {
        return Answer.refusal(ofPrincipal ? 429 : 503, reason, String.valueOf(getMessage()))
                .with("Retry-After", Long.toString(Math.max(1, retryAfter.toSeconds())));
    }
}
