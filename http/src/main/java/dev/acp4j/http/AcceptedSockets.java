package dev.acp4j.http;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.io.SelectorManager;

/**
 * The sockets that are open at the server. Jetty forgets those that it accepts while it stops: they would stay open,
 * and their clients would wait for an answer.
 */
final class AcceptedSockets implements SelectorManager.AcceptListener {
    private final Set<SelectableChannel> open = ConcurrentHashMap.newKeySet();
    private volatile boolean isStopped;

    /** Adds one, before Jetty does anything else with it. */
    void add(SelectableChannel channel) {
        open.add(channel);
        if (isStopped) {
            close(channel);
        }
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        open.remove(channel);
    }

    @Override
    public void onClosed(SelectableChannel channel) {
        open.remove(channel);
    }

    /** Closes those that are still open, when the server has stopped. */
    void close() {
        isStopped = true;
        open.forEach(AcceptedSockets::close);
    }

    private static void close(SelectableChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            System.getLogger("dev.acp4j.http").log(System.Logger.Level.WARNING, "a socket was not closed", e);
        }
    }
}
