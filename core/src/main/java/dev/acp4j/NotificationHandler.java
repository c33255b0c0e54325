package dev.acp4j;

/**
 * Takes a notification of one method, usually an extension.
 *
 * @param <P> its params
 */
@FunctionalInterface
public interface NotificationHandler<P> {
    /**
     * Handles the notification. Notifications of one session are handled one after another, in the order of the wire.
     *
     * @param params the params
     * @throws Exception is reported and changes nothing else
     */
    void handle(P params) throws Exception;
}
