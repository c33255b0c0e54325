package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.MessageTooLargeException;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A connection to an agent elsewhere, as the core sees it: one, whatever becomes of the connections of the server that
 * carry it.
 *
 * <pre>
 *  NEW ─initialize─► LIVE ─the server has lost the connection─► RECOVERING ─► LIVE
 *   └ no answer ─► ENDED ◄─ close, a failure for good, patience over ─┘
 * </pre>
 *
 * <p>It remembers what a new connection needs: {@code initialize}, how each session was opened and set, and which
 * requests have no answer yet. What it sends to recover has ids of its own, and those answers go no further.
 *
 * <p>The lock guards everything below it. Nothing is sent, called or waited for while it is held, except that lines
 * take messages into their queues, which never blocks.
 */
final class RemoteTransport implements Transport, Transport.Reader {
    private static final String INITIALIZE = "initialize";
    private static final String OWN_IDS = "acp4j-recovery-";

    /** How long a server at the other end of a line may take to end, so that another one takes its place. */
    private static final Duration NEXT_SERVER_TIME = Duration.ofMillis(500);

    private static final Duration REPLAY_TIME = Duration.ofMinutes(5);

    private enum Phase {
        NEW,
        LIVE,
        RECOVERING,
        ENDED
    }

    private final RemoteAgent.Settings settings;
    private final Inbox inbox;
    private final Writer writer = new Out();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private Phase phase = Phase.NEW;

    /** What has ended it, for those who write afterwards. */
    @GuardedBy("lock")
    private @Nullable IOException endedBy;

    @GuardedBy("lock")
    private @Nullable Listening current;

    @GuardedBy("lock")
    private @Nullable Message initialize;

    @GuardedBy("lock")
    private RawJson agreed = RawJson.EMPTY_OBJECT;

    /** Requests of the client without an answer. */
    @GuardedBy("lock")
    private final Map<RequestId, Message> calls = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final OpenSessions sessions = new OpenSessions();

    @GuardedBy("lock")
    private final AgentRequests asked = new AgentRequests();

    @GuardedBy("lock")
    private final IncomingReplays replays = new IncomingReplays();

    /** Sent while a new connection is made. */
    @GuardedBy("lock")
    private final ArrayDeque<Message> waiting = new ArrayDeque<>();

    @GuardedBy("lock")
    private long waitingBytes;

    /** What the last connection has handed back: it is sent once more, and not again and again. */
    @GuardedBy("lock")
    private Set<Message> kept = Collections.newSetFromMap(new IdentityHashMap<>());

    /** A request of a recovery. */
    private static final class Own {
        final Message request;

        @Nullable
        Message answer;

        /** Why there will be no answer: the agent has not said anything. */
        @Nullable
        HttpFailure failure;

        Own(Message request) {
            this.request = request;
        }
    }

    @GuardedBy("lock")
    private final Map<RequestId, Own> own = new HashMap<>();

    /** What arrived before the answer to {@code initialize} could be read. */
    @GuardedBy("lock")
    private final List<Runnable> early = new ArrayList<>();

    @GuardedBy("lock")
    private long ownIds;

    @GuardedBy("lock")
    private boolean isDown;

    /** Of new connections. */
    private final Patience patience;

    @GuardedBy("lock")
    private long liveSince;

    RemoteTransport(RemoteAgent.Settings settings) {
        this.settings = settings;
        this.patience = new Patience(settings);
        this.inbox = new Inbox(settings.messageBytes);
    }

    @Override
    public Reader reader() {
        return this;
    }

    @Override
    public Writer writer() {
        return writer;
    }

    @Override
    public boolean holdsCarrier() {
        return false;
    }

    @Override
    public @Nullable Message read() throws IOException, InterruptedException {
        return inbox.take();
    }

    @Override
    public boolean isReady() {
        return inbox.isReady();
    }

    private final class Out implements Writer {
        @Override
        public void write(Message message) throws IOException {
            RemoteTransport.this.write(message);
        }

        @Override
        public void flush() {}

        @Override
        public void close() throws IOException {
            finish();
        }
    }

