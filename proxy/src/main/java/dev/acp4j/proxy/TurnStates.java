package dev.acp4j.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is inside a component, in version 2, and decides whether a turn ends: states that its successor has reported,
 * and it has not yet; and cancellations that it has not passed on. When it dies, both are sent in its place. Otherwise
 * a client would wait for ever for the end of a turn.
 *
 * <p>The lock guards them; nothing is called while it is held.
 */
final class TurnStates {
    private static final Names UPDATE = Names.of("update");
    private static final Names STATE = Names.of("sessionUpdate", "state");

    /** A component may keep states to itself, such as those of a prompt of its own. */
    private static final int MOST = 16;

    private record Reported(String state, Message update) {}

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, Deque<Reported>> inside = new HashMap<>();

    @GuardedBy("lock")
    private final Set<String> cancellations = new HashSet<>();

    /** A turn of a session is to be cancelled: the component gets that, or has passed it on. */
    void cancel(String session, boolean isPassedOn) {
        lock.lock();
        try {
            boolean unused = isPassedOn ? cancellations.remove(session) : cancellations.add(session);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the sessions whose cancellation is inside, once. */
    List<String> takeCancellations() {
        lock.lock();
        try {
            List<String> all = List.copyOf(cancellations);
            cancellations.clear();
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** An update goes to the component. */
    void told(Message update) {
        String state = state(update);
        if (state == null) {
            return;
        }
        RawJson params = update.params();
        Message kept = Message.notification(update.method(), params == null ? null : params.copy());
        lock.lock();
        try {
            Deque<Reported> of = inside.computeIfAbsent(update.session(), session -> new ArrayDeque<>());
            of.add(new Reported(state, kept));
            if (of.size() > MOST) {
                of.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The component has sent an update: what came before it is not inside any more. */
    void said(Message update) {
        String state = state(update);
        if (state == null) {
            return;
        }
        lock.lock();
        try {
            if (state.equals("idle")) {
                // A component may have kept the cancellation to itself; there is nothing more to cancel.
                cancellations.remove(update.session());
            }
            Deque<Reported> of = inside.get(update.session());
            if (of == null || of.stream().noneMatch(one -> one.state.equals(state))) {
                return;
            }
            List<Reported> later = new ArrayList<>();
            while (!of.getLast().state.equals(state)) {
                later.addFirst(of.removeLast());
            }
            of.clear();
            of.addAll(later);
            if (of.isEmpty()) {
                inside.remove(update.session());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns what is inside, in order for each session. */
    List<Message> inside() {
        lock.lock();
        try {
            List<Message> all = new ArrayList<>();
            inside.values().forEach(of -> of.forEach(one -> all.add(one.update)));
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the state that an update reports; null if it reports something else. */
    static @Nullable String state(Message message) {
        RawJson params = message.params();
        if (params == null) {
            return null;
        }
        JsonReader in = params.reader();
        try {
            in.beginObject();
            int member;
            while ((member = in.member(UPDATE)) != JsonReader.END) {
                if (member == 0) {
                    return stateOf(in);
                }
                in.skip();
            }
        } catch (JsonException e) {
            // The component or the client says what is wrong with it.
        }
        return null;
    }

    private static @Nullable String stateOf(JsonReader in) {
        String state = null;
        boolean isState = false;
        in.beginObject();
        int member;
        while ((member = in.member(STATE)) != JsonReader.END && !(isState && state != null)) {
            switch (member) {
                case 0 -> {
                    if (!in.string().equals("state_update")) {
                        return null;
                    }
                    isState = true;
                }
                case 1 -> state = in.string();
                default -> in.skip();
            }
        }
        return isState ? state : null;
    }
}
