package dev.acp4j;

/**
 * Answers a request of one method, usually an extension.
 *
 * @param <P> its params
 * @param <R> its result
 */
@FunctionalInterface
public interface RequestHandler<P, R> {
    /**
     * Returns the result. Runs on a virtual thread of its own, which is interrupted when the peer cancels the request.
     *
     * @param params the params
     * @throws Exception to fail the request, as for {@link PromptHandler#prompt}
     */
    R handle(P params) throws Exception;
}