    // ---- writing

    private void write(Message message) throws IOException {
        if (message.length() > settings.messageBytes) {
            RawJson raw = message.raw();
            int head = Math.min(1024, raw.length());
            byte[] beginning = Arrays.copyOfRange(raw.bytes(), raw.from(), raw.from() + head);
            throw new MessageTooLargeException(settings.messageBytes, beginning);
        }
        RequestId id = message.id();
        if (message.kind() == Message.Kind.REQUEST && message.method().equals(INITIALIZE) && id != null) {
            if (begin(message, id)) {
                return;
            }
        }
        boolean taken;
        lock.lock();
        try {
            if (phase == Phase.NEW) {
                throw new IOException("the first message to a remote agent must be initialize, not "
                        + (message.method().isEmpty() ? "an answer" : message.method()));
            }
            if (phase == Phase.ENDED) {
                String why = endedBy == null ? "" : ": " + endedBy.getMessage();
                throw new IOException("the connection to " + settings.endpoint + " has ended" + why, endedBy);
            }
            taken = queue(message);
        } finally {
            lock.unlock();
        }
        if (!taken) {
            refuse(message);
        }
    }

    /** Answers a request that there is no room for. */
    private void refuse(Message message) {
        RequestId id = message.id();
        if (id != null) {
            String why = "too much waits to be sent to " + settings.endpoint + ", which does not take it";
            inbox.addAnyway(new HttpFailure(HttpFailure.Kind.REFUSED, why, null).answer(id));
        }
    }

    /** Takes a message for the line, or for the next one. Returns false when there is no room for a request. */
    @GuardedBy("lock")
    private boolean queue(Message message) {
        RequestId id = message.id();
        boolean isRequest = message.kind() == Message.Kind.REQUEST && id != null;
        if (message.kind().isResponse() && id != null && !id.isNull()) {
            answer(asked.answered(message, id));
            return true;
        }
        return queue(message, isRequest);
    }

    /**
     * Sends an answer to the agent that has asked, which may wait for it while it opens a session again. It is none to
     * an agent that comes after it.
     */
    @GuardedBy("lock")
    private void answer(@Nullable Message answer) {
        Listening listening = current;
        if (answer != null && listening != null && counts(listening)) {
            boolean unused = listening.line.send(answer);
        }
    }

    @GuardedBy("lock")
    private boolean queue(Message message, boolean isRequest) {
        RequestId id = message.id();
        Listening listening = current;
        if (phase == Phase.LIVE && listening != null) {
            if (isRequest && id != null) {
                calls.put(id, message);
            }
            boolean taken = listening.line.send(message);
            if (!taken && isRequest && id != null) {
                calls.remove(id);
            }
            return taken;
        }
        if (isRequest && waitingBytes + message.length() > Line.MOST_WAITING_BYTES) {
            return false;
        }
        waiting.add(message);
        waitingBytes += message.length();
        return true;
    }

