package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A connection over Streamable HTTP: each message is a POST, and what the agent says comes on streams of events, one
 * for the connection and one for each session.
 *
 * <p>The messages of a session wait in a lane and are sent one after another by a virtual thread, which exists as long
 * as there are some.
 *
 * <p>The lock guards lanes and streams. Nothing is sent, called or waited for while it is held.
 */
final class EventsLine implements Line {
    private static final int MOST_REFUSALS = 6;
    private static final Set<Integer> FAILURES = Set.of(500, 502, 504);
    private static final Duration LEAVING_TIME = Duration.ofSeconds(2);

    /** The messages of a session, or of the connection, that are sent one after another. */
    private static final class Lane {
        final ArrayDeque<Message> waiting = new ArrayDeque<>();

        /** Whether the server may have taken the first of them. */
        boolean mayBeTaken;

        /** Whether they were handed back, but for the first of them if the server may have taken it. */
        boolean isHandedBack;
    }

    private final RemoteAgent.Settings settings;
    private final Owner owner;
    private final Requests requests;
    private final String keyPrefix = UUID.randomUUID().toString();
    private final AtomicLong keys = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Map<String, Lane> lanes = new HashMap<>();

    @GuardedBy("lock")
    private final Map<String, EventsStream> streams = new HashMap<>();

    /** The sessions that have, or had, a stream. */
    @GuardedBy("lock")
    private final Set<String> listenedTo = new HashSet<>();

    /** Sessions that the server has refused something of: they fail until they are loaded or resumed. */
    @GuardedBy("lock")
    private final Map<String, HttpFailure> broken = new HashMap<>();

    /** Sessions that this side closes or deletes: the end of their streams is no loss. */
    @GuardedBy("lock")
    private final Set<String> leaving = new HashSet<>();

    /** Sessions that this side is opening: some servers know their streams only later. */
    @GuardedBy("lock")
    private final Set<String> opening = new HashSet<>();

    /** The sessions that requests of the agent without an answer are about. */
    @GuardedBy("lock")
    private final Map<RequestId, String> asked = new HashMap<>();

    @GuardedBy("lock")
    private long waitingBytes;

    /** Messages on their way that are in no lane. */
    @GuardedBy("lock")
    private int urgent;

    /** How many streams and messages are tried again at the moment. */
    @GuardedBy("lock")
    private int troubles;

    /** Whether something was tried again, and nothing has succeeded since. */
    @GuardedBy("lock")
    private boolean isDown;

    @GuardedBy("lock")
    private boolean over;

    @GuardedBy("lock")
    private boolean finishing;

    private volatile Resumption resumption = Resumption.NONE;

    EventsLine(RemoteAgent.Settings settings, Owner owner) {
        this.settings = settings;
        this.owner = owner;
        this.requests = new Requests(settings);
    }

    // ---- the beginning

    @Override
    public Message initialize(Message request) throws HttpFailure, InterruptedException {
        try {
            return initialize(request, true);
        } catch (HttpFailure e) {
            // Some servers offer HTTP/2 and fail on it.
            if (e.status() == 500 && requests.fallBackToHttp1()) {
                return initialize(request, true);
            }
            throw e;
        }
    }

    private Message initialize(Message message, boolean again) throws HttpFailure, InterruptedException {
        HttpRequest request = requests.post(message, "").build();
        HttpResponse<InputStream> response = requests.begin(request, ANSWER_TIME);
        requests.note(response);
        if (response.statusCode() == 401 && again) {
            requests.discard(response);
            return initialize(message, false);
        }
        if (response.statusCode() != 200) {
            throw requests.refusal("initialize", response);
        }
        return accept(message, response);
    }

