package dev.acp4j.cli.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A session that the user talks in. What acp has to remember of it is written when a prompt is sent and when the user
 * sets an option: a process that is killed loses nothing.
 *
 * <p>The lock guards the notes and the settings; nothing is sent or written while holding it.
 */
public final class OpenedSession {
    /** How a session was opened. */
    public enum How {
        /** It is new. */
        NEW,
        /** The agent has replayed the conversation. */
        LOADED,
        /** The agent knows the conversation, and has not replayed it. */
        RESUMED
    }

    private final Session session;
    private final How how;
    private final String agentName;
    private final RememberedSessions memory;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<String> notes = new ArrayList<>();

    @GuardedBy("lock")
    private final Map<String, String> settings = new LinkedHashMap<>();

    @GuardedBy("lock")
    private boolean hasFailed;

    /** Whether there is something to continue: an agent may not keep a session without a prompt. */
    private volatile boolean isWorthIt;

    /** @param agentName the command line of the agent, without secrets */
    OpenedSession(Session session, How how, String agentName, RememberedSessions memory) {
        this.session = session;
        this.how = how;
        this.agentName = agentName;
        this.memory = memory;
        this.isWorthIt = how != How.NEW;
    }

    public Session session() {
        return session;
    }

    public How how() {
        return how;
    }

    /** Returns what the user must know about the session, a line each, once. */
    public List<String> takeNotes() {
        lock.lock();
        try {
            List<String> taken = List.copyOf(notes);
            notes.clear();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Sends a prompt. */
    public Turn prompt(List<ContentBlock> content) throws InterruptedException {
        isWorthIt = true;
        remember();
        return session.prompt(content);
    }

    /** Returns the options of the session; what the user sets is remembered. */
    public ConfigOptions options() {
        return new ConfigOptions(session, this::set);
    }

    /** Adds a note. */
    void note(String text) {
        lock.lock();
        try {
            notes.add(text);
        } finally {
            lock.unlock();
        }
    }

    /** Keeps what the user had set before, by the ids of the options, until the user sets something else. */
    void keep(Map<String, String> earlier) {
        lock.lock();
        try {
            settings.putAll(earlier);
        } finally {
            lock.unlock();
        }
    }

    /** Returns what the user has set, by the ids of the options. */
    Map<String, String> settings() {
        lock.lock();
        try {
            return new LinkedHashMap<>(settings);
        } finally {
            lock.unlock();
        }
    }

    /** Notes that the user has set a value, which the session has. */
    void isSet(SessionConfigOption option, SessionConfigOptionValue value) {
        lock.lock();
        try {
            settings.put(option.id().value(), ConfigOptions.text(value));
        } finally {
            lock.unlock();
        }
    }

    private void set(SessionConfigOption option, SessionConfigOptionValue value) throws InterruptedException {
        session.setConfigOption(option.id(), value);
        isSet(option, value);
        remember();
    }

    /** Of an agent that lists its sessions, only the settings of the user are remembered. */
    private void remember() {
        Map<String, String> set;
        lock.lock();
        try {
            set = Map.copyOf(settings);
        } finally {
            lock.unlock();
        }
        if (!isWorthIt || (set.isEmpty() && session.agent().supports(Feature.LIST_SESSIONS))) {
            return;
        }
        try {
            memory.put(new RememberedSessions.Remembered(
                    agentName,
                    session.cwd().toString(),
                    session.id().value(),
                    session.view().title().orElse(null),
                    Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                    set));
        } catch (IOException e) {
            failed(e);
        }
    }

    private void failed(IOException e) {
        lock.lock();
        try {
            if (!hasFailed) {
                notes.add("acp cannot remember this session for --continue: " + IoProblem.text(e));
            }
            hasFailed = true;
        } finally {
            lock.unlock();
        }
    }
}
