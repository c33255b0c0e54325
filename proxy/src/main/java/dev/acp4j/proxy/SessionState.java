package dev.acp4j.proxy;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Unstable;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a proxy keeps for each session, and the key by which it is found.
 *
 * <pre>{@code
 * SessionState<List<String>> seen = SessionState.of(opening -> new ArrayList<>());
 * Proxy.builder("seen", "1.0").state(seen).onPrompt((prompt, hop) -> {
 *     hop.state(seen).add(prompt.toString());
 *     return hop.forward();
 * });
 * }</pre>
 *
 * <p>Interceptors of one session and direction run one after another. What both directions use must be safe for that.
 *
 * @param <S> what is kept
 */
@Unstable
public final class SessionState<S> {
    /**
     * How a session is opened.
     *
     * @param client the client that opens it, the same object for all that one connection opens
     * @param session its id
     * @param method the method: {@code session/new}, {@code session/load}, {@code session/resume} or
     *     {@code session/fork}
     * @param params the params of that request, as they went on
     * @param from the session of which it is a copy; null unless it was forked
     * @param passedOn for a session that was opened before this program was started, when a conductor has started it
     *     again: the params as the program before it has passed them on, while {@code params} are as they came to it;
     *     null for others, and where the conductor does not know them
     */
    @Unstable
    public record Opening(
            Neighbour client,
            SessionId session,
            String method,
            RawJson params,
            @Nullable SessionId from,
            @Nullable RawJson passedOn) {}

    private final Function<? super Opening, ? extends S> make;
    private final Consumer<? super S> end;

    private SessionState(Function<? super Opening, ? extends S> make, Consumer<? super S> end) {
        this.make = make;
        this.end = end;
    }

    /** Returns a state that is made when a session is opened. */
    public static <S> SessionState<S> of(Function<? super Opening, ? extends S> make) {
        return of(make, ended -> {});
    }

    /**
     * Returns a state that is made when a session is opened, with something to do at its end.
     *
     * @param end called once, when the session is closed or deleted, or the connection has ended; on any thread, and
     *     not for long
     */
    public static <S> SessionState<S> of(Function<? super Opening, ? extends S> make, Consumer<? super S> end) {
        return new SessionState<>(Objects.requireNonNull(make), Objects.requireNonNull(end));
    }

    S make(Opening opening) {
        return Objects.requireNonNull(make.apply(opening), "the state of a session is null");
    }

    @SuppressWarnings("unchecked") // It was made here.
    void end(Object made) {
        end.accept((S) made);
    }
}
