package dev.acp4j.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/** Where the time of the last turns has gone. The lock guards them; nothing is called while it is held. */
final class TurnTimes {
    private static final int LAST = 256;
    private static final int SLOWEST = 5;

    private final ReentrantLock lock = new ReentrantLock();

    /** What components have spent in turns that run, by their sessions. */
    @GuardedBy("lock")
    private final Map<String, Map<String, Duration>> running = new HashMap<>();

    @GuardedBy("lock")
    private final ArrayDeque<TurnTime> ended = new ArrayDeque<>();

    /** A turn begins. */
    void begins(String session) {
        lock.lock();
        try {
            running.putIfAbsent(session, new TreeMap<>());
        } finally {
            lock.unlock();
        }
    }

    /** A component has answered the prompt of a turn. */
    void spent(String session, String component, long nanos) {
        lock.lock();
        try {
            Map<String, Duration> turn = running.get(session);
            if (turn != null) {
                turn.merge(component, Duration.ofNanos(nanos), Duration::plus);
            }
        } finally {
            lock.unlock();
        }
    }

    /** A turn has ended. */
    void ends(String session, long nanos) {
        lock.lock();
        try {
            Map<String, Duration> turn = running.remove(session);
            if (turn != null) {
                ended.add(new TurnTime(session, Duration.ofNanos(nanos), turn));
                if (ended.size() > LAST) {
                    ended.remove();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the slowest of the last turns, the slowest first. */
    List<TurnTime> slowest() {
        List<TurnTime> all;
        lock.lock();
        try {
            all = new ArrayList<>(ended);
        } finally {
            lock.unlock();
        }
        all.sort(Comparator.comparing(TurnTime::total).reversed());
        return List.copyOf(all.subList(0, Math.min(SLOWEST, all.size())));
    }
}
