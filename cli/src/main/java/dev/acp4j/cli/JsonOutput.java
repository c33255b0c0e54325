package dev.acp4j.cli;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.AgentConnection;
import dev.acp4j.PermissionRequest;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.StopReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What happens, as JSON on standard output.
 *
 * <p>The lock keeps lines whole and in order: nothing comes before the first or after the last.
 */
final class JsonOutput implements TurnOutput {
    private final Streams streams;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final EventJson json;

    /** What happened before the first line was printed; null from then on. */
    @GuardedBy("lock")
    private @Nullable List<Consumer<EventJson>> early = new ArrayList<>();

    @GuardedBy("lock")
    private boolean hasEnded;

    JsonOutput(Streams streams) {
        this.streams = streams;
        this.json = new EventJson(streams.out()::json);
    }

    @Override
    public void begins(AgentConnection agent, Session session) {
        lock.lock();
        try {
            json.session(agent, session);
            List<Consumer<EventJson>> waiting = Objects.requireNonNull(early);
            early = null;
            for (Consumer<EventJson> line : waiting) {
                line.accept(json);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void event(Session session, SessionEvent event) {
        print(to -> to.event(session, event));
    }

    @Override
    public void permission(PermissionRequest request, RequestPermissionOutcome outcome) {
        print(to -> to.permission(request, outcome));
    }

    /** The agent may have something to say before we have said that the session is open. */
    private void print(Consumer<EventJson> line) {
        lock.lock();
        try {
            if (early != null) {
                early.add(line);
            } else if (!hasEnded) {
                line.accept(json);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void ends(StopReason reason, ExitCode code) {
        lock.lock();
        try {
            hasEnded = true;
            json.result(reason, code);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void failed(Failure failure) {
        lock.lock();
        try {
            hasEnded = true;
            json.error(failure.message(), failure.details(), failure.code());
        } finally {
            lock.unlock();
        }
        streams.tell(failure);
    }

    @Override
    public void log(String line) {
        streams.err().println(line);
    }
}