    private Message accept(Message request, HttpResponse<InputStream> response)
            throws HttpFailure, InterruptedException {
        String id = response.headers().firstValue(Wire.CONNECTION_ID).orElse("");
        requests.belongTo(id, "");
        byte[] bytes = requests.rest(response, settings.messageBytes + 1);
        Message answer = Message.parse(RawJson.wrap(bytes, 0, bytes.length));
        if (!answer.kind().isResponse() || !Objects.equals(request.id(), answer.id())) {
            close(true);
            throw new HttpFailure(
                    HttpFailure.Kind.FINAL,
                    settings.endpoint + " is no agent: initialize was answered by "
                            + (answer.kind() == Message.Kind.NOISE ? "something that is not JSON" : answer.toString())
                            + "; check the path of the address",
                    null);
        }
        RawJson result = answer.result();
        if (result == null) {
            return answer;
        }
        if (id.isEmpty()) {
            throw new HttpFailure(
                    HttpFailure.Kind.FINAL,
                    settings.endpoint + " answered initialize without the header " + Wire.CONNECTION_ID,
                    null);
        }
        requests.belongTo(id, Long.toString(Raw.number(result, 1, "protocolVersion")));
        resumption = Resumption.of(result);
        EventsStream unused = open("");
        start("acp4j-http-watch", this::watch);
        return answer;
    }

    /** Starts a thread of the line, which is lost if the thread fails. */
    private void start(String name, Runnable body) {
        HttpThreads.start(name, body, this::lose);
    }

    Resumption resumption() {
        return resumption;
    }

    // ---- sending

