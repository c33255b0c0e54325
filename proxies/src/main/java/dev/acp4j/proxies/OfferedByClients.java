package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientCapabilities;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** What each client has offered in version 1 when it initialized the agent; nothing in version 2, which lacks it. */
final class OfferedByClients {
    /** Guards what is known; nothing else happens while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Gone with the connection. */
    @GuardedBy("lock")
    private final Map<Neighbour, ClientCapabilities> offered = new WeakHashMap<>();

    Proxy.Builder addTo(Proxy.Builder proxy) {
        return proxy.onRequest(AgentMethods.INITIALIZE, (params, hop) -> {
            lock.lock();
            try {
                offered.put(hop.client(), params.clientCapabilities());
            } finally {
                lock.unlock();
            }
            return hop.forward();
        });
    }

    ClientCapabilities of(Neighbour client) {
        lock.lock();
        try {
            return offered.getOrDefault(client, ClientCapabilities.NONE);
        } finally {
            lock.unlock();
        }
    }
}
