package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.schema.InitializeResponse;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** What each agent offers as a proxy sees it, with what proxies behind it add: a bridge, for example. */
final class OfferedByAgents {
    /** Guards what is known; nothing else happens while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Gone with the connection. */
    @GuardedBy("lock")
    private final Map<Neighbour, InitializeResponse> offered = new WeakHashMap<>();

    void offers(Neighbour agent, InitializeResponse answer) {
        lock.lock();
        try {
            offered.put(agent, answer);
        } finally {
            lock.unlock();
        }
    }

    Optional<InitializeResponse> of(Neighbour agent) {
        lock.lock();
        try {
            return Optional.ofNullable(offered.get(agent));
        } finally {
            lock.unlock();
        }
    }
}
