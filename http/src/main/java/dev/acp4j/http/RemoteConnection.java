package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.MessageTooLargeException;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /** How long the streams of an agent that has ended can still be read. */
    static final Duration LINGER = Duration.ofSeconds(60);

    /** How long a stream may wait for its session. */
    static final Duration PROVISIONAL = Duration.ofSeconds(60);

    /** The name of the stream that belongs to no session. */
    static final String OWN = "";

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

        SecureRandom random();

        /** The connection ends, for a reason that may be shown; without a lock. */
        void ended(RemoteConnection connection, String reason);

        /** The agent has closed its transport; without a lock. */
        void released(RemoteConnection connection);

        /** Somebody reads a stream, or no longer; without a lock. */
        void reads(RemoteConnection connection, boolean begins);

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

    /** An answer that is sent when the stream before it has been sent up to a number. */
    private record Held(OutboundStream behind, long number, Message answer) {}

    /** One or more requests to load or resume a session, which the agent may still refuse. */
    private static final class Replay {
        /** Whether the history comes on the stream of the connection, since nobody reads that of the session. */
        final boolean here;

        /** The number of the last frame before the requests. */
        final long after;

        int requests;

        /** Whether a history is wanted. */
        boolean isHistory;

        /** Whether it has begun, and with it the stream of the session anew. */
        boolean hasBegun;

        Replay(boolean here, long after) {
            this.here = here;
            this.after = after;
        }
    }

    /** A stream of a session that is over. */
    private record Retired(String session, OutboundStream stream, long since) {}

    private final String id;
    private final Principal principal;
    private final Home home;
    private final Time time;
    private final Keys keys;
    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled whenever something else than before may be true. */
    private final Condition changed = lock.newCondition();

    private final Condition readable = lock.newCondition();

    @GuardedBy("lock")
    private State state = State.NEW;

    @GuardedBy("lock")
    private final ArrayDeque<Message> inbound = new ArrayDeque<>();

    @GuardedBy("lock")
    private long inboundBytes;

    @GuardedBy("lock")
    private boolean inputEnded;

    @GuardedBy("lock")
    private boolean outputEnded;

    @GuardedBy("lock")
    private final Routes routes = new Routes();

    @GuardedBy("lock")
    private final Map<String, OutboundStream> streams = new LinkedHashMap<>();

    /** Streams of sessions that are over: a client that was cut can still go on with them for a while. */
    @GuardedBy("lock")
    private final List<Retired> retired = new ArrayList<>();

    /** What of each stream is counted in the next. */
    @GuardedBy("lock")
    private final Map<OutboundStream, Long> counted = new HashMap<>();

    @GuardedBy("lock")
    private long unsentBytes;

    /** Streams that a client has opened before their session, and since when. */
    @GuardedBy("lock")
    private final Map<String, Long> provisional = new HashMap<>();

    @GuardedBy("lock")
    private final Set<String> sessions = new HashSet<>();

    /** The sessions that are being loaded or resumed. */
    @GuardedBy("lock")
    private final Map<String, Replay> replays = new HashMap<>();

    @GuardedBy("lock")
    private final List<Held> held = new ArrayList<>();

    /** In version 2, the last {@code state_update} of each session. */
    @GuardedBy("lock")
    private final Map<String, RawJson> states = new HashMap<>();

    /** The number of the last frame of any stream. */
    @GuardedBy("lock")
    private long lastNumber;

    @GuardedBy("lock")
    private @Nullable Message initialized;

    @GuardedBy("lock")
    private @Nullable Consumer<@Nullable Message> onInitialized;

    @GuardedBy("lock")
    private boolean isVersion1 = true;

    @GuardedBy("lock")
    private @Nullable Socket socket;

    @GuardedBy("lock")
    private BooleanSupplier socketValid = () -> true;

    /** Run once when there is room in the queue again. */
    @GuardedBy("lock")
    private @Nullable Runnable onRoom;

    /** Run once when there is room for messages to the client again. */
    @GuardedBy("lock")
    private @Nullable Runnable onSent;

    /** Since when nobody reads; -1 while somebody does. */
    @GuardedBy("lock")
    private long lonelySince;

    @GuardedBy("lock")
    private long endingSince;

    @GuardedBy("lock")
    private boolean released;

    /** How many text frames have come on WebSockets since {@code initialize}. */
    @GuardedBy("lock")
    private long received;

    private final OutboundStream own;
    private final Transport.Reader reader = new Inbound();
    private final Transport.Writer writer = new Outbound();

    RemoteConnection(String id, Principal principal, Home home) {
        this.id = id;
        this.principal = principal;
        this.home = home;
        this.time = home.time();
        this.keys = new Keys(time);
        this.lonelySince = time.nanoTime();
        this.own = add(OWN);
    }

    Keys keys() {
        return keys;
    }

    /** Returns whether a turn runs, or somebody who reads has not got everything. */
    boolean isBusy() {
        lock.lock();
        try {
            return routes.hasPrompt() || !held.isEmpty() || streams().stream().anyMatch(OutboundStream::isUnfinished);
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
            return outputEnded
                    || state == State.GONE
                    || unsentBytes < home.limits().queuedBytes();
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many bytes wait for the agent or the client. */
    long queuedBytes() {
        lock.lock();
        try {
            return inboundBytes + unsentBytes;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void awaitRoom() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!hasRoom()) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
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
            now = !counts || isOver() || inboundBytes < home.limits().queuedBytes();
            if (!now) {
                onRoom = whenRoom;
            }
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
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean isOver() {
        return state == State.ENDING || state == State.GONE || inputEnded;
    }

    @GuardedBy("lock")
    private boolean hasRoom(Message message) {
        long limit = home.limits().queuedBytes();
        if (message.kind() != Message.Kind.REQUEST) {
            return inboundBytes < 2 * limit;
        }
        return inboundBytes < limit && unsentBytes < limit;
    }

    @GuardedBy("lock")
    private void take(Message message, String session) {
        routes.received(message, session);
        if (message.kind() == Message.Kind.REQUEST && Routes.replays(message.method())) {
            beginReplay(message, session);
        }
        inbound.add(message);
        inboundBytes += message.length() + BYTES_BESIDE;
        readable.signal();
    }

    /**
     * A history goes to the stream of its session if that is open now, else to that of the connection. Nothing else
     * changes until the agent shows that it accepts the request, by the first message of the history or by its answer.
     */
    @GuardedBy("lock")
    private void beginReplay(Message message, String session) {
        if (session.equals(OWN)) {
            return;
        }
        OutboundStream stream = streams.get(session);
        boolean open = stream != null && stream.hasReader();
        Replay replay = replays.computeIfAbsent(session, same -> new Replay(!open, lastNumber));
        replay.requests++;
        replay.isHistory |= replaysHistory(message);
    }

    /**
     * A history begins: what of the session was not sent before comes with it, and what was sent is no longer where a
     * client could go on.
     */
    @GuardedBy("lock")
    private void restart(String session, Replay replay) {
        OutboundStream stream = streams.get(session);
        if (replay.hasBegun || !replay.isHistory || !home.isDurable()) {
            return;
        }
        replay.hasBegun = true;
        if (stream != null) {
            stream.restart(frame -> frame.number() > replay.after
                    || !Message.parse(frame.json()).method().equals("session/update"));
            count(stream);
        }
    }

    private static boolean replaysHistory(Message message) {
        if (message.method().equals("session/load")) {
            return true;
        }
        RawJson params = message.params();
        return params != null
                && params.value() instanceof JsonObject object
                && object.members().containsKey("replayFrom");
    }

    /** Makes a session known: a stream that was opened before is no longer provisional. */
    @GuardedBy("lock")
    private void know(String session) {
        sessions.add(session);
        provisional.remove(session);
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
                take(initialize, OWN);
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
        long deadline = time.nanoTime() + home.limits().initializeTime().toNanos();
        lock.lockInterruptibly();
        try {
            while (initialized == null && !isOver() && !abandoned.getAsBoolean()) {
                long left = deadline - time.nanoTime();
                if (left <= 0) {
                    return null;
                }
                time.await(lock, changed, left);
            }
            return initialized;
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
        initialized = advertised;
        state = State.LIVE;
        RawJson result = answer.result();
        isVersion1 = !(result != null
                && result.value() instanceof JsonObject object
                && object.members().get("protocolVersion") instanceof JsonNumber version
                && !version.literal().equals("1"));
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
            while (!outputEnded
                    && state != State.GONE
                    && unsentBytes >= home.limits().queuedBytes()) {
                changed.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted while writing").initCause(e);
        }
        if (outputEnded || state == State.GONE) {
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
                    know(message.session());
                }
                // That of a fork is its parent's.
                yield append(session, message);
            }
            case "session/load", "session/resume" -> finishReplay(asked, message);
            case "session/close" -> {
                OutboundStream stream = append(isRead(session) ? session : OWN, message);
                if (isOk) {
                    close(session);
                }
                yield stream;
            }
            case "session/delete" -> {
                OutboundStream stream = append(isRead(session) ? session : OWN, message);
                if (isOk) {
                    forget(session);
                }
                yield stream;
            }
            default -> append(known(session), message);
        };
    }

    /** Returns whether somebody reads the stream of a session, or will once it has one. */
    @GuardedBy("lock")
    private boolean isRead(String session) {
        OutboundStream stream = streams.get(session);
        return socket != null || (stream != null && stream.hasReader());
    }

    /** A client that has not opened the session reads no stream of it: its answers come on that of the connection. */
    @GuardedBy("lock")
    private String known(String session) {
        return sessions.contains(session) || streams.containsKey(session) ? session : OWN;
    }

    @GuardedBy("lock")
    private OutboundStream routeUnasked(Message message) {
        String session = message.kind().isResponse() ? OWN : message.session();
        if (session.equals(OWN)) {
            return appendCall(OWN, message);
        }
        if (!isVersion1 && message.kind() == Message.Kind.NOTIFICATION && isStateUpdate(message)) {
            states.put(session, message.raw());
        }
        Replay replay = replays.get(session);
        if (replay == null) {
            know(session);
            return appendCall(session, message);
        }
        if (message.method().equals("session/update") && routes.prompt(session) == null) {
            // While a turn runs it may be an update of the turn, and the request be refused.
            restart(session, replay);
        }
        return appendCall(replay.here ? OWN : session, message);
    }

    @GuardedBy("lock")
    private OutboundStream appendCall(String session, Message message) {
        OutboundStream stream = append(session, message);
        if (message.kind() == Message.Kind.REQUEST) {
            routes.asks(message, lastNumber);
        }
        return stream;
    }

    private static boolean isStateUpdate(Message message) {
        RawJson params = message.params();
        try {
            return message.method().equals("session/update")
                    && params != null
                    && params.value() instanceof JsonObject object
                    && object.members().get("update") instanceof JsonObject update
                    && update.members().get("sessionUpdate") instanceof JsonString kind
                    && kind.value().equals("state_update");
        } catch (JsonException e) {
            return false;
        }
    }

    /** The answer of a load or resume comes behind the history, which may be on another stream. */
    @GuardedBy("lock")
    private @Nullable OutboundStream finishReplay(Routes.Asked asked, Message answer) {
        String session = asked.session();
        Replay replay = replays.get(session);
        boolean here = replay != null && replay.here;
        if (replay != null && --replay.requests == 0) {
            replays.remove(session);
        }
        if (answer.kind() == Message.Kind.RESULT) {
            know(session);
            if (replay != null) {
                restart(session, replay);
            }
        } else if (!session.equals(OWN) && !sessions.contains(session) && streams.containsKey(session)) {
            // Its stream waits for another attempt, for a while.
            provisional.putIfAbsent(session, time.nanoTime());
        }
        OutboundStream stream = streams.get(session);
        boolean open = !here && stream != null && stream.hasReader();
        if (!open || stream == null) {
            return append(OWN, answer);
        }
        if (asked.method().equals("session/resume")) {
            // One order for all: so clients know which stream it is a message of.
            return append(socket == null ? session : OWN, answer);
        }
        Message marked = home.isDurable() && answer.kind() == Message.Kind.RESULT
                ? Message.parse(MetaMember.put(
                        answer.raw(), Wire.AFTER, RawJson.string(stream.end().toString())))
                : answer;
        if (stream.isBehind()) {
            held.add(new Held(stream, stream.log.last(), marked));
            return null;
        }
        return append(OWN, marked);
    }

    @GuardedBy("lock")
    private OutboundStream append(String session, Message message) {
        OutboundStream stream = streamFor(session);
        RawJson raw = oneLine(message);
        stream.append(++lastNumber, raw);
        count(stream);
        return stream;
    }

    /** Events and frames are lines. */
    private static RawJson oneLine(Message message) {
        RawJson raw = message.raw();
        boolean isLine = raw.isKnownToBeOneLine() || RawJson.lineBreak(raw.bytes(), raw.from(), raw.to()) == raw.to();
        return isLine ? raw : raw.compact();
    }

    /** Returns the stream of a session; that of the connection when there are too many that nobody reads. */
    @GuardedBy("lock")
    private OutboundStream streamFor(String session) {
        OutboundStream stream = streams.get(session);
        if (stream != null) {
            return stream;
        }
        if (streams.size() > home.limits().streams()
                && streams.values().stream().filter(other -> !other.hasReader()).count()
                        > home.limits().streams()) {
            return own;
        }
        OutboundStream made = add(session);
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

    /** The stream of a session began anew: a WebSocket that did not read it any more does again. */
    private void attachAgain(String session) {
        OutboundStream stream;
        lock.lock();
        try {
            stream = streams.get(session);
            Socket reading = socket;
            if (reading == null || stream == null || stream.hasReader()) {
                return;
            }
            attachTo(reading, session, stream, stateFor(stream, session, null));
        } finally {
            lock.unlock();
        }
        stream.pump();
    }

    private OutboundStream add(String session) {
        OutboundStream stream = newStream();
        lock.lock();
        try {
            streams.put(session, stream);
            counted.put(stream, 0L);
            return stream;
        } finally {
            lock.unlock();
        }
    }

    private OutboundStream newStream() {
        boolean durable = home.isDurable();
        ServerLimits limits = home.limits();
        MemoryLog.Retention retention = durable
                ? new MemoryLog.Retention(limits.retainedBytes(), limits.retainedMessages(), limits.retention())
                : MemoryLog.Retention.NONE;
        return new OutboundStream(new MemoryLog(retention, time, home.random()), durable, time, this);
    }

    /**
     * The session is closed: its stream waits for a while, as one that was opened before its session. A client of the
     * TypeScript SDK that loads the session at once would fail if the stream ended then.
     */
    @GuardedBy("lock")
    private void close(String session) {
        if (provisional.size() >= home.limits().provisionalStreams()) {
            forget(session);
            return;
        }
        sessions.remove(session);
        states.remove(session);
        provisional.put(session, time.nanoTime());
    }

    /**
     * The session is over: its stream ends when all is sent, and a later one is another. With a cursor a client can
     * still read it for a while, since what was sent last may have been lost on the way.
     */
    @GuardedBy("lock")
    private void forget(String session) {
        OutboundStream stream = streams.remove(session);
        sessions.remove(session);
        states.remove(session);
        if (stream != null) {
            stream.markEnded();
            retired.add(new Retired(session, stream, time.nanoTime()));
        }
    }

    /** Returns the stream that a cursor is of; null when it is of none of this session. */
    @GuardedBy("lock")
    private @Nullable OutboundStream streamOf(String session, Cursor cursor) {
        for (Retired over : retired) {
            if (over.session.equals(session) && over.stream.isOf(cursor)) {
                return over.stream;
            }
        }
        return streams.get(session);
    }

    /**
     * Returns the streams of sessions that have been over for long enough, and too many others. They are forgotten when
     * nobody is being written anything.
     */
    @GuardedBy("lock")
    private List<OutboundStream> expireRetired(long now) {
        List<OutboundStream> expired = new ArrayList<>();
        int tooMany = retired.size() - home.limits().streams();
        for (Retired over : List.copyOf(retired)) {
            if (tooMany-- > 0 || now - over.since >= LINGER.toNanos()) {
                expired.add(over.stream);
                if (over.stream.isQuiet()) {
                    retired.remove(over);
                    drop(over.stream);
                }
            }
        }
        return expired;
    }

    @GuardedBy("lock")
    private void drop(OutboundStream stream) {
        Long before = counted.remove(stream);
        unsentBytes -= before == null ? 0 : before;
    }

    @GuardedBy("lock")
    private void count(OutboundStream stream) {
        Long before = counted.get(stream);
        if (before != null) {
            long now = stream.log.unsentBytes();
            counted.put(stream, now);
            unsentBytes += now - before;
        }
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
                    stream = append(OWN, message);
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
        List<Runnable> waiting = new ArrayList<>();
        if (onRoom != null) {
            waiting.add(onRoom);
        }
        if (onSent != null) {
            waiting.add(onSent);
        }
        onRoom = null;
        onSent = null;
        return waiting;
    }

    /** Returns what waits for room for messages to the client; null when there is none, or nothing waits. */
    @GuardedBy("lock")
    private @Nullable Runnable takeOnSent() {
        if (unsentBytes >= home.limits().queuedBytes()) {
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
        if (wasEvents || stream.equals(own)) {
            // A WebSocket reads all streams, and that of the connection as long as it is there.
            home.reads(this, false);
        }
    }

    private void settle(OutboundStream stream, boolean left) {
        boolean released = false;
        boolean drained;
        Runnable next;
        lock.lock();
        try {
            count(stream);
            changed.signalAll();
            if (!held.isEmpty()) {
                released = release(stream);
            }
            if (left && lonelySince < 0 && streams.values().stream().noneMatch(OutboundStream::hasReader)) {
                lonelySince = time.nanoTime();
            }
            drained = isDrained();
            next = takeOnSent();
        } finally {
            lock.unlock();
        }
        if (released) {
            own.pump();
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
                && unsentBytes == 0
                && held.isEmpty()
                && streams().stream().noneMatch(OutboundStream::isUnfinished);
    }

    /** Sends the answers that waited for a stream, if it has been sent so far or nobody reads it. */
    @GuardedBy("lock")
    private boolean release(OutboundStream behind) {
        boolean reads = behind.hasReader();
        long sent = behind.log.lastSent();
        boolean released = false;
        for (Held waiting : List.copyOf(held)) {
            if (waiting.behind == behind && (!reads || waiting.number <= sent)) {
                held.remove(waiting);
                var unused = append(OWN, waiting.answer);
                released = true;
            }
        }
        return released;
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

    /**
     * Lets a client read a stream; a session that is not known yet gets a provisional one, unless strict.
     *
     * @param cursor where to go on; null for where nothing was sent yet
     */
    Attached attach(String session, @Nullable Cursor cursor, FrameSink sink, BooleanSupplier valid, boolean strict) {
        lock.lock();
        try {
            OutboundStream stream = cursor == null ? streams.get(session) : streamOf(session, cursor);
            boolean known =
                    session.equals(OWN) || sessions.contains(session) || replays.containsKey(session) || stream != null;
            if (!known && strict) {
                return Attached.refused(NO_SESSION);
            }
            if (cursor != null && !cursor.isBeginning() && stream == null) {
                return Attached.refused(Wire.CURSOR_UNKNOWN);
            }
            if (!known && provisional.size() >= home.limits().provisionalStreams()) {
                return Attached.refused(Wire.TOO_MANY_STREAMS);
            }
            if (stream == null) {
                stream = add(session);
                if (!known) {
                    provisional.put(session, time.nanoTime());
                }
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
        return new Attached(attached, "");
    }

    /**
     * Who goes on behind a cursor hears in which state the turn is; who comes anew is asked again what another client
     * was asked and has not answered.
     */
    @GuardedBy("lock")
    private List<RawJson> stateFor(OutboundStream stream, String session, @Nullable Cursor cursor) {
        if (cursor == null) {
            return routes.open(session, stream.log.lastSent());
        }
        if (session.equals(OWN)) {
            return List.of();
        }
        if (isVersion1) {
            return List.of(turnState(session));
        }
        RawJson last = states.get(session);
        return last == null ? List.of() : List.of(last);
    }

    @GuardedBy("lock")
    private RawJson turnState(String session) {
        RequestId prompt = routes.prompt(session);
        String text = "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":"
                + RawJson.string(session)
                + ",\"update\":{\"sessionUpdate\":\"session_info_update\",\"_meta\":{\"" + Wire.TURN_STATE
                + "\":{\"state\":\"" + routes.turnState(session) + "\""
                + (prompt == null ? "" : ",\"promptRequestId\":" + prompt.json()) + "}}}}}";
        return RawJson.parse(text);
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
            for (Map.Entry<String, OutboundStream> entry : allStreams()) {
                String session = entry.getKey();
                OutboundStream stream = entry.getValue();
                Cursor cursor = cursorOf(stream, cursors);
                Cursor from = cursor == null ? stream.confirmed() : cursor;
                // The WebSocket is the client's only reader, whoever read before.
                OutboundStream.Wish wish = new OutboundStream.Wish(from, stateFor(stream, session, from), valid, true);
                Attached outcome = attach(stream, wish, () -> reading.sink(session));
                unknown.values().removeIf(stream::isOf);
                if (outcome.reader != null) {
                    readers.add(outcome.reader);
                    if (cursor != null) {
                        resumed.put(session, session.equals(OWN) ? "" : routes.turnState(session));
                    }
                } else if (cursor != null || streams.get(session) == stream) {
                    refused.put(session, outcome.refusal);
                }
            }
            unknown.keySet().forEach(session -> refused.put(session, Wire.CURSOR_UNKNOWN));
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
                for (OutboundStream stream : streams()) {
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

    /** Returns all streams with their sessions, those of sessions that are over among them. */
    @GuardedBy("lock")
    private List<Map.Entry<String, OutboundStream>> allStreams() {
        List<Map.Entry<String, OutboundStream>> all = new ArrayList<>();
        retired.forEach(over -> all.add(Map.entry(over.session, over.stream)));
        all.addAll(streams.entrySet());
        return all;
    }

    /** Returns the last of the cursors that are of a stream; null when none is. */
    private static @Nullable Cursor cursorOf(OutboundStream stream, Map<String, Cursor> cursors) {
        return cursors.values().stream()
                .filter(stream::isOf)
                .max(Comparator.comparingLong(Cursor::number))
                .orElse(null);
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
        end(State.GONE, reason, true);
    }

    /** Ends the connection; who reads still gets what there is. */
    void stop(String reason) {
        end(State.GONE, reason, false);
    }

    private void end(State next, String reason) {
        end(next, reason, false);
    }

    private void end(State next, String reason, boolean cuts) {
        List<OutboundStream> ending;
        Socket closing;
        int code;
        Consumer<@Nullable Message> told;
        List<Runnable> waiting;
        lock.lock();
        try {
            if (state == State.GONE || state == next) {
                return;
            }
            code = state == State.ENDING || next == State.ENDING ? SocketCodes.NORMAL : SocketCodes.GOING_AWAY;
            // An agent that ends before its first answer has nothing to be read.
            state = state == State.NEW ? State.GONE : next;
            endingSince = time.nanoTime();
            if (next == State.ENDING) {
                inbound.clear();
            }
            inputEnded = true;
            outputEnded = true;
            for (Held answer : held) {
                var unused = append(OWN, answer.answer);
            }
            held.clear();
            if (isDrained()) {
                state = State.GONE;
            }
            ending = streams();
            closing = socket;
            told = onInitialized;
            onInitialized = null;
            waiting = takeWaiting();
            readable.signalAll();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        for (OutboundStream stream : ending) {
            if (cuts) {
                stream.cut();
            } else {
                stream.finish();
            }
        }
        if (closing != null) {
            closing.finish(code, reason);
        }
        if (told != null) {
            told.accept(null);
        }
        waiting.forEach(Runnable::run);
        home.ended(this, reason);
    }

    /** Looks at the clock. */
    void tick() {
        ServerLimits limits = home.limits();
        List<OutboundStream> all = new ArrayList<>();
        List<OutboundStream> expired = new ArrayList<>();
        boolean abandoned;
        boolean lingered;
        lock.lock();
        try {
            long now = time.nanoTime();
            for (Map.Entry<String, Long> entry : Map.copyOf(provisional).entrySet()) {
                if (now - entry.getValue() >= PROVISIONAL.toNanos() && !replays.containsKey(entry.getKey())) {
                    provisional.remove(entry.getKey());
                    OutboundStream stream = streams.remove(entry.getKey());
                    if (stream != null) {
                        expired.add(stream);
                        retired.add(new Retired(entry.getKey(), stream, now));
                    }
                }
            }
            expired.addAll(expireRetired(now));
            all.addAll(streams());
            abandoned = state == State.LIVE
                    && lonelySince >= 0
                    && now - lonelySince >= limits.grace().toNanos();
            lingered = state == State.ENDING && now - endingSince >= LINGER.toNanos();
        } finally {
            lock.unlock();
        }
        expired.forEach(OutboundStream::cut);
        for (OutboundStream stream : all) {
            stream.tick(limits.keepAlive().toNanos(), limits.stall().toNanos());
        }
        if (abandoned) {
            end("no client came back within " + limits.grace().toSeconds() + " s");
        } else if (lingered) {
            end("");
        }
    }

    /** Returns the streams, to count and trim what they keep. */
    List<OutboundStream> streams() {
        lock.lock();
        try {
            return allStreams().stream().map(Map.Entry::getValue).toList();
        } finally {
            lock.unlock();
        }
    }

    private final class Inbound implements Transport.Reader {
        @Override
        public @Nullable Message read() throws InterruptedException {
            Message message;
            Runnable room = null;
            lock.lockInterruptibly();
            try {
                while (inbound.isEmpty() && !inputEnded) {
                    readable.await();
                }
                message = inbound.poll();
                if (message != null) {
                    inboundBytes -= message.length() + BYTES_BESIDE;
                    changed.signalAll();
                    if (inboundBytes < home.limits().queuedBytes()) {
                        room = onRoom;
                        onRoom = null;
                    }
                }
            } finally {
                lock.unlock();
            }
            if (room != null) {
                room.run();
            }
            return message;
        }

        @Override
        public boolean isReady() {
            lock.lock();
            try {
                return !inbound.isEmpty();
            } finally {
                lock.unlock();
            }
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
                ending = streams();
            } finally {
                lock.unlock();
            }
            ending.forEach(OutboundStream::finish);
        }
    }
}
