package dev.acp4j;

import dev.acp4j.rpc.Problem;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** The listeners of one session: first those of the client, then those of the session. */
final class SessionListeners {
    private final List<Session.Listener> ofClient;
    private final List<Session.Listener> ofSession = new CopyOnWriteArrayList<>();
    private final Consumer<Problem> onProblem;

    SessionListeners(List<Session.Listener> ofClient, Consumer<Problem> onProblem) {
        this.ofClient = ofClient;
        this.onProblem = onProblem;
    }

    Session.Subscription add(Session.Listener listener) {
        ofSession.add(listener);
        // One listener may be registered twice: closing one registration twice must leave the other alone.
        AtomicBoolean closed = new AtomicBoolean();
        return () -> {
            if (closed.compareAndSet(false, true)) {
                ofSession.remove(listener);
            }
        };
    }

    boolean isEmpty() {
        return ofClient.isEmpty() && ofSession.isEmpty();
    }

    void notify(Session session, SessionEvent event) {
        notify(ofClient, session, event);
        notify(ofSession, session, event);
    }

    private void notify(List<Session.Listener> listeners, Session session, SessionEvent event) {
        for (Session.Listener listener : listeners) {
            try {
                listener.event(session, event);
            } catch (RuntimeException | Error e) {
                // It is reported, and the others hear of the event all the same.
                onProblem.accept(new Problem(Problem.Kind.NOTIFICATION_FAILED, "a session listener failed: " + e, e));
            }
        }
    }
}
