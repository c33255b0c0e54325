package dev.acp4j.cli.prompt;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Timeline;
import dev.acp4j.TurnResult;
import dev.acp4j.cli.command.DroppedMessages;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.session.EventJson;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.schema.RequestPermissionOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The events as JSON on standard output.
 *
 * <p>The lock keeps lines complete and ordered: nothing precedes the first line or follows the last.
 */
final class JsonOutput implements TurnOutput {
    /** The maximum number of characters buffered until the session is open. */
    private static final int MOST_EARLY = 16 << 20;

    private final Streams streams;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final EventJson json;

    /** Lines of events before the first line was printed; null afterwards. */
    @GuardedBy("lock")
    private @Nullable List<Early> early = new ArrayList<>();

    /** Whether the line that is being made is part of the conversation. */
    @GuardedBy("lock")
    private boolean isSaid;

    @GuardedBy("lock")
    private long earlyLength;

    @GuardedBy("lock")
    private boolean hasEnded;

    private record Early(String line, boolean isSaid) {}

    JsonOutput(Streams streams) {
        this.streams = streams;
        this.json = new EventJson(this::print);
    }

    @Override
    public void begins(ConnectedAgent agent, Session session, boolean isReplayed) {
        lock.lock();
        try {
            List<Early> waiting = Objects.requireNonNull(early);
            early = null;
            json.session(agent, session);
            for (Early each : waiting) {
                if (!isReplayed || !each.isSaid) {
                    print(each.line);
                }
            }
            if (earlyLength > MOST_EARLY) {
                log("protocol: the agent sent too much before the session was open; some updates were discarded");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Buffers events that arrive before the line that reports the open session. */
    private void print(String line) {
        lock.lock();
        try {
            if (early == null) {
                streams.out().json(line);
            } else if ((earlyLength += line.length()) <= MOST_EARLY) {
                early.add(new Early(line, isSaid));
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void event(Session session, SessionEvent event) {
        lock.lock();
        try {
            if (!hasEnded) {
                isSaid = isSaid(event);
                json.event(session, event);
            }
            Timeline timeline = session.view().timeline();
            timeline.forgetMessages(timeline.revision());
        } finally {
            lock.unlock();
        }
    }

    private static boolean isSaid(SessionEvent event) {
        return switch (event) {
            case SessionEvent.CommandsChanged commands -> false;
            case SessionEvent.ConfigChanged config -> false;
            case SessionEvent.InfoChanged info -> false;
            case SessionEvent.UsageChanged usage -> false;
            default -> true;
        };
    }

    @Override
    public void permission(PermissionQuestion request, RequestPermissionOutcome outcome) {
        lock.lock();
        try {
            if (!hasEnded) {
                json.permission(request, outcome);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void dropped(int count) {
        lock.lock();
        try {
            json.dropped(count);
        } finally {
            lock.unlock();
        }
        DroppedMessages.failure(count).tell(streams);
    }

    @Override
    public void ends(TurnResult result, ExitCode code) {
        lock.lock();
        try {
            hasEnded = true;
            json.result(result, code);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void failed(Failure failure) {
        lock.lock();
        try {
            hasEnded = true;
            early = null;
            json.error(failure.message(), failure.details(), failure.code());
        } finally {
            lock.unlock();
        }
        failure.tell(streams);
    }

    @Override
    public void log(String line) {
        streams.err().println(line);
    }
}
