package dev.acp4j;

/**
 * Answers a request of one method, usually an extension.
 *
 * @param <C> who asks: a {@link ConnectedClient} asks agents, an {@link ConnectedAgent} clients
 * @param <P> its params
 * @param <R> its result
 */
@FunctionalInterface
public interface RequestHandler<C extends Peer, P, R> {
    /**
     * Returns the result. Runs on a thread of its own, which is interrupted when the peer cancels the request.
     *
     * @param peer who asks
     * @param params the params
     * @throws Exception to fail the request, as for {@link Agent.PromptHandler#prompt}
     */
    R handle(C peer, P params) throws Exception;
}