    /** Makes the connection. Returns false if there is one, whose agent then answers. */
    private boolean begin(Message message, RequestId id) {
        lock.lock();
        try {
            if (phase != Phase.NEW || initialize != null) {
                return phase == Phase.NEW;
            }
            initialize = message;
        } finally {
            lock.unlock();
        }
        try {
            Connected made = connect(message, false);
            if (made.answer.isError()) {
                inbox.addAnyway(forwarded(made.answer));
            } else {
                begun(made.listening);
            }
        } catch (HttpFailure e) {
            inbox.addAnyway(e.answer(id));
            end(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end(new IOException("interrupted while connecting", e));
        }
        return true;
    }

    /** The answer to {@code initialize} can be read: now what came behind it may follow. */
    private void begun(Listening first) {
        List<Runnable> waited;
        HttpFailure lost;
        lock.lock();
        try {
            waited = List.copyOf(early);
            early.clear();
            lost = first.lost;
        } finally {
            lock.unlock();
        }
        waited.forEach(Runnable::run);
        if (lost != null) {
            lose(first, lost);
        }
    }

    /** Marks the answer to {@code initialize} when the agent runs on another machine. */
    private Message placed(Message answer) {
        return settings.isElsewhere()
                ? Message.parse(MetaMember.put(answer.raw(), Wire.ELSEWHERE, RawJson.parse("true")))
                : answer;
    }

    /** Returns what a client of the client may see. */
    private Message forwarded(Message message) {
        return settings.isForwarding ? Hop.withoutOurs(message) : message;
    }

    /** A connection of the server, and its answer to {@code initialize}. */
    record Connected(Listening listening, Message answer) {}

    /**
     * Makes a connection of the server, and makes it the current one if the answer is good and nothing has to be
     * recovered.
     */
    private Connected connect(Message request, boolean recovering) throws HttpFailure, InterruptedException {
        if (settings.over == RemoteAgent.Over.AUTO) {
            try {
                return connect(request, new Listening(true, recovering), recovering);
            } catch (HttpFailure e) {
                if (!SocketLine.isUnsupported(e)) {
                    throw e;
                }
            }
        }
        boolean isSocket = settings.over == RemoteAgent.Over.WEBSOCKET;
        try {
            return connect(request, new Listening(isSocket, recovering), recovering);
        } catch (HttpFailure e) {
            if (recovering || settings.line == null || e.kind() != HttpFailure.Kind.LATER) {
                throw e;
            }
            // Nothing was said yet: the line met a server at its end, and another one leads to the next.
            awaitNext();
            return connect(request, new Listening(isSocket, recovering), recovering);
        }
    }

    private void awaitNext() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long since = settings.time.nanoTime();
            long left = NEXT_SERVER_TIME.toNanos();
            while (phase == Phase.NEW && left > 0) {
                settings.time.await(lock, changed, left);
                left = NEXT_SERVER_TIME.toNanos() - (settings.time.nanoTime() - since);
            }
        } finally {
            lock.unlock();
        }
    }

    private Connected connect(Message request, Listening next, boolean recovering)
            throws HttpFailure, InterruptedException {
        lock.lock();
        try {
            if (phase == Phase.ENDED) {
                throw new HttpFailure(HttpFailure.Kind.FINAL, "the connection was closed", null);
            }
            current = next;
        } finally {
            lock.unlock();
        }
        boolean good = false;
        try {
            Message answer = next.line.initialize(wantingNumbers(request));
            RawJson result = answer.result();
            lock.lock();
            try {
                if (result == null) {
                    // Another version may be asked for, on another connection.
                    initialize = recovering ? initialize : null;
                } else if (!recovering && phase == Phase.NEW) {
                    phase = Phase.LIVE;
                    liveSince = settings.time.nanoTime();
                    agreed = result;
                    // In the same step, so that nothing of the line comes before it.
                    inbox.addAnyway(placed(forwarded(answer)));
                }
                good = result != null && phase != Phase.ENDED;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            return new Connected(next, answer);
        } finally {
            if (!good) {
                next.line.close(false);
            }
        }
    }

    private static Message wantingNumbers(Message initialize) {
        RawJson params = initialize.params();
        return params == null
                ? initialize
                : initialize.withParams(Raw.withMeta(params, Wire.NUMBERS, RawJson.parse("true")));
    }

    /** Ends this direction: waits until what was written has been sent, and ends the connection at the server. */
    private void finish() throws IOException {
        Listening listening;
        lock.lock();
        try {
            listening = phase == Phase.LIVE ? current : null;
            if (listening == null) {
                return;
            }
            listening.isFinishing = true;
        } finally {
            lock.unlock();
        }
        try {
            listening.line.finish();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while ending the connection", e);
        }
    }

    @Override
    public void close() {
        Listening listening;
        lock.lock();
        try {
            listening = current;
            current = null;
            phase = Phase.ENDED;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        inbox.abandon();
        if (listening != null) {
            listening.line.close(!settings.leavesRunning);
        }
    }

    void end(@Nullable IOException why) {
        end(why, false);
    }

    private void end(@Nullable IOException why, boolean farewell) {
        Listening listening;
        lock.lock();
        try {
            if (phase == Phase.ENDED) {
                return;
            }
            phase = Phase.ENDED;
            endedBy = why;
            listening = current;
            current = null;
            changed.signalAll();
            String text = "was not sent: " + (why == null ? "the connection has ended" : why.getMessage());
            HttpFailure notSent = new HttpFailure(HttpFailure.Kind.NOT_SENT, text, why);
            for (Message message : waiting) {
                RequestId id = message.id();
                if (message.kind() == Message.Kind.REQUEST && id != null) {
                    inbox.addAnyway(notSent.answer(id));
                }
            }
            waiting.clear();
        } finally {
            lock.unlock();
        }
        inbox.end(why);
        if (listening != null) {
            listening.line.close(farewell);
        }
    }

    // ---- reading

    /** What one line reports; nothing counts any more once another line has taken its place. */
    final class Listening implements Line.Owner {
        final Line line;

        /** Whether another line was before it, whose agent asked under ids that this one's may use again. */
        final boolean isLater;

        /** This side has asked for the end. Guarded by the lock of the transport. */
        private boolean isFinishing;

        /** Why the line is of no use any more, whenever that was. Guarded by the lock of the transport. */
        private @Nullable HttpFailure lost;

        Listening(boolean isSocket, boolean isLater) {
            this.isLater = isLater;
            if (isSocket) {
                line = new SocketLine(settings, this);
            } else {
                line = settings.line == null
                        ? new EventsLine(settings, this)
                        : new TransportLine(settings, settings.line, this);
            }
        }

        @Override
        public void arrived(Message message, String stream) throws InterruptedException {
            awaitBegun(this);
            Message shown = sort(this, message, stream);
            if (shown != null) {
                inbox.put(forwarded(shown));
            }
        }

        @Override
        public void arrived(Message message, String stream, Runnable whenRoom) {
            if (waits(this, () -> arrived(message, stream, whenRoom))) {
                return;
            }
            Message shown = sort(this, message, stream);
            RemoteTransport.this.landed(stream);
            if (shown != null) {
                inbox.put(forwarded(shown), whenRoom);
            } else {
                whenRoom.run();
            }
        }

        @Override
        public void landed(String stream) {
            RemoteTransport.this.landed(stream);
        }

        @Override
        public void undelivered(Message message, HttpFailure why) {
            RequestId id = message.id();
            if (message.kind() == Message.Kind.REQUEST && id != null) {
                fail(this, id, why);
            } else {
                problem("could not be sent: " + message + ": " + why.getMessage(), why);
            }
        }

        @Override
        public void sessionLost(String session, HttpFailure why) {
            for (Message request : requestsOf(this, session)) {
                fail(this, Objects.requireNonNull(request.id(), "a request has an id"), why);
            }
        }

        @Override
        public boolean awaitsOnlyHistory(String session) {
            List<Message> requests = requestsOf(this, session);
            return requests.size() == 1 && Routes.wantsHistory(requests.getFirst());
        }

        @Override
        public void isDown(boolean isDown) {
            reportDown(this, isDown);
        }

        @Override
        public void problem(String detail, Throwable cause) {
            report(detail, cause);
        }

        @Override
        public void lost(HttpFailure why) {
            lose(this, why);
        }

        @Override
        public void ended() {
            lock.lock();
            try {
                if (current != this) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            end(null);
        }
    }

    private void report(String detail, @Nullable Throwable cause) {
        settings.report(detail, cause);
    }

    private void reportDown(Listening from, boolean down) {
        lock.lock();
        try {
            if (current != from || phase != Phase.LIVE || isDown == down) {
                return;
            }
            isDown = down;
        } finally {
            lock.unlock();
        }
        settings.report(down ? RemoteAgent.State.DOWN : RemoteAgent.State.RESUMED);
    }

    /** Waits until the answer to {@code initialize} can be read. */
    private void awaitBegun(Listening from) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (phase == Phase.NEW && current == from) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Keeps something until then, for what must not block. Returns whether it was kept. */
    private boolean waits(Listening from, Runnable arrival) {
        lock.lock();
        try {
            return phase == Phase.NEW && current == from && early.add(arrival);
        } finally {
            lock.unlock();
        }
    }

    /** What arrived on a stream last can be read now. */
    private void landed(String stream) {
        lock.lock();
        try {
            if (replays.landed(stream, settings.time.nanoTime())) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether what a line reports counts still. */
    @GuardedBy("lock")
    private boolean counts(Listening from) {
        return current == from && from.lost == null;
    }

    /** Notes what a message changes. Returns the message that the client is to see now; null for none. */
    private @Nullable Message sort(Listening from, Message message, String stream) {
        lock.lock();
        try {
            if (!counts(from)) {
                return null;
            }
            replays.arrives(stream);
            RequestId id = message.id();
            if (!message.kind().isResponse()) {
                sessions.noteState(message);
                return id == null ? sortNotification(from, message) : sortRequest(from, message, id);
            }
            if (id == null) {
                return message;
            }
            Own mine = own.get(id);
            Message call = mine == null ? calls.get(id) : mine.request;
            if (call == null) {
                // The second answer to what was sent twice, or one that was given up.
                return null;
            }
            if (hasReplay(call, mine) && !stream.equals(call.session()) && !message.isError()) {
                awaitReplay(from, call, message, stream);
                return null;
            }
            return answered(from, call, message);
        } finally {
            lock.unlock();
        }
    }

    /** What the server sends once more was shown already; an answer to it may not have arrived. */
    @GuardedBy("lock")
    private @Nullable Message sortRequest(Listening from, Message message, RequestId id) {
        if (asked.isOpen(message, id)) {
            return null;
        }
        Message answer = asked.answerTo(message);
        if (answer == null) {
            return asked.asks(message, id, from.isLater);
        }
        answer(answer);
        return null;
    }

    @GuardedBy("lock")
    private @Nullable Message sortNotification(Listening from, Message message) {
        if (message.kind() != Message.Kind.NOTIFICATION) {
            return message;
        }
        if (replays.hides(from.line, message, sessions.isLater(message))) {
            return null;
        }
        RawJson params = message.params();
        RawJson cancelled = message.method().equals("$/cancel_request") ? Raw.member(params, "requestId") : null;
        return !from.isLater || cancelled == null || params == null
                ? message
                : asked.cancelled(message, params, cancelled);
    }

    /** Returns whether a request has a session replayed, so that its answer may arrive before the replay does. */
    @GuardedBy("lock")
    private boolean hasReplay(Message call, @Nullable Own mine) {
        return mine == null ? Routes.replays(call.method()) : replays.isHidden(call.session());
    }

    @GuardedBy("lock")
    private void awaitReplay(Listening from, Message call, Message answer, String stream) {
        String session = call.session();
        String after = Raw.text(answer.result(), "_meta", Wire.AFTER);
        // In the same step, so that nothing that comes later is before it.
        replays.answered(session, after).forEach(fresh -> inbox.addAnyway(forwarded(fresh)));
        IncomingReplays.Waiting waiting = replays.await(from.line, session, stream, after, settings.time.nanoTime());
        if (from.line.opened(session)) {
            // Some servers have a stream for it only now.
            replays.arrives(session);
        }
        HttpThreads.start("acp4j-http-replay", () -> handOver(from, call, answer, waiting), this::end);
    }

    /**
     * Hands over the answer to the opening of a session when its replay, which comes on another stream, has arrived.
     */
    private void handOver(Listening from, Message call, Message answer, IncomingReplays.Waiting waiting) {
        boolean arrived = false;
        Message shown;
        lock.lock();
        try {
            while (counts(from) && !arrived) {
                long now = settings.time.nanoTime();
                arrived = waiting.hasArrived(now);
                long left = waiting.nanosLeft(now);
                if (!arrived && left <= 0) {
                    break;
                }
                if (!arrived) {
                    settings.time.await(lock, changed, left);
                }
            }
            waiting.over();
            if (!counts(from)) {
                return;
            }
            shown = answered(from, call, answer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        } finally {
            lock.unlock();
        }
        if (!arrived) {
            report("the answer to " + call.method() + " did not wait any longer for its replay", null);
        }
        if (shown != null) {
            inbox.addAnyway(forwarded(shown));
        }
    }

    /**
     * A request has an answer: it may have opened, closed or set a session. Returns the answer if the client is to see
     * it.
     */
    @GuardedBy("lock")
    private @Nullable Message answered(Listening from, Message call, Message answer) {
        Own mine = own.get(answer.id());
        if (mine != null) {
            mine.answer = answer;
            replays.show(call.session());
            changed.signalAll();
            return null;
        }
        if (calls.remove(answer.id()) == null) {
            return null;
        }
        RawJson result = answer.result();
        if (result != null) {
            note(from, call, result);
        }
        return answer;
    }

    @GuardedBy("lock")
    private void note(Listening from, Message call, RawJson result) {
        String session = call.session();
        RawJson params = call.params();
        switch (call.method()) {
            case "session/new", "session/fork" -> opened(from, Raw.text(result, "sessionId"), params, result);
            case "session/load", "session/resume" -> opened(from, session, params, result);
            case "session/close", "session/delete" -> {
                sessions.closed(session);
                from.line.closed(session);
            }
            case "session/prompt" -> {
                if (Raw.number(agreed, 1, "protocolVersion") >= 2) {
                    sessions.runs(session);
                }
            }
            case "session/set_mode", "session/set_model" -> sessions.set(session, call.method(), call);
            case "session/set_config_option" -> sessions.set(session, Raw.text(params, "configId"), call);
            default -> {
                // Nothing that a new connection would have to know.
            }
        }
    }

    @GuardedBy("lock")
    private void opened(Listening from, String session, @Nullable RawJson params, RawJson result) {
        if (!session.isEmpty()) {
            sessions.opened(session, params, result);
            boolean unused = from.line.opened(session);
        }
    }

    /** Returns the requests about a session that have no answer. */
    private List<Message> requestsOf(Listening from, String session) {
        lock.lock();
        try {
            return current == from
                    ? Stream.concat(
                                    calls.values().stream(),
                                    own.values().stream().map(mine -> mine.request))
                            .filter(request -> request.session().equals(session))
                            .toList()
                    : List.of();
        } finally {
            lock.unlock();
        }
    }

    private void fail(Listening from, RequestId id, HttpFailure why) {
        lock.lock();
        try {
            if (current != from) {
                return;
            }
            Own mine = own.get(id);
            if (mine != null) {
                mine.failure = why;
                changed.signalAll();
                return;
            }
            if (calls.remove(id) == null) {
                return;
            }
        } finally {
            lock.unlock();
        }
        inbox.addAnyway(why.answer(id));
    }

    // ---- a new connection

    private void lose(Listening from, HttpFailure why) {
        boolean recover;
        lock.lock();
        try {
            if (current != from || phase == Phase.ENDED) {
                return;
            }
            from.lost = why;
            if (phase != Phase.LIVE) {
                // The thread that makes the connection looks at it before each step, the one to LIVE included.
                changed.signalAll();
                return;
            }
            recover = settings.recovers && !from.isFinishing && why.kind() != HttpFailure.Kind.FINAL;
            phase = recover ? Phase.RECOVERING : phase;
            patience.ends(liveSince);
        } finally {
            lock.unlock();
        }
        if (!recover) {
            for (Message untaken : from.line.untaken()) {
                RequestId id = untaken.id();
                if (untaken.kind() == Message.Kind.REQUEST && id != null) {
                    fail(from, id, why);
                }
            }
            end(why, mayLiveOn(why));
            return;
        }
        HttpThreads.start("acp4j-http-recovery", () -> recover(from, why), this::end);
    }

    /** Returns whether the server may have the connection still, and its agent, which nobody else would end. */
    private static boolean mayLiveOn(HttpFailure why) {
        return why.status() != 404 && why.status() != 410;
    }

    private void recover(Listening old, HttpFailure why) {
        settings.report(RemoteAgent.State.DOWN);
        keep(old, why);
        whatIsLost(why).forEach(inbox::addAnyway);
        // Before another one has its sessions.
        old.line.close(mayLiveOn(why));
        new Recovery(settings, this, patience).run(why);
    }

    /**
     * What the server has not taken is sent on the next connection, before what was written since. What was so already,
     * and is refused again for the connection, fails: a server may also refuse a session so that it does not know.
     */
    private void keep(Listening old, HttpFailure why) {
        List<Message> untaken = old.line.untaken();
        List<Message> failed = new ArrayList<>();
        lock.lock();
        try {
            Set<Message> before = kept;
            kept = Collections.newSetFromMap(new IdentityHashMap<>());
            for (Message message : untaken.reversed()) {
                RequestId id = message.id();
                if (!mayLiveOn(why) && before.contains(message)) {
                    failed.add(message);
                    continue;
                }
                boolean isRequest = message.kind() == Message.Kind.REQUEST && id != null;
                Cancellation cancellation = Cancellation.of(message);
                // Answers, and what cancels something else, are for the agent that is lost.
                boolean isKept = isRequest
                        ? calls.remove(id) != null
                        : message.kind() == Message.Kind.NOTIFICATION
                                && (cancellation == null || untaken.stream().anyMatch(cancellation::isOf));
                if (isKept) {
                    kept.add(message);
                    waiting.addFirst(message);
                    waitingBytes += message.length();
                }
            }
            for (Message call : calls.values()) {
                if (sets(call)) {
                    String session = call.session();
                    refuseWaiting(
                            session,
                            "session " + session
                                    + " may have another setting than what this was sent for: the outcome of "
                                    + call.method() + " is unknown");
                }
            }
        } finally {
            lock.unlock();
        }
        failed.reversed().forEach(message -> old.undelivered(message, why));
    }

    private static boolean sets(Message call) {
        return switch (call.method()) {
            case "session/set_mode", "session/set_model", "session/set_config_option" -> true;
            default -> false;
        };
    }

    /** A new connection could not be made ready: its agent is lost, too. */
    void giveUp(HttpFailure why) {
        lock.lock();
        try {
            Listening failed = current;
            if (phase == Phase.RECOVERING && failed != null) {
                failed.lost = failed.lost == null ? why : failed.lost;
                // In the same step, so that no answer to it reaches the agent of the next one.
                whatIsLost(why).forEach(inbox::addAnyway);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns what the client hears when an agent is lost: of its calls, its turns, and the questions to it. */
    private List<Message> whatIsLost(HttpFailure why) {
        HttpFailure lost = new HttpFailure(
                HttpFailure.Kind.UNKNOWN,
                "the connection to " + settings.endpoint + " was lost, and the outcome is unknown: " + why.getMessage(),
                why);
        lock.lock();
        try {
            List<Message> heard = new ArrayList<>();
            calls.keySet().forEach(id -> heard.add(lost.answer(id)));
            calls.clear();
            heard.addAll(sessions.interrupt(lost));
            heard.addAll(asked.withdraw());
            return heard;
        } finally {
            lock.unlock();
        }
    }

    /** What a new connection has to begin with. */
    record Known(Message initialize, RawJson agreed, List<OpenSessions.Opened> sessions) {}

    Known known() throws HttpFailure {
        lock.lock();
        try {
            Message first = initialize;
            if (first == null) {
                throw new HttpFailure(HttpFailure.Kind.FINAL, "the connection was never initialized", null);
            }
            return new Known(first, agreed, sessions.all());
        } finally {
            lock.unlock();
        }
    }

    /** Makes another connection, under an id of ours. */
    Connected connectAgain(Message first) throws HttpFailure, InterruptedException {
        return connect(Message.request(nextId(), INITIALIZE, first.params()), true);
    }

    /** Returns whether the server goes on with the numbers of the updates before. */
    boolean reopened(String session, RawJson result) {
        lock.lock();
        try {
            return sessions.reopened(session, result);
        } finally {
            lock.unlock();
        }
    }

    void forget(String session) {
        lock.lock();
        try {
            sessions.closed(session);
        } finally {
            lock.unlock();
        }
    }

    /** A session is not what it was before: what waits for it is not sent, but for what opens or ends it. */
    void refuseWaiting(String session, String why) {
        HttpFailure failure = new HttpFailure(HttpFailure.Kind.REFUSED, why, null);
        lock.lock();
        try {
            List<Message> refused = waiting.stream()
                    .filter(message -> message.session().equals(session)
                            && !Routes.replays(message.method())
                            && !Routes.ends(message.method()))
                    .toList();
            waiting.removeAll(refused);
            for (Message message : refused) {
                RequestId id = message.id();
                waitingBytes -= message.length();
                if (message.kind() == Message.Kind.REQUEST && id != null) {
                    inbox.addAnyway(failure.answer(id));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** A connection has all that was on the one before it: goes on with it, and sends what has waited. */
    void goOn(Connected made, RawJson result) throws HttpFailure {
        List<Message> refused = new ArrayList<>();
        lock.lock();
        try {
            if (phase != Phase.RECOVERING) {
                return;
            }
            requireWhole(made.listening);
            phase = Phase.LIVE;
            liveSince = settings.time.nanoTime();
            agreed = result;
            isDown = false;
            for (Message next = waiting.poll(); next != null; next = waiting.poll()) {
                boolean isRequest = next.kind() == Message.Kind.REQUEST && next.id() != null;
                if (!queue(next, isRequest)) {
                    refused.add(next);
                }
            }
            waitingBytes = 0;
        } finally {
            lock.unlock();
        }
        refused.forEach(this::refuse);
        settings.report(RemoteAgent.State.RECOVERED);
    }

    /** Waits for the next attempt; returns whether there is one. */
    boolean pause(Patience patience, long atLeast) throws InterruptedException {
        return patience.pause(atLeast, lock, changed, this::isRecovering);
    }

    private boolean isRecovering() {
        lock.lock();
        try {
            return phase == Phase.RECOVERING;
        } finally {
            lock.unlock();
        }
    }

    private RequestId nextId() {
        lock.lock();
        try {
            ownIds++;
            return RequestId.of(OWN_IDS + ownIds);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks the agent something that the client does not know of.
     *
     * @param replayed the session whose replay comes before the answer; empty if none does
     */
    Message ask(Listening listening, String method, @Nullable RawJson params, String replayed)
            throws HttpFailure, InterruptedException {
        RequestId id = nextId();
        Own asking = new Own(Message.request(id, method, params));
        lock.lock();
        try {
            own.put(id, asking);
            if (!replayed.isEmpty()) {
                replays.hide(replayed);
            }
            return awaitAnswer(listening, asking, id);
        } finally {
            lock.unlock();
            forget(id, replayed);
        }
    }

    @GuardedBy("lock")
    private Message awaitAnswer(Listening listening, Own asking, RequestId id)
            throws HttpFailure, InterruptedException {
        boolean unused = listening.line.send(asking.request);
        long until = settings.time.nanoTime() + REPLAY_TIME.toNanos();
        while (true) {
            requireWhole(listening);
            Message answer = asking.answer;
            if (answer != null) {
                return answer;
            }
            HttpFailure why = asking.failure;
            if (why != null && why.kind() == HttpFailure.Kind.REFUSED) {
                // The server refuses this one request, and will do so again.
                return why.answer(id);
            }
            if (why != null) {
                throw why;
            }
            long left = until - settings.time.nanoTime();
            if (left <= 0) {
                throw new HttpFailure(HttpFailure.Kind.GONE, "no answer to " + asking.request.method(), null);
            }
            settings.time.await(lock, changed, left);
        }
    }

    /** The line was not lost and not replaced while it was made ready. */
    @GuardedBy("lock")
    private void requireWhole(Listening listening) throws HttpFailure {
        if (current != listening) {
            throw new HttpFailure(HttpFailure.Kind.FINAL, "the connection was closed", null);
        }
        HttpFailure why = listening.lost;
        if (why != null) {
            throw why;
        }
    }

    private void forget(RequestId id, String replayed) {
        lock.lock();
        try {
            Own unused = own.remove(id);
            replays.show(replayed);
        } finally {
            lock.unlock();
        }
    }
}