    @Override
    public boolean send(Message message) {
        boolean isRequest = message.kind() == Message.Kind.REQUEST;
        boolean isAnswer = message.kind().isResponse();
        lock.lock();
        try {
            if (over) {
                return true;
            }
            String known = isAnswer ? asked.remove(message.id()) : message.session();
            String session = known == null ? "" : known;
            if (Routes.ends(message.method())) {
                leaving.add(session);
            } else if (Routes.replays(message.method())) {
                leaving.remove(session);
            }
            Cancellation cancellation = Cancellation.of(message);
            Lane cancelled = cancellation == null ? null : laneOf(cancellation);
            if (cancelled != null) {
                waitingBytes += message.length();
                cancelled.waiting.add(message);
                return true;
            }
            if (isAnswer || cancellation != null) {
                urgent++;
                start("acp4j-http-post", () -> sendUrgent(message, session));
                return true;
            }
            if (isRequest && waitingBytes > 0 && waitingBytes + message.length() > MOST_WAITING_BYTES) {
                return false;
            }
            waitingBytes += message.length();
            Lane lane = lanes.get(session);
            if (lane != null) {
                lane.waiting.add(message);
                return true;
            }
            Lane begun = new Lane();
            begun.waiting.add(message);
            lanes.put(session, begun);
            start("acp4j-http-post", () -> run(begun, session));
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the lane in which what is cancelled still waits; null if it was sent. */
    @GuardedBy("lock")
    private @Nullable Lane laneOf(Cancellation cancellation) {
        for (Lane lane : lanes.values()) {
            if (lane.waiting.stream().anyMatch(cancellation::isOf)) {
                return lane;
            }
        }
        return null;
    }

    private void sendUrgent(Message message, String session) {
        try {
            boolean unused = deliver(message, session, null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.lock();
            try {
                urgent--;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private void run(Lane lane, String session) {
        Message next = next(lane, session, null);
        while (next != null) {
            try {
                if (!deliver(next, session, lane)) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            next = next(lane, session, next);
        }
    }

    /** Returns the next message of a lane, which ends when there is none. */
    private @Nullable Message next(Lane lane, String session, @Nullable Message done) {
        lock.lock();
        try {
            if (done != null && !lane.isHandedBack) {
                Message unused = lane.waiting.poll();
                waitingBytes -= done.length();
            }
            lane.mayBeTaken = false;
            Message next = over || lane.isHandedBack ? null : lane.waiting.peek();
            if (next == null) {
                boolean unused = lanes.remove(session, lane);
                changed.signalAll();
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<Message> untaken() {
        List<Message> untaken = new ArrayList<>();
        lock.lock();
        try {
            for (Lane lane : lanes.values()) {
                lane.waiting.stream().skip(lane.mayBeTaken ? 1 : 0).forEach(untaken::add);
                lane.isHandedBack = true;
            }
            lanes.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        return untaken;
    }

    /**
     * Sends one message, again if that is allowed and may help, and says what became of it. Returns false if what waits
     * behind it is not sent here: the server does not know the connection, or the line was lost meanwhile.
     *
     * @param lane what it is the first of; null for none
     */
    private boolean deliver(Message message, String session, @Nullable Lane lane) throws InterruptedException {
        try {
            if (!session.isEmpty() && Routes.replays(message.method())) {
                openAndPost(message, session, lane);
                return true;
            }
            if (!session.isEmpty() && needsStream(message)) {
                requireWhole(session);
                open(session).awaitOpen();
            }
            post(message, session, lane);
        } catch (HttpFailure e) {
            if (lane != null && isHandedBack(lane)) {
                if (!isFirstHandedBack(lane)) {
                    owner.undelivered(message, e);
                }
                return false;
            }
            if (e.kind() == HttpFailure.Kind.GONE && lane != null && !e.mayBeDone()) {
                lose(e);
                return false;
            }
            if (message.kind() == Message.Kind.RESULT && e.kind() == HttpFailure.Kind.REFUSED && !e.mayBeDone()) {
                owner.undelivered(message, e);
                return deliver(inPlaceOf(message, e), session, lane);
            }
            if (e.status() == 409 && !session.isEmpty() && !message.method().startsWith("$/")) {
                breakSession(session, e);
            }
            owner.undelivered(message, e);
            if (e.kind() == HttpFailure.Kind.GONE || e.kind() == HttpFailure.Kind.FINAL) {
                // The line is not of unknown outcome, only the message.
                lose(e.as(e.kind()));
            } else if (message.kind() != Message.Kind.REQUEST) {
                // The agent waits for it, or goes by it: without it nothing that follows is right.
                lose(e.as(HttpFailure.Kind.GONE));
            }
        }
        return true;
    }

    /**
     * Returns the answer to the agent when the server refuses the one of the client, of which it may take a shorter.
     */
    private static Message inPlaceOf(Message answer, HttpFailure why) {
        return Message.error(
                Objects.requireNonNull(answer.id(), "a result has an id"),
                new RpcError(RpcError.INTERNAL_ERROR, "the answer of the client did not arrive: " + why.getMessage()));
    }

    private static boolean needsStream(Message message) {
        return !message.kind().isResponse()
                && !message.method().startsWith("$/")
                && !message.method().equals("session/cancel")
                && !message.method().equals("session/close")
                && !message.method().equals("session/delete");
    }

    /**
     * Opens a session, whose stream is listened to before, so that nothing of its history is missed. Some servers know
     * neither the stream nor the header of a session that is not open yet: they get the request without both.
     */
    private void openAndPost(Message message, String session, @Nullable Lane lane)
            throws HttpFailure, InterruptedException {
        isOpening(session, true);
        try {
            open(session).awaitOpen();
            post(message, session, lane);
        } catch (HttpFailure e) {
            if (e.status() != 404 || e.mayBeDone()) {
                throw e;
            }
            post(message, "", lane);
        } finally {
            isOpening(session, false);
        }
    }

    private void isOpening(String session, boolean isOpening) {
        lock.lock();
        try {
            HttpFailure unused = broken.remove(session);
            boolean unusedToo = isOpening ? opening.add(session) : opening.remove(session);
        } finally {
            lock.unlock();
        }
    }

    private void requireWhole(String session) throws HttpFailure {
        lock.lock();
        try {
            HttpFailure why = broken.get(session);
            if (why != null) {
                String text = "the session has lost its stream, load or resume it: " + why.getMessage();
                throw new HttpFailure(HttpFailure.Kind.REFUSED, text, why);
            }
        } finally {
            lock.unlock();
        }
    }

    private void post(Message message, String session, @Nullable Lane lane) throws HttpFailure, InterruptedException {
        String key = resumption.takesKeys() ? keyPrefix + "-" + keys.incrementAndGet() : "";
        boolean mayRepeat = !key.isEmpty() || Resend.isAllowed(message);
        Patience patience = new Patience(settings);
        boolean refreshed = false;
        boolean inTrouble = false;
        int refusals = 0;
        int tries = 0;
        boolean mayHaveArrived = false;
        boolean delivered = false;
        HttpClient failed = null;
        HttpFailure why = new HttpFailure(HttpFailure.Kind.NOT_SENT, "the connection was lost", null);
        try {
            while (true) {
                if (!goesOut(lane, true)) {
                    throw mayHaveArrived ? why.ofUnknownOutcome() : why;
                }
                try {
                    HttpClient client = mayRepeat ? requests.clientAfter(failed) : requests.clientThatIsNotIdle();
                    failed = client;
                    why = attempt(client, message, session, key);
                } catch (HttpFailure e) {
                    why = e;
                }
                if (why == null) {
                    delivered = true;
                    return;
                }
                tries++;
                if (Requests.goesElsewhere(why, tries)) {
                    HttpClient unused = requests.clientAfter(failed);
                    continue;
                }
                if (why.status() == 401 && !refreshed) {
                    // The headers are asked for again, with a newer credential.
                    refreshed = true;
                    failed = null;
                    continue;
                }
                refusals += why.kind() == HttpFailure.Kind.LATER || why.status() > 0 ? 1 : 0;
                mayHaveArrived |= why.kind() == HttpFailure.Kind.UNKNOWN;
                if (!goesOut(lane, mayHaveArrived) || !maySucceedLater(why, mayRepeat, refusals)) {
                    throw mayHaveArrived ? why.ofUnknownOutcome() : why;
                }
                if (!inTrouble) {
                    // A server may hold a message for long, so the outage begins when it is noticed.
                    patience.begins(resumption);
                    inTrouble = trouble();
                }
                if (!pause(patience, why.retryNanos()) || !(lane == null || awaitUrgent(patience))) {
                    throw mayHaveArrived ? why.ofUnknownOutcome() : why;
                }
                if (!mayRepeat) {
                    HttpClient unused = requests.clientAfter(failed);
                }
            }
        } finally {
            if (inTrouble) {
                noTrouble();
            }
            if (delivered) {
                works();
            }
        }
    }

    private @Nullable HttpFailure attempt(HttpClient client, Message message, String session, String key)
            throws HttpFailure, InterruptedException {
        // What is about the protocol itself belongs to no session.
        HttpRequest.Builder post = requests.post(message, message.method().startsWith("$/") ? "" : session);
        if (!key.isEmpty()) {
            post.setHeader(Wire.IDEMPOTENCY_KEY, key);
        }
        HttpResponse<InputStream> response = requests.exchange(client, post.build(), Requests.timeFor(message));
        requests.note(response);
        int status = response.statusCode();
        if (status >= 200 && status < 300) {
            requests.discard(response);
            return null;
        }
        HttpFailure refusal = requests.refusal(message.method().isEmpty() ? "an answer" : message.method(), response);
        // A server that fails, or one behind a gateway, may have taken it before.
        return FAILURES.contains(status) ? refusal.as(HttpFailure.Kind.UNKNOWN) : refusal;
    }

    /** Notes whether the server may have taken the first message of a lane. Returns false if it was handed back. */
    private boolean goesOut(@Nullable Lane lane, boolean mayBeTaken) {
        if (lane == null) {
            return true;
        }
        lock.lock();
        try {
            lane.mayBeTaken = lane.isHandedBack ? lane.mayBeTaken : mayBeTaken;
            return !lane.isHandedBack;
        } finally {
            lock.unlock();
        }
    }

    private boolean isHandedBack(Lane lane) {
        lock.lock();
        try {
            return lane.isHandedBack;
        } finally {
            lock.unlock();
        }
    }

    private boolean isFirstHandedBack(Lane lane) {
        lock.lock();
        try {
            return lane.isHandedBack && !lane.mayBeTaken;
        } finally {
            lock.unlock();
        }
    }

    private static boolean maySucceedLater(HttpFailure why, boolean mayRepeat, int refusals) {
        return switch (why.kind()) {
            case NOT_SENT, ELSEWHERE -> true;
            case UNKNOWN -> mayRepeat && refusals <= MOST_REFUSALS;
            case LATER -> refusals <= MOST_REFUSALS;
            case REFUSED, GONE, FINAL -> false;
        };
    }

    /** Something is tried again. Returns true. */
    boolean trouble() {
        boolean isFirst;
        lock.lock();
        try {
            isFirst = !isDown;
            isDown = true;
            troubles++;
        } finally {
            lock.unlock();
        }
        if (isFirst) {
            owner.isDown(true);
        }
        return true;
    }

    /** It is not tried again any more, whether it has succeeded or not. */
    void noTrouble() {
        lock.lock();
        try {
            troubles--;
        } finally {
            lock.unlock();
        }
    }

    /** Something has succeeded: the outage is over if nothing else is tried again. */
    void works() {
        lock.lock();
        try {
            if (!isDown || troubles > 0 || over) {
                return;
            }
            isDown = false;
        } finally {
            lock.unlock();
        }
        owner.isDown(false);
    }

    /**
     * Waits for the next attempt at something; returns whether there is one, which there is not when the line is over.
     */
    boolean pause(Patience patience, long atLeast) throws InterruptedException {
        return patience.pause(atLeast, lock, changed, () -> !isOver());
    }

    /** After an outage cancellations and answers go first. Returns as {@link #pause} does. */
    private boolean awaitUrgent(Patience patience) throws InterruptedException {
        lock.lock();
        try {
            while (!over && urgent > 0) {
                long left = patience.nanosLeft();
                if (left <= 0) {
                    return false;
                }
                settings.time.await(lock, changed, left);
            }
            return !over;
        } finally {
            lock.unlock();
        }
    }

    // ---- streams

    private EventsStream open(String session) {
        lock.lock();
        try {
            EventsStream known = streams.get(session);
            if (known != null) {
                return known;
            }
            EventsStream stream = new EventsStream(settings, this, requests, session, listenedTo.add(session));
            if (over) {
                stream.stop();
            } else {
                streams.put(session, stream);
                HttpThreads.start("acp4j-http-events", stream);
            }
            return stream;
        } finally {
            lock.unlock();
        }
    }

    /** A message has arrived on a stream. */
    void arrived(Message message, String stream) throws InterruptedException {
        RequestId id = message.id();
        if (message.kind() == Message.Kind.REQUEST && id != null) {
            lock.lock();
            try {
                asked.put(id, message.session());
            } finally {
                lock.unlock();
            }
        }
        owner.arrived(message, stream);
    }

    /** Returns whether the history of a session is all of it that is without an answer. */
    boolean awaitsOnlyHistory(String session) {
        return owner.awaitsOnlyHistory(session);
    }

    private boolean isLeaving(String session) {
        lock.lock();
        try {
            return leaving.contains(session);
        } finally {
            lock.unlock();
        }
    }

    void landed(String stream) {
        owner.landed(stream);
    }

    /** A stream has ended, and is not opened again by itself. */
    void streamOver(EventsStream stream, HttpFailure why) {
        boolean ends;
        lock.lock();
        try {
            boolean unused = streams.remove(stream.session(), stream);
            changed.signalAll();
            if (why.status() == 404 && !stream.wasOpen() && opening.contains(stream.session())) {
                boolean unusedToo = listenedTo.remove(stream.session());
                return;
            }
            ends = finishing && streams.isEmpty() && !over;
            if (finishing && !ends) {
                return;
            }
        } finally {
            lock.unlock();
        }
        if (ends) {
            owner.ended();
        } else if (why.kind() == HttpFailure.Kind.FINAL) {
            lose(why);
        } else if (stream.session().isEmpty()
                || why.kind() == HttpFailure.Kind.GONE
                || (why.status() == 409 && stream.hasCursor() && !isLeaving(stream.session()))) {
            // Only a new connection can bring back what is missing.
            lose(why.as(HttpFailure.Kind.GONE));
        } else if (why.status() > 0) {
            breakSession(stream.session(), why);
        } else {
            owner.sessionLost(stream.session(), why.as(HttpFailure.Kind.UNKNOWN).ofUnknownOutcome());
        }
    }

    @Override
    public boolean opened(String session) {
        lock.lock();
        try {
            boolean isNew = !streams.containsKey(session) && !over;
            EventsStream unused = open(session);
            return isNew;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void closed(String session) {
        EventsStream stream;
        lock.lock();
        try {
            stream = streams.remove(session);
            HttpFailure unused = broken.remove(session);
            boolean unusedToo = leaving.remove(session);
        } finally {
            lock.unlock();
        }
        if (stream != null) {
            stream.stop();
        }
    }

    private void breakSession(String session, HttpFailure why) {
        EventsStream stream;
        boolean isLeaving;
        lock.lock();
        try {
            broken.put(session, why);
            stream = streams.remove(session);
            isLeaving = leaving.remove(session);
        } finally {
            lock.unlock();
        }
        if (stream != null) {
            stream.stop();
        }
        if (isLeaving) {
            start("acp4j-http-leaving", () -> loseLater(session, why));
        } else {
            owner.sessionLost(session, why);
        }
    }

    /** The answer to the end of a session may come on the stream of the connection while its own stream is gone. */
    private void loseLater(String session, HttpFailure why) {
        try {
            if (!isOverWithin(LEAVING_TIME)) {
                owner.sessionLost(session, why);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isOverWithin(Duration time) throws InterruptedException {
        lock.lock();
        try {
            long since = settings.time.nanoTime();
            long left = time.toNanos();
            while (!over && left > 0) {
                settings.time.await(lock, changed, left);
                left = time.toNanos() - (settings.time.nanoTime() - since);
            }
            return over;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean hasPassed(String stream, String cursor) {
        EventsStream known = known(stream);
        return known != null && known.hasPassed(cursor);
    }

    @Override
    public boolean isCut(String stream) {
        EventsStream known = known(stream);
        return known != null && known.isCut();
    }

    private @Nullable EventsStream known(String stream) {
        lock.lock();
        try {
            return streams.get(stream);
        } finally {
            lock.unlock();
        }
    }

    void problem(String detail, Throwable cause) {
        owner.problem(detail, cause);
    }

    // ---- watching, ending

    /** Cuts streams that have been silent for too long, and all of them when the machine has slept. */
    private void watch() {
        long silence = resumption.silence(settings.silence).toNanos();
        Wakefulness wakefulness = new Wakefulness(settings);
        try {
            while (true) {
                List<EventsStream> open;
                lock.lock();
                try {
                    if (!over) {
                        settings.time.await(lock, changed, Math.min(Wakefulness.TICK_NANOS, silence));
                    }
                    if (over) {
                        return;
                    }
                    open = List.copyOf(streams.values());
                } finally {
                    lock.unlock();
                }
                boolean slept = wakefulness.hasSlept();
                long deadBefore = wakefulness.deadBefore(slept, resumption.isOffered(), silence);
                boolean cut = false;
                for (EventsStream stream : open) {
                    cut |= stream.cutIfSilent(deadBefore);
                }
                if (cut || (slept && resumption.isOffered())) {
                    giveUp(slept, silence);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * What is on its way went into the same hole as the streams: it is sent again. To a server that does not recognize
     * a message that comes twice, only what has been on its way for as long as they were silent counts.
     */
    private void giveUp(boolean slept, long silence) {
        long now = settings.time.nanoTime();
        requests.giveUp(
                resumption.takesKeys() ? now : now - silence,
                slept ? "the machine was asleep" : "the server gives no sign of life");
    }

    private void lose(HttpFailure why) {
        if (!isOver()) {
            owner.lost(why);
        }
    }

    @Override
    public boolean isOver() {
        lock.lock();
        try {
            return over;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void finish() throws InterruptedException {
        boolean ends;
        lock.lock();
        try {
            while (!over && (!lanes.isEmpty() || urgent > 0)) {
                changed.await();
            }
            finishing = true;
        } finally {
            lock.unlock();
        }
        if (settings.leavesRunning) {
            owner.ended();
            return;
        }
        // The server ends the streams when it has said everything.
        farewell();
        lock.lock();
        try {
            ends = streams.isEmpty() && !over;
        } finally {
            lock.unlock();
        }
        if (ends) {
            owner.ended();
        }
    }

    /** Ends the connection at the server. */
    private void farewell() throws InterruptedException {
        if (!requests.belongsToConnection()) {
            return;
        }
        try {
            requests.endConnection(FAREWELL_TIME);
        } catch (HttpFailure e) {
            owner.problem("the server could not be asked to end the connection, which it does by itself later", e);
        }
    }

    @Override
    public void close(boolean farewell) {
        List<EventsStream> open;
        boolean isFirst;
        lock.lock();
        try {
            isFirst = !over;
            over = true;
            open = List.copyOf(streams.values());
            streams.clear();
            lanes.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        open.forEach(EventsStream::stop);
        if (farewell && isFirst) {
            try {
                farewell();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        requests.close();
    }
}
