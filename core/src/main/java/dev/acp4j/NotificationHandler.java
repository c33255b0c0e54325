package dev.acp4j;

/**
 * Takes a notification of one method, usually an extension.
 *
 * @param <C> who sends it: a {@link ConnectedClient} sends to agents, an {@link ConnectedAgent} to clients
 * @param <P> its params
 */
@FunctionalInterface
public interface NotificationHandler<C extends Peer, P> {
    /**
     * Handles the notification. Notifications of one session are handled one after another, in the order of the wire.
     *
     * @param peer who sent it
     * @param params the params
     * @throws Exception is reported and changes nothing else
     */
    void handle(C peer, P params) throws Exception;
}
