package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.MessageTooLargeException;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client elsewhere, as the transport of its agent: a queue of what it sent, bounded in bytes, and a stream for each
 * session and one for the rest. It does not end with a request or a stream, but by {@link #end}, when nobody has read
 * for too long, or with the agent.
 *
 * <p>The lock guards the queue, the routes and the state, and which streams there are. It is taken before the locks of
 * the streams, and never held while writing to the client or calling the agent.
 */
final class RemoteConnection implements RemoteClient, OutboundStream.Owner {
    /** What a waiting message takes beside its bytes. */
    private static final int BYTES_BESIDE = 1024;

    /** So much waits of what an agent says before it is here: there is a queue already. */
    private static final long OUTBOX_BYTES = 64 * 1024;

    /** So much may wait of a client that reads and whose agent cannot wait for it, whatever others have. */
    private static final long READING = 1024 * 1024;

    /** After so many times of no progress the connection of a client ends, if there is too little for others. */
    private static final int STALLS = 2;

    /** How long the streams of an agent that has ended can still be read. */
    static final Duration LINGER = Duration.ofSeconds(60);

    enum State {
        /** Not initialized yet. */
        NEW,
        LIVE,
        /** The agent has ended; its last frames can be read. */
        ENDING,
        GONE
    }

    /** What became of a message of the client. */
    enum Delivery {
        ACCEPTED,
        /** There is no connection any more. */
        GONE,
        /** The client has left before there was room. */
        ABANDONED
    }

    /** Where the connection belongs. */
    interface Home {
        ServerLimits limits();

        boolean isDurable();

        Time time();

        /** Returns what is held for all clients. */
        MemoryBudget memory();

        /** Returns where a new connection is kept. */
        ConnectionStore keep(String id, Principal principal);

        /** The connection ends, for a reason that may be shown; without a lock. */
        void ended(RemoteConnection connection, String reason);

        /** The agent has closed its transport; without a lock. */
        void released(RemoteConnection connection);

        /** Somebody reads a stream, perhaps behind what an earlier reader has got; without a lock. */
        void streamOpened(RemoteConnection connection, boolean resumes);

        /** Somebody reads a stream no longer; without a lock. */
        void streamClosed(RemoteConnection connection);

        /** A turn has ended, something was sent, or a reader has left; without a lock. */
        void progressed();
    }

    /** The WebSocket that reads all streams. */
    interface Socket {
        /** Returns where the frames of a session's stream go that begins now. */
        FrameSink sink(String session);

        /** Writes nothing while something runs that has several streams begin. */
        void hold(Runnable action);

        /** No stream will begin any more: closes when all have ended. */
        void finish(int code, String reason);

        /** Closes behind what is being written. */
        void close(int code, String reason);
    }

    private final String id;
    private final Principal principal;
    private final Home home;
    private final Time time;
    private final long madeAt;
    private final ConnectionStore store;
    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled whenever something else than before may be true. */
    private final Condition changed = lock.newCondition();

    /** What the client has sent and the agent has not read. */
    private final Inbox inbox;

    @GuardedBy("lock")
    private State state = State.NEW;

    @GuardedBy("lock")
    private boolean outputEnded;

    @GuardedBy("lock")
    private final Routes routes = new Routes();

    @GuardedBy("lock")
    private final Streams streams;

    @GuardedBy("lock")
    private final Replays replays;

    @GuardedBy("lock")
    private final TurnStates states = new TurnStates(routes);

    /** Many clients send no keys. */
    @GuardedBy("lock")
    private @Nullable Keys keys;

    /** The answer to {@code initialize}, until somebody takes it. */
    @GuardedBy("lock")
    private @Nullable Message initialized;

    @GuardedBy("lock")
    private @Nullable Consumer<@Nullable Message> onInitialized;

    /** Whether the agent did not answer {@code initialize} in time. */
    @GuardedBy("lock")
    private boolean isLate;

    @GuardedBy("lock")
    private boolean isVersion1 = true;

    @GuardedBy("lock")
    private @Nullable Socket socket;

    @GuardedBy("lock")
    private BooleanSupplier socketValid = () -> true;

    /** Run once when there is room for messages to the client again. */
    @GuardedBy("lock")
    private @Nullable Runnable onSent;

    /** Since when nobody reads; -1 while somebody does. */
    @GuardedBy("lock")
    private long lonelySince;

    @GuardedBy("lock")
    private long endingSince;

    private final MemoryBudget.Waiter waiter;

    /** How much of the inbox is counted; negative when it no longer is. */
    @GuardedBy("lock")
    private long countedInbox;

    /** Whether the next message does not wait for room. */
    @GuardedBy("lock")
    private boolean granted;

    /** Since when the agent waits because the server holds so much for all clients; -1 while it does not. */
    @GuardedBy("lock")
    private long slowedSince = -1;

    @GuardedBy("lock")
    private boolean released;

    @GuardedBy("lock")
    private boolean isRestored;

    /** Whether no client has come since the connection was restored. */
    @GuardedBy("lock")
    private boolean isAwaited;

    /** How many text frames have come on WebSockets since {@code initialize}. */
    @GuardedBy("lock")
    private long received;

    private final Transport.Reader reader = new Inbound();
    private final Transport.Writer writer = new Outbound();

    RemoteConnection(String id, Principal principal, Home home) {
        this(id, principal, home, home.keep(id, principal), List.of());
    }

    private RemoteConnection(
            String id, Principal principal, Home home, ConnectionStore store, List<? extends FileLog> earlier) {
        this.id = id;
        this.principal = principal;
        this.home = home;
        this.time = home.time();
        this.store = store;
        this.waiter = home.memory().waiter(this::wake);
        this.inbox = new Inbox(this::share, BYTES_BESIDE);
        this.streams = new Streams(home, store, this, earlier);
        this.replays = new Replays(streams, home.isDurable());
        this.madeAt = time.nanoTime();
        this.lonelySince = madeAt;
    }

    /**
     * Returns a connection that an earlier process has left. Its agent has ended with that process: clients can read
     * what there is, and that the outcome of requests that were open is unknown.
     */
    static RemoteConnection restored(FileConnection kept, Home home) {
        RemoteConnection restored = new RemoteConnection(kept.id(), kept.principal(), home, kept, kept.earlier());
        restored.concludeFor(kept);
        return restored;
    }

    private void concludeFor(FileConnection kept) {
        RpcError agentLost = new RpcError(
                RpcError.INTERNAL_ERROR,
                "The server was restarted, and the agent ended with it",
                RawJson.parse("{\"reason\":\"" + Wire.OUTCOME_UNKNOWN + "\"}"));
        lock.lock();
        try {
            isRestored = true;
            isAwaited = true;
            isVersion1 = kept.isVersion1();
            for (FileConnection.Asked lost : kept.open()) {
                String session = Routes.replays(lost.method()) ? Streams.OWN : known(lost.session());
                var unused = append(session, Message.error(lost.id(), agentLost));
            }
            for (Map.Entry<String, OutboundStream> entry :
                    isVersion1 ? List.<Map.Entry<String, OutboundStream>>of() : streams.entries()) {
                for (StreamLog.Frame frame : entry.getValue().log.read(0, Long.MAX_VALUE)) {
                    states.note(entry.getKey(), Message.parse(frame.json()));
                }
                Message idle = states.lost(entry.getKey(), agentLost);
                if (idle != null) {
                    streams.append(entry.getValue(), idle);
                }
            }
            streams.all().forEach(OutboundStream::markEnded);
            state = State.ENDING;
            endingSince = time.nanoTime();
            outputEnded = true;
            released = true;
            inbox.abandon();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether an earlier process has left the connection, so that it has no agent. */
    boolean isRestored() {
        lock.lock();
        try {
            return isRestored;
        } finally {
            lock.unlock();
        }
    }

    Keys keys() {
        lock.lock();
        try {
            Keys made = keys == null ? new Keys(time) : keys;
            keys = made;
            return made;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a turn runs, or somebody who reads has not got everything. */
    boolean isBusy() {
        lock.lock();
        try {
            return routes.hasPrompt()
                    || replays.isHolding()
                    || streams().stream().anyMatch(OutboundStream::isUnfinished);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether nobody is being written anything, the ends of streams among it. */
    boolean isQuiet() {
        return streams().stream().allMatch(OutboundStream::isQuiet);
    }

    /** Ends all readers behind what they are being written now. */
    void cut() {
        streams().forEach(OutboundStream::cut);
    }

    String id() {
        return id;
    }

    @Override
    public Principal principal() {
        return principal;
    }

    @Override
    public String name() {
        return ServerEvent.hash(id);
    }

    @Override
    public boolean hasRoom() {
        lock.lock();
        try {
            long unsent = streams.unsentBytes();
            granted = granted
                    || isOutputOver()
                    || unsent < share()
                    || (unsent < Math.min(READING, home.limits().queuedBytes()) && !isStuck(1));
            return granted;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean isOutputOver() {
        return outputEnded || state == State.GONE;
    }

    /** Returns whether the client has taken nothing for so many times of no progress, although there was something. */
    @GuardedBy("lock")
    private boolean isStuck(int stalls) {
        return time.nanoTime() - streams.progressedAt()
                >= stalls * home.limits().stall().toNanos();
    }

    @Override
    public void drop(String reason) {
        end(State.GONE, reason, OutboundStream::abort, false);
    }

    /** Returns how much may wait in one direction. */
    private long share() {
        return Math.min(home.limits().queuedBytes(), home.memory().share());
    }

    /** Returns whether the agent waits because the server holds so much for all clients. */
    boolean isSlowed() {
        lock.lock();
        try {
            return slowedSince >= 0;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void awaitRoom() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            awaitAdmission();
            granted = true;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a further message to the client may wait for it, or none can be sent any more. */
    @GuardedBy("lock")
    private void awaitAdmission() throws InterruptedException {
        try {
            while (!isOutputOver() && !granted && !admitsOne()) {
                changed.await();
            }
        } finally {
            slowedSince = -1;
            home.memory().forget(waiter);
        }
    }

    /** Returns whether a further message to the client may wait for it. */
    @GuardedBy("lock")
    private boolean admitsOne() {
        long unsent = streams.unsentBytes();
        if (unsent >= home.limits().queuedBytes()) {
            return false;
        }
        boolean admits = home.memory().admits(unsent, waiter);
        if (!admits && slowedSince < 0) {
            slowedSince = time.nanoTime();
        }
        return admits;
    }

    /** Counts what waits for the agent. */
    @GuardedBy("lock")
    private void countInbox() {
        if (countedInbox >= 0) {
            long before = countedInbox;
            countedInbox = inbox.bytes();
            home.memory().add(countedInbox - before, 0);
        }
    }

    /** Counts what is kept, since some of it may have been dropped. */
    void count() {
        lock.lock();
        try {
            streams.all().forEach(streams::count);
            countInbox();
        } finally {
            lock.unlock();
        }
    }

    /** The connection is over, and nobody is written anything any more: what it has held is free. */
    void uncount() {
        lock.lock();
        try {
            streams.uncountAll();
            home.memory().add(-Math.max(countedInbox, 0), 0);
            countedInbox = -1;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Limits limits(Limits limits) {
        return limits.withQueueBytes(limits.laneBytes(), Math.min(limits.outboxBytes(), OUTBOX_BYTES));
    }

    @Override
    public Transport.Reader reader() {
        return reader;
    }

    @Override
    public Transport.Writer writer() {
        return writer;
    }

    @Override
    public boolean holdsCarrier() {
        return false;
    }

    /** The agent has ended. What it said can still be read for a while. */
    @Override
    public void close() {
        end(State.ENDING, "the agent has ended");
        boolean first;
        lock.lock();
        try {
            first = !released;
            released = true;
        } finally {
            lock.unlock();
        }
        if (first) {
            home.released(this);
        }
    }

    // What the client sends.

    /**
     * Takes a message of the client if there is room for it. A request needs that the agent reads, and the client;
     * another message that the agent reads half as well, so that no request holds it up.
     *
     * @param session the session of the message; empty for none
     * @return what became of it; null when it has to wait
     */
    @Nullable
    Delivery offer(Message message, String session) {
        lock.lock();
        try {
            if (isOver()) {
                return Delivery.GONE;
            }
            if (!hasRoom(message)) {
                return null;
            }
            take(message, session);
            return Delivery.ACCEPTED;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes a message of the client as {@link #offer} does, and waits for room.
     *
     * @param abandoned whether the client waits no more; {@link #wake} has it looked at again
     */
    Delivery deliver(Message message, String session, BooleanSupplier abandoned) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!abandoned.getAsBoolean()) {
                Delivery delivery = offer(message, session);
                if (delivery != null) {
                    return delivery;
                }
                changed.await();
            }
            return Delivery.ABANDONED;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes a message from a WebSocket, whether there is room or not; none from one that another has taken over from,
     * since the client sends again what had not arrived then.
     *
     * @param whenRoom run when there is room for the next message, at once or later
     */
    void deliver(Socket from, Message message, String session, Runnable whenRoom) {
        boolean now;
        lock.lock();
        try {
            boolean counts = isCurrent(from);
            if (counts) {
                received++;
            }
            if (counts && !isOver()) {
                take(message, session);
            }
            now = !counts || isOver() || !inbox.awaitsRoom(whenRoom);
        } finally {
            lock.unlock();
        }
        if (now) {
            whenRoom.run();
        }
    }

    @GuardedBy("lock")
    @SuppressWarnings("ReferenceEquality") // Two may be alike.
    private boolean isCurrent(Socket of) {
        return socket == of;
    }

    /** Has those that wait look again. */
    void wake() {
        lock.lock();
        try {
            countInbox();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean isOver() {
        return state == State.ENDING || state == State.GONE;
    }

    @GuardedBy("lock")
    private boolean hasRoom(Message message) {
        long share = share();
        if (message.kind() != Message.Kind.REQUEST) {
            return inbox.bytes() < 2 * share;
        }
        return inbox.bytes() < share && streams.unsentBytes() < share;
    }

    @GuardedBy("lock")
    private void take(Message message, String session) {
        if (routes.isLate(message)) {
            return;
        }
        routes.received(message, session);
        RequestId request = message.id();
        if (message.kind() == Message.Kind.REQUEST && request != null && state != State.NEW) {
            store.asked(request, message.method(), session);
        }
        if (message.kind() == Message.Kind.REQUEST && Routes.replays(message.method())) {
            replays.begin(message, session);
        }
        inbox.addAnyway(message);
        countInbox();
    }

    /** Returns the session of the agent's request that this answers; null when there is no such request. */
    @Nullable
    String sessionOfAnswered(@Nullable RequestId answered) {
        lock.lock();
        try {
            return routes.sessionOfAnswered(answered);
        } finally {
            lock.unlock();
        }
    }

    // Initialization.

    /** Hands the agent its first message. */
    void begin(Message initialize, @Nullable Consumer<@Nullable Message> then) {
        boolean over;
        lock.lock();
        try {
            over = isOver();
            if (!over) {
                onInitialized = then;
                take(initialize, Streams.OWN);
            }
        } finally {
            lock.unlock();
        }
        if (over && then != null) {
            then.accept(null);
        }
    }

    /**
     * Waits for the answer to {@code initialize}.
     *
     * @return the answer; null when the agent has ended, the time is over or the client has left
     */
    @Nullable
    Message awaitInitialized(BooleanSupplier abandoned) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (initialized == null && !isOver() && !abandoned.getAsBoolean()) {
                changed.await();
            }
            Message answer = initialized;
            initialized = null;
            return answer;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the connection has ended because the agent did not answer {@code initialize} in time. */
    boolean isLate() {
        lock.lock();
        try {
            return isLate;
        } finally {
            lock.unlock();
        }
    }

    State state() {
        lock.lock();
        try {
            return state;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Message initialized(Message answer) {
        Message advertised = Capability.advertised(answer, id, home.isDurable(), home.limits());
        initialized = onInitialized == null ? advertised : null;
        state = State.LIVE;
        RawJson result = answer.result();
        isVersion1 = !(result != null
                && result.value() instanceof JsonObject object
                && object.members().get("protocolVersion") instanceof JsonNumber version
                && !version.literal().equals("1"));
        store.initialized(isVersion1);
        changed.signalAll();
        return advertised;
    }

    // What the agent sends.

    private void send(Message message) throws IOException {
        int limit = home.limits().messageBytes();
        if (message.length() > limit) {
            RawJson raw = message.raw();
            throw new MessageTooLargeException(limit, Arrays.copyOfRange(raw.bytes(), raw.from(), raw.from() + 1024));
        }
        OutboundStream stream = null;
        Consumer<@Nullable Message> told = null;
        Message answer = null;
        boolean turnEnded;
        String replayed;
        lock.lock();
        try {
            awaitRoomToSend();
            Routes.Asked asked = message.kind().isResponse() || message.kind() == Message.Kind.INVALID_RESPONSE
                    ? routes.answered(message.id())
                    : null;
            if (asked != null && asked.method().equals("initialize") && state == State.NEW) {
                answer = initialized(message);
                told = onInitialized;
                onInitialized = null;
            } else {
                stream = route(message, asked);
            }
            replayed = asked != null && Routes.replays(asked.method()) ? asked.session() : null;
            turnEnded = asked != null && asked.method().equals("session/prompt");
        } finally {
            lock.unlock();
        }
        if (stream != null) {
            stream.pump();
        }
        if (replayed != null) {
            attachAgain(replayed);
        }
        if (turnEnded) {
            home.progressed();
        }
        if (told != null) {
            told.accept(answer);
        }
    }

    @GuardedBy("lock")
    private void awaitRoomToSend() throws IOException {
        try {
            awaitAdmission();
            granted = false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted while writing").initCause(e);
        }
        if (isOutputOver()) {
            throw new IOException("the connection of the client has ended");
        }
    }

    /** Adds the message to its stream. Returns the stream, which is to be sent; null for one that waits. */
    @GuardedBy("lock")
    private @Nullable OutboundStream route(Message message, Routes.@Nullable Asked asked) {
        if (asked == null) {
            return routeUnasked(message);
        }
        boolean isOk = message.kind() == Message.Kind.RESULT;
        String session = asked.session();
        return switch (asked.method()) {
            case "session/new", "session/fork" -> {
                if (isOk) {
                    streams.know(message.session());
                }
                // That of a fork is its parent's, if the client has opened that.
                yield append(known(session), message);
            }
            case "session/load", "session/resume" -> finishReplay(asked, message);
            case "session/close" -> {
                OutboundStream stream = append(isRead(session) ? session : Streams.OWN, message);
                if (isOk) {
                    streams.close(session);
                    states.forget(session);
                }
                yield stream;
            }
            case "session/delete" -> {
                OutboundStream stream = append(isRead(session) ? session : Streams.OWN, message);
                if (isOk) {
                    streams.forget(session);
                    states.forget(session);
                }
                yield stream;
            }
            default -> append(known(session), message);
        };
    }

    /** Returns whether somebody reads the stream of a session, or will once it has one. */
    @GuardedBy("lock")
    private boolean isRead(String session) {
        OutboundStream stream = streams.of(session);
        return socket != null || (stream != null && stream.hasReader());
    }

    /** A client that has not opened the session reads no stream of it: its answers come on that of the connection. */
    @GuardedBy("lock")
    private String known(String session) {
        return streams.isKnown(session) || streams.of(session) != null ? session : Streams.OWN;
    }

    @GuardedBy("lock")
    private OutboundStream routeUnasked(Message message) {
        String session = message.kind().isResponse() ? Streams.OWN : message.session();
        if (session.equals(Streams.OWN)) {
            return appendCall(Streams.OWN, message);
        }
        if (!isVersion1) {
            states.note(session, message);
        }
        if (!replays.isRunning(session)) {
            streams.know(session);
            return appendCall(session, message);
        }
        if (message.method().equals("session/update") && routes.prompt(session) == null) {
            // While a turn runs it may be an update of the turn, and the request be refused.
            replays.restart(session);
        }
        return appendCall(replays.isOnOwn(session) ? Streams.OWN : session, message);
    }

    @GuardedBy("lock")
    private OutboundStream appendCall(String session, Message message) {
        OutboundStream stream = append(session, message);
        if (message.kind() == Message.Kind.REQUEST) {
            routes.asks(message, streams.lastNumber());
        }
        return stream;
    }

    /** The answer of a load or resume comes behind the history, which may be on another stream. */
    @GuardedBy("lock")
    private @Nullable OutboundStream finishReplay(Routes.Asked asked, Message answer) {
        String session = asked.session();
        boolean here = replays.isOnOwn(session);
        if (answer.kind() == Message.Kind.RESULT) {
            streams.know(session);
            replays.restart(session);
        } else if (!session.equals(Streams.OWN) && !streams.isKnown(session) && streams.of(session) != null) {
            // Its stream waits for another attempt, for a while.
            streams.awaitSession(session);
        }
        replays.end(session);
        OutboundStream stream = streams.of(session);
        if (here || stream == null) {
            return append(Streams.OWN, answer);
        }
        Message marked =
                home.isDurable() && answer.kind() == Message.Kind.RESULT ? Replays.marked(answer, stream) : answer;
        if (!stream.hasReader()) {
            // A client that was cut has the history still to come.
            return append(Streams.OWN, marked);
        }
        if (asked.method().equals("session/resume")) {
            // One order for all: so clients know which stream it is a message of.
            return append(socket == null ? session : Streams.OWN, answer);
        }
        if (stream.isBehind()) {
            replays.hold(stream, marked);
            return null;
        }
        return append(Streams.OWN, marked);
    }

    @GuardedBy("lock")
    private OutboundStream append(String session, Message message) {
        OutboundStream stream = streamFor(session);
        streams.append(stream, message);
        RequestId answered = message.id();
        if (answered != null && message.kind().isResponse()) {
            store.answered(answered);
        }
        return stream;
    }

    /** Returns the stream of a session; that of the connection when there are too many that nobody reads. */
    @GuardedBy("lock")
    private OutboundStream streamFor(String session) {
        OutboundStream stream = streams.of(session);
        if (stream != null) {
            return stream;
        }
        if (streams.isFull()) {
            return streams.own();
        }
        OutboundStream made = streams.add(session);
        Socket reading = socket;
        if (reading != null) {
            attachTo(reading, session, made, List.of());
        }
        return made;
    }

    @GuardedBy("lock")
    private void attachTo(Socket reading, String session, OutboundStream stream, List<RawJson> state) {
        var unused =
                stream.attach(reading.sink(session), new OutboundStream.Wish(null, state, socketValid, false), false);
    }

    /**
     * The stream of a session may have begun anew, which its reader learns also without a history. A WebSocket that did
     * not read it any more does again.
     */
    private void attachAgain(String session) {
        OutboundStream stream;
        lock.lock();
        try {
            stream = streams.of(session);
            if (stream == null) {
                return;
            }
            Socket reading = socket;
            if (reading != null && !stream.hasReader()) {
                attachTo(reading, session, stream, stateFor(stream, session, null));
            }
        } finally {
            lock.unlock();
        }
        stream.pump();
    }

    /**
     * Answers a text of a WebSocket without the agent.
     *
     * @param whenRoom run when there is room for the next message and its answer, at once or later
     */
    void refuse(Socket from, Message message, Runnable whenRoom) {
        OutboundStream stream = null;
        lock.lock();
        try {
            if (isCurrent(from)) {
                received++;
                if (!outputEnded && state != State.GONE) {
                    stream = append(Streams.OWN, message);
                    onSent = whenRoom;
                }
            }
        } finally {
            lock.unlock();
        }
        if (stream == null) {
            whenRoom.run();
        } else {
            stream.pump();
            continueReading();
        }
    }

    private void continueReading() {
        Runnable next;
        lock.lock();
        try {
            next = takeOnSent();
        } finally {
            lock.unlock();
        }
        if (next != null) {
            next.run();
        }
    }

    /** Returns what waits for room, in either direction. */
    @GuardedBy("lock")
    private List<Runnable> takeWaiting() {
        List<Runnable> waiting = inbox.takeWaiting();
        if (onSent != null) {
            waiting.add(onSent);
        }
        onSent = null;
        return waiting;
    }

    /** Returns what waits for room for messages to the client; null when there is none, or nothing waits. */
    @GuardedBy("lock")
    private @Nullable Runnable takeOnSent() {
        if (streams.unsentBytes() >= share()) {
            return null;
        }
        Runnable taken = onSent;
        onSent = null;
        return taken;
    }

    @Override
    public void sent(OutboundStream stream) {
        settle(stream, false);
    }

    @Override
    public void left(OutboundStream stream, boolean wasEvents) {
        settle(stream, true);
        if (wasEvents || isOwn(stream)) {
            // A WebSocket reads all streams, and that of the connection as long as it is there.
            home.streamClosed(this);
        }
    }

    @SuppressWarnings("ReferenceEquality") // Two may be alike.
    private boolean isOwn(OutboundStream stream) {
        lock.lock();
        try {
            return streams.own() == stream;
        } finally {
            lock.unlock();
        }
    }

    private void settle(OutboundStream stream, boolean left) {
        OutboundStream released;
        boolean drained;
        Runnable next;
        lock.lock();
        try {
            streams.count(stream);
            changed.signalAll();
            released = release(stream);
            if (left && lonelySince < 0 && streams.isLonely()) {
                lonelySince = time.nanoTime();
            }
            drained = isDrained();
            next = takeOnSent();
        } finally {
            lock.unlock();
        }
        if (released != null) {
            released.pump();
        }
        if (next != null) {
            next.run();
        }
        home.progressed();
        if (drained) {
            end(State.GONE, "");
        }
    }

    /** Returns whether the agent has ended and everything it said was sent, also to who gets it once more. */
    @GuardedBy("lock")
    private boolean isDrained() {
        return state == State.ENDING
                && streams.unsentBytes() == 0
                && !replays.isHolding()
                && (!isRestored || streams.all().stream().allMatch(OutboundStream::isFinished))
                && streams.all().stream().noneMatch(OutboundStream::isUnfinished);
    }

    /** Adds the answers that waited for a stream. Returns the stream that has them; null when there are none. */
    @GuardedBy("lock")
    private @Nullable OutboundStream release(OutboundStream behind) {
        OutboundStream with = null;
        if (replays.isHolding()) {
            for (Message answer : replays.release(behind)) {
                with = append(Streams.OWN, answer);
            }
        }
        return with;
    }

    // Who reads.

    /** What became of an attempt to read a stream. */
    record Attached(OutboundStream.@Nullable Reader reader, String refusal) {
        static Attached refused(String reason) {
            return new Attached(null, reason);
        }
    }

    /** The reason of a refusal when a session is not known, and streams for such ones are not allowed. */
    static final String NO_SESSION = "session_unknown";

    /** The reason of a refusal when the connection has ended since it was found. */
    static final String ENDED = "connection_unknown";

    /**
     * Lets a client read a stream; a session that is not known yet gets a provisional one, unless strict.
     *
     * @param cursor where to go on; null for where nothing was sent yet
     */
    Attached attach(String session, @Nullable Cursor cursor, FrameSink sink, BooleanSupplier valid, boolean strict) {
        lock.lock();
        try {
            if (state == State.GONE) {
                // Its streams have been ended, and another one would not be.
                return Attached.refused(ENDED);
            }
            OutboundStream stream = cursor == null ? streams.of(session) : streams.of(session, cursor);
            boolean known = session.equals(Streams.OWN)
                    || streams.isKnown(session)
                    || replays.isRunning(session)
                    || stream != null;
            if (!known && strict) {
                return Attached.refused(NO_SESSION);
            }
            if (cursor != null && !cursor.isBeginning() && stream == null) {
                return Attached.refused(Wire.CURSOR_UNKNOWN);
            }
            if (!known && streams.isFullOfProvisional()) {
                return Attached.refused(Wire.TOO_MANY_STREAMS);
            }
            if (stream == null) {
                stream = streams.add(session);
                if (!known) {
                    streams.awaitSession(session);
                }
            }
            if (cursor != null && cursor.isBeginning() && lacksRequests(stream, session)) {
                return Attached.refused(Wire.CURSOR_EXPIRED);
            }
            OutboundStream.Wish wish = new OutboundStream.Wish(cursor, stateFor(stream, session, cursor), valid, false);
            return attach(stream, wish, () -> sink);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Attached attach(OutboundStream stream, OutboundStream.Wish wish, Supplier<FrameSink> sink) {
        OutboundStream.Refusal refusal = stream.refusal(wish);
        OutboundStream.Reader attached = refusal == null ? stream.attach(sink.get(), wish, true) : null;
        if (attached == null) {
            return Attached.refused(
                    refusal == OutboundStream.Refusal.CURSOR_UNKNOWN
                            ? Wire.CURSOR_UNKNOWN
                            : refusal == OutboundStream.Refusal.CURSOR_EXPIRED
                                    ? Wire.CURSOR_EXPIRED
                                    : Wire.STREAM_IN_USE);
        }
        lonelySince = -1;
        if (isAwaited) {
            isAwaited = false;
            endingSince = time.nanoTime();
        }
        return new Attached(attached, "");
    }

    /** Returns whether the agent waits for the answer to a request that was sent before the stream began anew. */
    @GuardedBy("lock")
    private boolean lacksRequests(OutboundStream stream, String session) {
        OutboundStream own = streams.own();
        return streams.isCurrent(session, stream)
                && routes.hasOpen(session, number -> !stream.has(number) && !own.has(number));
    }

    /**
     * Who goes on behind a cursor hears in which state the turn is, if the session is not over; who comes anew is asked
     * again what another client was asked and has not answered.
     */
    @GuardedBy("lock")
    private List<RawJson> stateFor(OutboundStream stream, String session, @Nullable Cursor cursor) {
        if (cursor == null) {
            return routes.open(session, stream.log.lastSent());
        }
        boolean isOpen = streams.isCurrent(session, stream) && !streams.awaitsSession(session);
        return isOpen && !session.equals(Streams.OWN) ? states.of(session, isVersion1) : List.of();
    }

    /**
     * What became of the streams that a WebSocket goes on with.
     *
     * @param states those that go on behind a cursor, and the state of each turn; empty for the stream of the
     *     connection
     * @param refused the others that had a cursor, and why
     * @param received how many texts have come on WebSockets
     * @param readers those of all streams, which wait to be opened
     * @param reading who reads
     */
    record Resumed(
            Map<String, String> states,
            Map<String, String> refused,
            long received,
            List<OutboundStream.Reader> readers,
            Socket reading) {
        /** Begins to send: what all streams have, in the order of its production. */
        void begin() {
            reading.hold(() -> {
                for (OutboundStream.Reader reader : readers) {
                    reader.opened(null);
                }
            });
        }
    }

    /**
     * Makes a WebSocket the reader of all streams, and the only one whose messages count; others before it end.
     *
     * @param cursors where to go on, by session; streams that are not among them go on behind what the client has
     *     certainly got, else at their beginning. A cursor is of the stream whose epoch it has, whatever its name here
     */
    Resumed open(Socket reading, Map<String, Cursor> cursors, BooleanSupplier valid) {
        Map<String, String> resumed = new LinkedHashMap<>();
        Map<String, String> refused = new LinkedHashMap<>();
        List<OutboundStream.Reader> readers = new ArrayList<>();
        Socket earlier;
        List<Runnable> waiting;
        Resumed opened;
        lock.lock();
        try {
            earlier = socket;
            waiting = takeWaiting();
            socket = reading;
            socketValid = valid;
            Map<String, Cursor> unknown = new LinkedHashMap<>(cursors);
            for (Map.Entry<String, OutboundStream> entry : streams.entries()) {
                String session = entry.getKey();
                OutboundStream stream = entry.getValue();
                Cursor cursor = Streams.cursorOf(stream, cursors);
                Cursor from = cursor == null ? stream.confirmed() : cursor;
                // The WebSocket is the client's only reader, whoever read before.
                OutboundStream.Wish wish = new OutboundStream.Wish(from, stateFor(stream, session, from), valid, true);
                Attached outcome = cursor == null && from.number() == 0 && lacksRequests(stream, session)
                        ? Attached.refused(Wire.CURSOR_EXPIRED)
                        : attach(stream, wish, () -> reading.sink(session));
                unknown.values().removeIf(stream::isOf);
                if (outcome.reader != null) {
                    readers.add(outcome.reader);
                    if (cursor != null) {
                        resumed.put(session, session.equals(Streams.OWN) ? "" : routes.turnState(session));
                    }
                } else if (cursor != null || streams.isCurrent(session, stream)) {
                    refused.put(session, outcome.refusal);
                }
            }
            unknown.keySet().forEach(session -> refused.putIfAbsent(session, Wire.CURSOR_UNKNOWN));
            opened = new Resumed(resumed, refused, received, readers, reading);
        } finally {
            lock.unlock();
        }
        // What else comes from it is read, and dropped, until its end.
        waiting.forEach(Runnable::run);
        if (earlier != null) {
            earlier.close(SocketCodes.POLICY, "another WebSocket goes on with this connection");
        }
        return opened;
    }

    /**
     * Returns where each stream is that a WebSocket has been written something of, and that it is not known to have
     * got: what is asked behind that and answered says so. Not every message has a place for a cursor, and a client
     * does not note it of every one.
     */
    Map<OutboundStream, Cursor> unconfirmed(Socket of) {
        Map<OutboundStream, Cursor> positions = new LinkedHashMap<>();
        lock.lock();
        try {
            if (isCurrent(of)) {
                for (OutboundStream stream : streams.all()) {
                    Cursor position = stream.unconfirmed();
                    if (position != null) {
                        positions.put(stream, position);
                    }
                }
            }
            return positions;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The WebSocket is gone. Without durable streams nobody can come back.
     *
     * @param goodbye whether the client has closed it, and so will not come back either
     */
    void lost(Socket gone, boolean goodbye) {
        boolean over;
        lock.lock();
        try {
            if (!isCurrent(gone)) {
                return;
            }
            socket = null;
            over = goodbye || !home.isDurable();
        } finally {
            lock.unlock();
        }
        if (over) {
            end("the client has left");
        }
    }

    // The end.

    /** Ends the connection: the client wants that, or nobody has come back. */
    void end(String reason) {
        end(State.GONE, reason, OutboundStream::cut, false);
    }

    /** Ends the connection; who reads still gets what there is, and a store keeps it. */
    void stop(String reason) {
        end(State.GONE, reason, OutboundStream::finish, true);
    }

    private void end(State next, String reason) {
        end(next, reason, OutboundStream::finish, false);
    }

    private void end(State next, String reason, Consumer<OutboundStream> endStream, boolean keeps) {
        boolean wasEnding;
        boolean isGone;
        List<OutboundStream> ending;
        Socket closing;
        Consumer<@Nullable Message> told;
        List<Runnable> waiting;
        lock.lock();
        try {
            if (state == State.GONE || state == next) {
                return;
            }
            wasEnding = state == State.ENDING;
            // An agent that ends before its first answer has nothing to be read.
            state = state == State.NEW ? State.GONE : next;
            endingSince = time.nanoTime();
            outputEnded = true;
            for (Message answer : replays.releaseAll()) {
                var unused = append(Streams.OWN, answer);
            }
            if (isDrained()) {
                state = State.GONE;
            }
            isGone = state == State.GONE;
            ending = streams.all();
            closing = socket;
            told = onInitialized;
            onInitialized = null;
            waiting = takeWaiting();
            if (next == State.ENDING) {
                inbox.abandon();
            } else {
                inbox.end(null);
            }
            countInbox();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        ending.forEach(endStream);
        if (closing != null) {
            // Never as a farewell: whatever has ended here, a new connection may have an agent.
            closing.finish(SocketCodes.GOING_AWAY, reason);
        }
        if (told != null) {
            told.accept(null);
        }
        waiting.forEach(Runnable::run);
        home.memory().forget(waiter);
        home.memory().wake();
        if (isGone && !keeps) {
            store.end();
        }
        // What came first is why it ends.
        home.ended(this, wasEnding ? "" : reason);
    }

    /** Looks at the clock. */
    void tick() {
        ServerLimits limits = home.limits();
        List<OutboundStream> all;
        List<OutboundStream> expired;
        boolean late;
        boolean abandoned;
        boolean lingered;
        boolean stuck;
        lock.lock();
        try {
            long now = time.nanoTime();
            late = state == State.NEW && now - madeAt >= limits.initializeTime().toNanos();
            isLate |= late;
            expired = streams.expire(now, replays);
            all = streams.all();
            abandoned = state == State.LIVE
                    && lonelySince >= 0
                    && now - lonelySince >= limits.grace().toNanos();
            stuck = state == State.LIVE
                    && slowedSince >= 0
                    && now - slowedSince >= STALLS * limits.stall().toNanos()
                    && isStuck(STALLS)
                    && home.memory().isShortForOthers(waiter);
            lingered = state == State.ENDING && now - endingSince >= (isAwaited ? limits.grace() : LINGER).toNanos();
        } finally {
            lock.unlock();
        }
        expired.forEach(OutboundStream::cut);
        for (OutboundStream stream : all) {
            stream.tick(limits.keepAlive().toNanos(), limits.stall().toNanos());
        }
        count();
        // Others may have made room.
        wake();
        continueReading();
        if (late) {
            end("the agent did not answer initialize");
        } else if (stuck) {
            drop("the client has taken nothing for "
                    + limits.stall().multipliedBy(STALLS).toSeconds()
                    + " s, and others need the memory that its messages take");
        } else if (abandoned) {
            end("no client came back within " + limits.grace().toSeconds() + " s");
        } else if (lingered) {
            end("");
        }
    }

    /** Returns the streams, to count and trim what they keep. */
    List<OutboundStream> streams() {
        lock.lock();
        try {
            return streams.all();
        } finally {
            lock.unlock();
        }
    }

    private final class Inbound implements Transport.Reader {
        @Override
        public @Nullable Message read() throws IOException, InterruptedException {
            Message message = inbox.take();
            // Threads that wait for room look again.
            wake();
            home.memory().wake();
            return message;
        }

        @Override
        public boolean isReady() {
            return inbox.isReady();
        }
    }

    private final class Outbound implements Transport.Writer {
        @Override
        public void write(Message message) throws IOException {
            send(message);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            List<OutboundStream> ending;
            lock.lock();
            try {
                outputEnded = true;
                changed.signalAll();
                ending = streams.all();
            } finally {
                lock.unlock();
            }
            ending.forEach(OutboundStream::finish);
        }
    }
}
