package dev.acp4j.proxy;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Unstable;
import java.util.Objects;
import java.util.function.Function;

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
     * @param session its id
     * @param method the method: {@code session/new}, {@code session/load}, {@code session/resume} or
     *     {@code session/fork}
     * @param params the params of that request, as they went on
     */
    @Unstable
    public record Opening(SessionId session, String method, RawJson params) {}

    private final Function<? super Opening, ? extends S> make;

    private SessionState(Function<? super Opening, ? extends S> make) {
        this.make = make;
    }

    /** Returns a state that is made when a session is opened. */
    public static <S> SessionState<S> of(Function<? super Opening, ? extends S> make) {
        return new SessionState<>(Objects.requireNonNull(make));
    }

    S make(Opening opening) {
        return Objects.requireNonNull(make.apply(opening), "the state of a session is null");
    }
}
