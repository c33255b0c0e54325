package dev.acp4j.nes;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.ConnectedClient;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Unstable;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A session of suggestions on the agent's side. Thread-safe.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Unstable
public final class AgentNesSession {
    // The lock guards which threads work in the session and whether it has ended. Nothing waits while holding it, but
    // for the condition.

    private final SessionId id;
    private final ConnectedClient client;
    private final StartNesRequest workspace;
    private final PositionEncoding positionEncoding;
    private final SuggestionKinds kinds;
    private final ConcurrentHashMap<String, TextDocument> documents = new ConcurrentHashMap<>();
    private volatile List<SessionConfigOption> configOptions = List.of();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition isIdle = lock.newCondition();

    @GuardedBy("lock")
    private final Set<Thread> working = new HashSet<>();

    @GuardedBy("lock")
    private boolean hasEnded;

    AgentNesSession(SessionId id, ConnectedClient client, StartNesRequest workspace) {
        this.id = id;
        this.client = client;
        this.workspace = workspace;
        this.positionEncoding = Objects.requireNonNullElse(
                Negotiation.chosen(client.capability(Negotiation.ENCODINGS).orElse(null)), PositionEncoding.UTF_16);
        this.kinds = Objects.requireNonNullElse(
                Negotiation.read(client.capability(Negotiation.NES).orElse(null), SuggestionKindsCodec.INSTANCE),
                SuggestionKinds.EDITS);
    }

    /** Returns its id. */
    public SessionId id() {
        return id;
    }

    /** Returns the client. */
    public ConnectedClient client() {
        return client;
    }

    /** Returns what the client said of the workspace. */
    public StartNesRequest workspace() {
        return workspace;
    }

    /** Returns what the characters of positions are counted in, in both directions. */
    public PositionEncoding positionEncoding() {
        return positionEncoding;
    }

    /** Returns which kinds of suggestions the client takes. */
    public SuggestionKinds kinds() {
        return kinds;
    }

    /**
     * Returns a document that is open in the editor, as it is after the events so far. It may be newer than a request
     * that is being answered: compare {@link TextDocument#version()}. Empty if it is not open, or if the agent did not
     * ask for the events that keep it up to date.
     */
    public Optional<TextDocument> document(String uri) {
        return Optional.ofNullable(documents.get(uri));
    }

    /** Returns all documents that are open in the editor; see {@link #document}. */
    public List<TextDocument> documents() {
        return List.copyOf(documents.values());
    }

    /** Returns the settings that it offers. */
    public List<SessionConfigOption> configOptions() {
        return configOptions;
    }

    /**
     * Sets the settings that it offers, most important first. To be called by the handler
     * {@link NesAgent.Builder#onStart}; the client gets them with its answer.
     */
    public void configOptions(List<SessionConfigOption> options) {
        configOptions = List.copyOf(options);
    }

    // ---- for the agent

    /** Keeps the documents as they are in the editor. */
    void follow(DocumentEvent event) {
        switch (event) {
            case DocumentEvent.Opened opened ->
                documents.put(
                        opened.uri(),
                        TextDocument.of(
                                opened.uri(), opened.languageId(), opened.version(), opened.text(), positionEncoding));
            case DocumentEvent.Changed changed -> {
                TextDocument before = documents.get(changed.uri());
                if (before != null) {
                    try {
                        documents.put(changed.uri(), before.changed(changed.version(), changed.contentChanges()));
                    } catch (RuntimeException e) {
                        // What is kept must be what the editor has.
                        documents.remove(changed.uri());
                        throw e;
                    }
                }
            }
            case DocumentEvent.Closed closed -> documents.remove(closed.uri());
            case DocumentEvent.Saved saved -> {}
            case DocumentEvent.Focused focused -> {}
        }
    }

    /** Works on this thread, which is interrupted when the session ends. */
    <T> T work(Callable<T> work) throws Exception {
        begin();
        try {
            T result = work.call();
            requireOpen();
            return result;
        } catch (Exception e) {
            requireOpen();
            throw e;
        } finally {
            leave();
        }
    }

    private void requireOpen() {
        lock.lock();
        try {
            if (hasEnded) {
                throw RpcError.cancelled();
            }
        } finally {
            lock.unlock();
        }
    }

    private void begin() {
        lock.lock();
        try {
            if (hasEnded) {
                throw RpcError.sessionNotFound(id.value());
            }
            working.add(Thread.currentThread());
        } finally {
            lock.unlock();
        }
    }

    private void leave() {
        lock.lock();
        try {
            working.remove(Thread.currentThread());
            isIdle.signalAll();
            if (hasEnded) {
                // The interrupt has done its work; the answer is still to be written.
                boolean unused = Thread.interrupted();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts what works in the session, and waits for it as long as a connection waits for handlers. */
    void end() throws InterruptedException {
        lock.lock();
        try {
            hasEnded = true;
            working.forEach(Thread::interrupt);
            long left = client.rpc().limits().drainTime().toNanos();
            while (!working.isEmpty() && left > 0) {
                left = isIdle.awaitNanos(left);
            }
        } finally {
            lock.unlock();
            documents.clear();
        }
    }
}
