package dev.acp4j.proxy;

import dev.acp4j.rpc.Message;
import dev.acp4j.schema.Unstable;

/**
 * A notification on its way.
 *
 * @param <P> the params
 */
@Unstable
public final class NotificationHop<P> extends Hop {
    /** Sends the notification on; null for the params as they came. */
    interface Onward<P> {
        void forward(P params) throws InterruptedException;
    }

    private final P came;
    private final Onward<P> onward;
    private boolean forwarded;

    NotificationHop(Interceptions interceptions, Entry entry, Message message, P came, Onward<P> onward) {
        super(interceptions, entry, message);
        this.came = came;
        this.onward = onward;
    }

    /**
     * Forwards the notification as it came.
     *
     * @throws InterruptedException when interrupted while waiting for room
     */
    public void forward() throws InterruptedException {
        forward(came);
    }

    /**
     * Forwards the notification with other params: members that they do not change keep their bytes. May be called more
     * than once.
     *
     * @throws InterruptedException when interrupted while waiting for room
     */
    public void forward(P params) throws InterruptedException {
        forwarded = true;
        waiting(true);
        try {
            onward.forward(params);
        } finally {
            waiting(false);
        }
    }

    boolean isForwarded() {
        return forwarded;
    }
}
