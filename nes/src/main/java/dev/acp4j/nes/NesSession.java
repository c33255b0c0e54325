package dev.acp4j.nes;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SetSessionConfigOptionRequest;
import dev.acp4j.schema.Unstable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A session of suggestions on the client's side: an editor says what happens to its documents, asks for suggestions,
 * and says what became of them. It is independent of chat sessions; a connection may have many of both. Thread-safe.
 *
 * <pre>{@code
 * var client = Client.builder("editing-session", "1.0");
 * NesSession.advertise(client, SuggestionKinds.ALL, PositionEncoding.UTF_8, PositionEncoding.UTF_16);
 * try (var agent = client.connect(process);
 *         var session = NesSession.start(agent)) {
 *     edit(session);
 * }
 * }</pre>
 *
 * <p>Only what the agent asked for is sent: events of other kinds have no effect on the wire, and other context is
 * removed from requests. So an editor reports everything. Positions are counted in {@link #positionEncoding()};
 * {@link TextDocument} converts from and to indexes into a text.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Unstable
public final class NesSession implements AutoCloseable {
    // The lock guards the documents, and is held while an event is sent, so that the agent sees the events of a
    // document
    // in the order in which they were applied here. Sending may wait for room in the outgoing queue; then other events
    // wait, too, and nothing else does.

    private final ConnectedAgent agent;
    private final SessionId id;
    private final DocumentEvents events;
    private final ContextKinds context;
    private final PositionEncoding positionEncoding;
    private volatile List<SessionConfigOption> configOptions;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, TextDocument> documents = new HashMap<>();

    private NesSession(
            ConnectedAgent agent,
            StartNesResponse started,
            NesCapabilities capabilities,
            PositionEncoding positionEncoding) {
        this.agent = agent;
        this.id = started.sessionId();
        this.configOptions = started.configOptions();
        this.events = capabilities.events().document();
        this.context = capabilities.context();
        this.positionEncoding = positionEncoding;
    }

    // ---- opening

    /**
     * Advertises which suggestions a client takes, and how it can count positions.
     *
     * @param client the client's builder
     * @param kinds the kinds of suggestions that it takes beside edits
     * @param encodings the encodings of positions, the preferred first; UTF-16 if there are none
     * @return the client's builder
     */
    public static Client.Builder advertise(
            Client.Builder client, SuggestionKinds kinds, PositionEncoding... encodings) {
        client.capability(Negotiation.NES, RawJson.encode(kinds, SuggestionKindsCodec.INSTANCE));
        if (encodings.length > 0) {
            client.capability(Negotiation.ENCODINGS, RawJson.encode(List.of(encodings), Negotiation.LIST));
        }
        return client;
    }

    /** Returns whether an agent offers suggestions. */
    public static boolean isOfferedBy(ConnectedAgent agent) {
        return capabilities(agent) != null;
    }

    private static @Nullable NesCapabilities capabilities(ConnectedAgent agent) {
        return Negotiation.read(agent.capability(Negotiation.NES).orElse(null), NesCapabilitiesCodec.INSTANCE);
    }

    /**
     * Starts a session without saying anything of the workspace; see {@link #start(ConnectedAgent, StartNesRequest)}.
     */
    public static NesSession start(ConnectedAgent agent) throws InterruptedException {
        return start(agent, StartNesRequest.builder().build());
    }

    /**
     * Starts a session.
     *
     * @param workspace what the agent may know of the workspace
     * @throws IllegalStateException when the agent does not offer suggestions, see {@link #isOfferedBy}, or counts
     *     positions in a way that no client can have asked for
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.AuthenticationRequiredException when the user must authenticate first; then call this again
     * @throws RpcException when the agent refuses, or is gone
     */
    public static NesSession start(ConnectedAgent agent, StartNesRequest workspace) throws InterruptedException {
        NesCapabilities capabilities = capabilities(agent);
        if (capabilities == null) {
            throw new IllegalStateException("the agent does not offer next edit suggestions");
        }
        PositionEncoding encoding = Objects.requireNonNullElse(
                Negotiation.read(
                        agent.capability(Negotiation.ENCODING).orElse(null), StringValueCodec.POSITION_ENCODING),
                PositionEncoding.UTF_16);
        if (!PositionEncoding.known().contains(encoding)) {
            throw new IllegalStateException(
                    "the agent counts positions in " + encoding + ", expected one of " + PositionEncoding.known());
        }
        return new NesSession(agent, agent.call(NesMethods.START, workspace), capabilities, encoding);
    }

    /** Returns its id. */
    public SessionId id() {
        return id;
    }

    /** Returns the agent. */
    public ConnectedAgent agent() {
        return agent;
    }

    /** Returns the events that the agent asked for. */
    public DocumentEvents events() {
        return events;
    }

    /** Returns the context that the agent asked for. */
    public ContextKinds context() {
        return context;
    }

    /** Returns what the characters of positions are counted in, in both directions. */
    public PositionEncoding positionEncoding() {
        return positionEncoding;
    }

    // ---- documents

    /** Returns a document that is open. */
    public Optional<TextDocument> document(String uri) {
        lock.lock();
        try {
            return Optional.ofNullable(documents.get(uri));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reports that a document was opened, and follows it from now on.
     *
     * @param uri its URI
     * @param languageId its language, such as {@code java}
     * @param version its version, which increases with each change
     * @param text its text
     * @throws InterruptedException when interrupted while waiting for room in the outgoing queue
     * @throws dev.acp4j.rpc.ConnectionClosedException when the connection has ended
     */
    public TextDocument didOpen(String uri, String languageId, long version, String text) throws InterruptedException {
        TextDocument opened = TextDocument.of(uri, languageId, version, text, positionEncoding);
        lock.lockInterruptibly();
        try {
            send(events.didOpen(), NesMethods.DID_OPEN, DocumentEvent.Opened.of(id, uri, languageId, version, text));
            documents.put(uri, opened);
        } finally {
            lock.unlock();
        }
        return opened;
    }

    /**
     * Reports that a document was changed. An agent that wants whole texts gets the text after the changes.
     *
     * @param version its version after the changes
     * @param changes the changes, which apply one after another
     * @return the document after the changes
     * @throws IllegalStateException when the document is not open
     * @throws IllegalArgumentException when a range ends before it begins
     * @throws InterruptedException when interrupted while waiting for room in the outgoing queue
     * @throws dev.acp4j.rpc.ConnectionClosedException when the connection has ended
     */
    public TextDocument didChange(String uri, long version, List<ContentChange> changes) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            TextDocument changed = open(uri).changed(version, changes);
            boolean isWhole =
                    events.didChange() != null && !events.didChange().syncKind().equals(SyncKind.INCREMENTAL);
            send(
                    events.didChange(),
                    NesMethods.DID_CHANGE,
                    DocumentEvent.Changed.of(
                            id, uri, version, isWhole ? List.of(ContentChange.whole(changed.text())) : changes));
            // Only now: if nothing was sent, the agent has the text before.
            documents.put(uri, changed);
            return changed;
        } finally {
            lock.unlock();
        }
    }

    /** Reports that a document was closed; see {@link #didOpen}. */
    public void didClose(String uri) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            send(events.didClose(), NesMethods.DID_CLOSE, DocumentEvent.Closed.of(id, uri));
            documents.remove(uri);
        } finally {
            lock.unlock();
        }
    }

    /** Reports that a document was saved; see {@link #didOpen}. */
    public void didSave(String uri) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            send(events.didSave(), NesMethods.DID_SAVE, DocumentEvent.Saved.of(id, uri));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reports that the user switched to a document, each time; see {@link #didOpen}.
     *
     * @param cursor where the cursor is
     * @param visible what of the document can be seen
     * @throws IllegalStateException when the document is not open
     */
    public void didFocus(String uri, Position cursor, Range visible) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long version = open(uri).version();
            send(events.didFocus(), NesMethods.DID_FOCUS, DocumentEvent.Focused.of(id, uri, version, cursor, visible));
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private TextDocument open(String uri) {
        TextDocument document = documents.get(uri);
        if (document == null) {
            throw new IllegalStateException("the document is not open: " + uri);
        }
        return document;
    }

    private <P> void send(@Nullable Object wanted, Method<P, Void> method, P event) throws InterruptedException {
        if (wanted != null) {
            agent.send(method, event);
        }
    }

    // ---- suggestions

    /**
     * Asks for suggestions at the cursor, without context; see {@link #suggest(SuggestNesRequest)}.
     *
     * @param uri a document that is open
     * @param cursor where the cursor is
     * @param trigger the reason
     */
    public List<Suggestion> suggest(String uri, Position cursor, TriggerKind trigger) throws InterruptedException {
        return suggest(request(uri, cursor, trigger).build());
    }

    /**
     * Begins a request for suggestions, to add a selection and context.
     *
     * @throws IllegalStateException when the document is not open
     */
    public SuggestNesRequestBuilder request(String uri, Position cursor, TriggerKind trigger) {
        lock.lock();
        try {
            return SuggestNesRequest.builder(id, uri, open(uri).version(), cursor, trigger);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks for suggestions and waits for them. Context that the agent did not ask for is removed, and so is what
     * exceeds the number of items that it asked for: the oldest of what the user changed and did, the last of the
     * recent files. Interrupt the thread when the suggestions are not needed any more.
     *
     * @return the suggestions, possibly none; those of unknown kinds included
     * @throws InterruptedException when interrupted; the request is cancelled at the agent
     * @throws RpcException when the agent refuses, does not answer in time, or is gone
     */
    public List<Suggestion> suggest(SuggestNesRequest request) throws InterruptedException {
        SuggestNesRequest wanted =
                request.toBuilder().context(request.context().only(context)).build();
        return agent.call(NesMethods.SUGGEST, wanted).suggestions();
    }

    /** Reports that the user has accepted a suggestion; see {@link #didOpen}. */
    public void accept(SuggestionId suggestion) throws InterruptedException {
        agent.send(NesMethods.ACCEPT, AcceptNesNotification.of(id, suggestion));
    }

    /**
     * Reports that a suggestion was not accepted; see {@link #didOpen}.
     *
     * @param reason why, or null to say nothing
     */
    public void reject(SuggestionId suggestion, @Nullable RejectReason reason) throws InterruptedException {
        agent.send(NesMethods.REJECT, RejectNesNotification.of(id, suggestion, reason));
    }

    // ---- settings

    /** Returns the settings that the agent offers for this session. */
    public List<SessionConfigOption> configOptions() {
        return configOptions;
    }

    /**
     * Sets an option.
     *
     * @return all options as they are now
     * @throws InterruptedException when interrupted
     * @throws RpcException when the agent refuses, or is gone
     */
    public List<SessionConfigOption> setConfigOption(SessionConfigId option, SessionConfigOptionValue value)
            throws InterruptedException {
        configOptions = agent.call(AgentMethods.SET_CONFIG_OPTION, SetSessionConfigOptionRequest.of(id, option, value))
                .configOptions();
        return configOptions;
    }

    /**
     * Closes the session at the agent, which cancels the requests that it works on. An error of the agent is ignored.
     */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            if (agent.isOpen()) {
                CloseNesResponse unused = agent.call(NesMethods.CLOSE, CloseNesRequest.of(id));
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (RpcException e) {
            // The session is over either way.
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
