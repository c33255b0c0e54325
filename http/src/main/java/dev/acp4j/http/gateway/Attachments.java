package dev.acp4j.http.gateway;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.http.RemoteClient;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The clients of one agent as one transport. Requests get ids of their own on the way in, answers the client's on the
 * way out; what belongs to a session goes to the clients that are attached to it, in one order. A question goes to all
 * that may answer it, also to those that come later, and the first answer counts. A session that lives is loaded and
 * resumed from what was kept of it.
 *
 * <p>The lock guards everything. Clients are written to while holding it, which does not wait: one that has no room is
 * let go if it is not the only one, and waited for, without the lock, if it is.
 */
final class Attachments implements Transport {
    /** What waits for the agent before clients are read no further. */
    private static final int QUEUED_BYTES = 1024 * 1024;

    /** What waits of what the agent says before it is here. */
    private static final long OUTBOX_BYTES = 64 * 1024;

    private static final Set<String> OPENING = Set.of("session/new", "session/load", "session/resume", "session/fork");

    private static final Set<String> ENDING = Set.of("session/close", "session/delete");

    /** What an observer may ask. */
    private static final Set<String> OBSERVING = Set.of("session/load", "session/resume", "session/list");

    /** How long requests that open or end a session wait for the agent to end it. */
    private static final Duration MOST_ENDING = Duration.ofSeconds(30);

    /**
     * A request of a client that is not answered yet.
     *
     * @param live the session that it names, as it was open then; null when it was not
     */
    private record Asked(
            AttachedClient client,
            RequestId id,
            Message request,
            @Nullable SharedSession live) {}

    /** A request of the agent that is not answered yet, and who was asked. */
    private record Question(Message request, Set<AttachedClient> clients) {}

    /**
     * A session that the agent is opening or ending.
     *
     * @param by the request that it has not answered
     * @param since when it was asked
     * @param waiting requests to open or end the session that came meanwhile
     */
    private record Unsettled(RequestId by, boolean isEnding, long since, List<Asked> waiting) {}

    /**
     * A session that the agent was asked here to end.
     *
     * @param answer the agent's answer, once there is one
     */
    private record Ending(String session, CompletableFuture<Message> answer) {}

    private final Time time;
    private final History history;
    private final Runnable onCalm;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Set<AttachedClient> clients = new LinkedHashSet<>();

    /** The client that has prompted last. */
    @GuardedBy("lock")
    private @Nullable AttachedClient leader;

    @GuardedBy("lock")
    private final Map<String, SharedSession> sessions = new HashMap<>();

    @GuardedBy("lock")
    private final Map<String, Unsettled> unsettled = new HashMap<>();

    /** How much is kept of all sessions. */
    @GuardedBy("lock")
    private long keptBytes;

    /** Who is attached to a session. */
    @GuardedBy("lock")
    private final Map<String, Set<AttachedClient>> attached = new HashMap<>();

    @GuardedBy("lock")
    private final Map<RequestId, Asked> asked = new HashMap<>();

    /** What the agent was asked here and by no client: to close or to delete a session. */
    @GuardedBy("lock")
    private final Map<RequestId, Ending> ending = new HashMap<>();

    @GuardedBy("lock")
    private final Map<RequestId, Question> questions = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final ArrayDeque<Message> inbound = new ArrayDeque<>();

    @GuardedBy("lock")
    private long inboundBytes;

    @GuardedBy("lock")
    private long lastId;

    /** The result of {@code initialize}, once there is one. */
    @GuardedBy("lock")
    private @Nullable RawJson initialized;

    /** Requests to initialize that came before that. */
    @GuardedBy("lock")
    private final List<Asked> initializing = new ArrayList<>();

    @GuardedBy("lock")
    private boolean isVersion1 = true;

    @GuardedBy("lock")
    private boolean closed;

    @GuardedBy("lock")
    private long usedAt;

    private final Transport.Reader reader = new Inbound();
    private final Transport.Writer writer = new Outbound();

    /** Whether a session has just become calm. */
    @GuardedBy("lock")
    private boolean calmed;

    /**
     * @param history how much is kept of the sessions of all agents
     * @param onCalm runs without a lock when a session is no longer busy
     */
    Attachments(Time time, History history, Runnable onCalm) {
        this.time = time;
        this.history = history;
        this.onCalm = onCalm;
        this.usedAt = time.nanoTime();
    }

    /**
     * Adds a client, which is read from here on until it leaves; it is closed with this.
     *
     * @return false when the agent is ending, so that the client needs another one
     */
    boolean attach(RemoteClient transport, Message initialize) {
        AttachedClient client = new AttachedClient(transport, initialize);
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            clients.add(client);
            initialize(client, initialize);
        } finally {
            lock.unlock();
        }
        Thread unused =
                Thread.ofVirtual().name("acp4j-gateway-" + transport.name()).start(() -> pump(client));
        return true;
    }

    @GuardedBy("lock")
    private void initialize(AttachedClient client, Message initialize) {
        Asked request = new Asked(client, id(initialize), AttachedClient.withoutFiles(initialize), null);
        RawJson result = initialized;
        if (result != null) {
            send(client, Message.result(request.id, result));
        } else if (initializing.isEmpty()) {
            initializing.add(request);
            var unused = forward(request);
        } else {
            initializing.add(request);
        }
    }

    private static RequestId id(Message request) {
        RequestId id = request.id();
        return id == null ? RequestId.NULL : id;
    }

    /**
     * Ends this if nothing has needed the agent for so long. Returns whether it did.
     *
     * @param before run before anybody notices; must not block
     */
    boolean closeIfIdle(long nanos, Runnable before) {
        lock.lock();
        try {
            boolean idle = clients.isEmpty() && questions.isEmpty() && asked.isEmpty() && !isBusy();
            if (!idle || time.nanoTime() - usedAt < nanos) {
                return false;
            }
            before.run();
            closed = true;
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The agent is of use, although no message shows it. */
    void used() {
        lock.lock();
        try {
            usedAt = time.nanoTime();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a session works. */
    boolean isBusy() {
        lock.lock();
        try {
            return sessions.values().stream().anyMatch(SharedSession::isBusy);
        } finally {
            lock.unlock();
        }
    }

    /** Answers all that wait for an agent, which does not come. */
    void refuse(RpcError error) {
        lock.lock();
        try {
            finishInitialize(Message.error(RequestId.NULL, error));
        } finally {
            lock.unlock();
        }
        close();
    }

    // What clients send.

    private void pump(AttachedClient client) {
        try {
            Message message = client.transport().reader().read();
            while (message != null && take(client, message)) {
                message = client.transport().reader().read();
            }
        } catch (IOException e) {
            // It has left in another way.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            leave(client);
        }
    }

    private boolean take(AttachedClient client, Message message) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (inboundBytes >= QUEUED_BYTES && !closed) {
                changed.await();
            }
            if (closed) {
                return false;
            }
            usedAt = time.nanoTime();
            switch (message.kind()) {
                case REQUEST -> request(client, message);
                case NOTIFICATION -> notification(client, message);
                case RESULT, ERROR, INVALID_RESPONSE -> answer(client, message);
                default -> {
                    // The endpoint lets none of these in but by WebSocket, where it answers them.
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void request(AttachedClient client, Message message) {
        String method = message.method();
        String session = message.session();
        SharedSession live = sessions.get(session);
        Asked request = new Asked(client, id(message), message, live);
        Unsettled open = unsettled.get(session);
        if (client.observes() && !OBSERVING.contains(method)) {
            send(client, Message.error(request.id, observes(method)));
        } else if (open != null && (isOpening(method) || ENDING.contains(method))) {
            // Whether there is a session in the end, and what it is opened with, is not known yet.
            open.waiting.add(request);
        } else if (live != null && isOpening(method)) {
            attachTo(request, live);
        } else if (method.equals("session/close")
                && others(session, client).stream().anyMatch(other -> !other.observes())) {
            // Others go on with it.
            detach(session, client);
            send(client, Message.result(request.id, RawJson.EMPTY_OBJECT));
        } else {
            if (method.equals("session/prompt") && live != null) {
                beginTurn(client, message, live);
            } else if (!session.isEmpty() && isOpening(method)) {
                // What the agent replays before its answer is for this client.
                attached.computeIfAbsent(session, name -> new LinkedHashSet<>()).add(client);
                put(session, new SharedSession(message, method.equals("session/load") || replays(message)));
            }
            RequestId id = forward(request);
            if (ENDING.contains(method) || (!session.isEmpty() && isOpening(method))) {
                await(session, id, ENDING.contains(method));
            }
        }
    }

    @GuardedBy("lock")
    private void await(String session, RequestId by, boolean isEnding) {
        unsettled.put(session, new Unsettled(by, isEnding, time.nanoTime(), new ArrayList<>()));
    }

    /** Returns whether a request opens the session that it names. */
    private static boolean isOpening(String method) {
        return method.equals("session/load") || method.equals("session/resume");
    }

    private static RpcError observes(String method) {
        return new RpcError(
                RpcError.INVALID_REQUEST,
                "an observer may not ask for " + method,
                RawJson.parse("{\"reason\":\"observer\"}"));
    }

    /**
     * Answers a load or resume from what was kept. What the client says of folders and servers changes nothing, and it
     * is shown that.
     */
    @GuardedBy("lock")
    private void attachTo(Asked request, SharedSession live) {
        String session = request.request.session();
        AttachedClient client = request.client;
        boolean isWhole = request.request.method().equals("session/load") || replays(request.request);
        String seen = AttachedClient.meta(request.request, "acp4j/seen");
        List<SharedSession.Numbered> missed = seen == null ? null : live.missed(seen);
        if (missed != null) {
            missed.forEach(update -> send(client, update));
        } else if (isWhole) {
            live.history().forEach(update -> send(client, update));
        }
        RawJson opened = result(client, live, live.opened());
        send(
                client,
                Message.result(
                        request.id, seen != null && live.hasHoleAfter(seen) ? SharedSession.withHole(opened) : opened));
        join(session, client);
        if (isVersion1 && live.isBusy()) {
            send(client, turnState(session, true));
        }
        List<String> differences = live.differences(request.request);
        if (!differences.isEmpty() && (!isVersion1 || client.takesNotices())) {
            send(client, kept(session, differences));
        }
        for (Question question : questions.values()) {
            boolean isOpen = Approvals.isQuestion(question.request.method()) || question.clients.isEmpty();
            if (isOpen
                    && question.request.session().equals(session)
                    && client.canAnswer(question.request)
                    && question.clients.add(client)) {
                send(client, question.request);
            }
        }
    }

    private static RawJson result(AttachedClient client, SharedSession live, RawJson opened) {
        return client.wantsNumbers() ? live.marked(opened) : opened;
    }

    @GuardedBy("lock")
    private void send(AttachedClient client, SharedSession.Numbered update) {
        send(client, client.wantsNumbers() ? update.marked() : update.update());
    }

    private static boolean replays(Message request) {
        return AttachedClient.members(request.params()).containsKey("replayFrom");
    }

    @GuardedBy("lock")
    private void join(String session, AttachedClient client) {
        // It may have left while the agent opened the session.
        if (clients.contains(client)
                && attached.computeIfAbsent(session, name -> new LinkedHashSet<>())
                        .add(client)) {
            tellPresence(session);
        }
    }

    @GuardedBy("lock")
    private void detach(String session, AttachedClient client) {
        if (attached.getOrDefault(session, Set.of()).remove(client)) {
            SharedSession live = sessions.get(session);
            if (live != null) {
                live.used(time.nanoTime());
            }
            tellPresence(session);
        }
    }

    /** Keeps an update, and of the sessions that have most as little as all may have. */
    @GuardedBy("lock")
    private void keep(SharedSession live, Message update) {
        long before = live.bytes();
        live.keep(update);
        count(live.bytes() - before);
        while (keptBytes > history.share()) {
            SharedSession largest = Collections.max(sessions.values(), Comparator.comparingLong(SharedSession::bytes));
            before = largest.bytes();
            largest.dropOldest();
            count(largest.bytes() - before);
        }
    }

    @GuardedBy("lock")
    private void count(long more) {
        keptBytes += more;
        history.add(more);
    }

    /** Begins a session anew, or forgets it. */
    @GuardedBy("lock")
    private void put(String session, @Nullable SharedSession live) {
        SharedSession before = live == null ? sessions.remove(session) : sessions.put(session, live);
        count(before == null ? 0 : -before.bytes());
    }

    /**
     * Forgets the session that was used longest ago, of those that no client has open, and that neither work nor wait,
     * and has the agent close it. A client that opens it meanwhile waits for that. Returns its id; null when there is
     * none.
     */
    @Nullable
    String closeUnattached() {
        lock.lock();
        try {
            long now = time.nanoTime();
            String oldest = null;
            long longest = 0;
            for (Map.Entry<String, SharedSession> entry : sessions.entrySet()) {
                long unused = now - entry.getValue().usedAt();
                if (isUnattached(entry.getKey(), entry.getValue()) && (oldest == null || unused > longest)) {
                    oldest = entry.getKey();
                    longest = unused;
                }
            }
            if (oldest != null) {
                forget(oldest);
                var unused = end(oldest, "session/close");
            }
            return oldest;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has the agent delete a session that is not open. A client that opens it meanwhile waits for that, and finds it
     * deleted. Blocks until the agent has answered.
     *
     * @return false when the session is open, or is just being opened or ended, or there is no agent any more
     * @throws RpcError when the agent has not deleted it
     */
    boolean deleteUnopened(String session) throws InterruptedException {
        CompletableFuture<Message> asked;
        lock.lock();
        try {
            if (closed || sessions.containsKey(session) || unsettled.containsKey(session)) {
                return false;
            }
            asked = end(session, "session/delete");
        } finally {
            lock.unlock();
        }
        try {
            RawJson error = asked.get().error();
            if (error != null) {
                throw RpcError.ofAnswer(error);
            }
            return true;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // It is never completed so.
        } catch (CancellationException e) {
            return false;
        }
    }

    /** Asks the agent to end a session. Returns its answer, which is cancelled when the agent ends before. */
    @GuardedBy("lock")
    private CompletableFuture<Message> end(String session, String method) {
        RequestId id = RequestId.of(++lastId);
        Ending asked = new Ending(session, new CompletableFuture<>());
        await(session, id, true);
        ending.put(id, asked);
        RawJson params = RawJson.of(JsonObject.of(Map.of("sessionId", JsonString.of(session))));
        enqueue(Message.request(id, method, params));
        return asked.answer;
    }

    @GuardedBy("lock")
    private boolean isUnattached(String session, SharedSession live) {
        return !live.isBusy()
                && attached.getOrDefault(session, Set.of()).isEmpty()
                && asked.values().stream()
                        .noneMatch(each -> each.request.session().equals(session))
                && questions.values().stream()
                        .noneMatch(each -> each.request.session().equals(session));
    }

    /** In version 1 agents do not repeat what the user says, so that the other clients would not know. */
    @GuardedBy("lock")
    private void beginTurn(AttachedClient client, Message prompt, SharedSession live) {
        leader = client;
        live.turnBegins();
        live.used(time.nanoTime());
        if (!isVersion1) {
            return;
        }
        for (Message said : live.said(prompt)) {
            keep(live, said);
            SharedSession.Numbered last = live.numbered(said);
            others(prompt.session(), client).forEach(other -> send(other, last));
        }
        others(prompt.session(), client).forEach(other -> send(other, turnState(prompt.session(), true)));
    }

    private static Message kept(String session, List<String> differences) {
        return Message.parse("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":"
                + RawJson.string(session)
                + ",\"update\":{\"sessionUpdate\":\"notice\",\"severity\":\"info\",\"title\":"
                + RawJson.string("The session was open already and keeps its " + String.join(", ", differences))
                + "}}}");
    }

    private static Message turnState(String session, boolean running) {
        return Message.parse("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":"
                + RawJson.string(session)
                + ",\"update\":{\"sessionUpdate\":\"session_info_update\",\"_meta\":{\"acp/turnState\":{\"state\":\""
                + (running ? "running" : "idle") + "\"}}}}}");
    }

    @GuardedBy("lock")
    private List<AttachedClient> others(String session, AttachedClient but) {
        return attached.getOrDefault(session, Set.of()).stream()
                .filter(client -> !client.equals(but))
                .toList();
    }

    @GuardedBy("lock")
    private RequestId forward(Asked request) {
        RequestId id = RequestId.of(++lastId);
        asked.put(id, request);
        enqueue(Message.request(id, request.request.method(), request.request.params()));
        return id;
    }

    @GuardedBy("lock")
    private void enqueue(Message message) {
        inbound.add(message);
        inboundBytes += message.length();
        changed.signalAll();
    }

    @GuardedBy("lock")
    private void notification(AttachedClient client, Message message) {
        if (message.method().equals("$/cancel_request")) {
            RequestId cancelled = requestId(message);
            asked.forEach((id, request) -> {
                if (request.client.equals(client) && request.id.equals(cancelled)) {
                    enqueue(cancel(id));
                }
            });
            for (Unsettled session : unsettled.values()) {
                for (Asked request : List.copyOf(session.waiting)) {
                    if (request.client.equals(client)
                            && request.id.equals(cancelled)
                            && session.waiting.remove(request)) {
                        send(client, Message.error(request.id, RpcError.cancelled()));
                    }
                }
            }
        } else if (!client.observes()) {
            enqueue(message);
        }
    }

    private static @Nullable RequestId requestId(Message cancellation) {
        RawJson params = cancellation.params();
        try {
            if (params != null && params.value() instanceof JsonObject object) {
                JsonValue id = object.members().get("requestId");
                return id == null ? null : RawJson.of(id).decode(RequestId.CODEC);
            }
        } catch (JsonException e) {
            // It cancels nothing.
        }
        return null;
    }

    private static Message cancel(RequestId id) {
        return Message.parse(
                "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":" + id.json() + "}}");
    }

    /**
     * The first answer that fits counts, and the others that were asked need not answer any more. One that does not fit
     * counts if nobody else can answer: a client that cannot show the question must not answer it for all.
     */
    @GuardedBy("lock")
    private void answer(AttachedClient client, Message answer) {
        RequestId id = answer.id();
        Question question = id == null ? null : questions.get(id);
        if (id == null || question == null || !question.clients.contains(client)) {
            return;
        }
        if (question.clients.size() > 1 && !Approvals.isAnswer(question.request, answer)) {
            question.clients.remove(client);
            return;
        }
        questions.remove(id);
        enqueue(answer);
        for (AttachedClient other : question.clients) {
            if (!other.equals(client)) {
                send(other, cancel(id));
            }
        }
    }

    /** The session and its turns go on without the client. */
    private void leave(AttachedClient client) {
        lock.lock();
        try {
            if (!clients.remove(client)) {
                return;
            }
            usedAt = time.nanoTime();
            List.copyOf(attached.keySet()).forEach(session -> detach(session, client));
            for (Question question : List.copyOf(questions.values())) {
                if (question.clients.remove(client) && question.clients.isEmpty()) {
                    ask(question);
                }
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        client.transport().close();
    }

    @GuardedBy("lock")
    private void tellPresence(String session) {
        Set<AttachedClient> present = attached.getOrDefault(session, Set.of());
        if (present.stream().noneMatch(client -> client.wantsPresence())) {
            return;
        }
        List<JsonValue> all = new ArrayList<>();
        for (AttachedClient client : present) {
            all.add(JsonObject.of(Map.of(
                    "name",
                    JsonString.of(client.transport().principal().name()),
                    "role",
                    JsonString.of(client.observes() ? "observer" : "controller"))));
        }
        Message presence = Message.notification(
                "_acp4j/presence",
                RawJson.of(JsonObject.of(Map.of("sessionId", JsonString.of(session), "clients", new JsonArray(all)))));
        for (AttachedClient client : List.copyOf(present)) {
            if (client.wantsPresence()) {
                send(client, presence);
            }
        }
    }

    // What the agent sends.

    @GuardedBy("lock")
    private void send(AttachedClient client, Message message) {
        if (!clients.contains(client)) {
            return;
        }
        if (!client.transport().hasRoom()) {
            letGo(client, "the client takes what it is sent too slowly");
            return;
        }
        try {
            client.transport().writer().write(message);
        } catch (IOException e) {
            letGo(client, "the client could not be sent a message");
        }
    }

    /** The client has to come back, and load its sessions; it slows nobody. Its reading thread does the rest. */
    private static void letGo(AttachedClient client, String reason) {
        Thread unused = Thread.ofVirtual().start(() -> client.transport().drop(reason));
    }

    /** A single client slows its agent. */
    private void awaitRoom() throws IOException {
        RemoteClient only;
        lock.lock();
        try {
            only = clients.size() == 1 ? clients.iterator().next().transport() : null;
        } finally {
            lock.unlock();
        }
        try {
            if (only != null) {
                only.awaitRoom();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted while writing").initCause(e);
        }
    }

    private void deliver(Message message) throws IOException {
        awaitRoom();
        boolean calm;
        lock.lock();
        try {
            if (closed) {
                throw new IOException("the clients have been closed");
            }
            switch (message.kind()) {
                case RESULT, ERROR, INVALID_RESPONSE -> deliverAnswer(message);
                case REQUEST -> ask(message);
                case NOTIFICATION -> announce(message);
                default -> {
                    // No connection sends any.
                }
            }
            calm = calmed;
            calmed = false;
        } finally {
            lock.unlock();
        }
        if (calm) {
            onCalm.run();
        }
    }

    @GuardedBy("lock")
    private void deliverAnswer(Message answer) {
        RequestId id = answer.id();
        Ending ended = id == null ? null : ending.remove(id);
        if (id != null && ended != null) {
            // One that the agent could not end is its own matter; it is opened like any other.
            settle(ended.session, id);
            boolean unused = ended.answer.complete(answer);
            return;
        }
        Asked request = id == null ? null : asked.remove(id);
        if (id == null || request == null) {
            return;
        }
        usedAt = time.nanoTime();
        String method = request.request.method();
        boolean isOk = answer.kind() == Message.Kind.RESULT;
        if (method.equals("initialize")) {
            finishInitialize(answer);
            return;
        }
        String named = request.request.session();
        SharedSession session = sessions.get(named);
        Message shown = answer;
        if (OPENING.contains(method)) {
            shown = finishOpening(request, answer);
        } else if (ENDING.contains(method)) {
            if (isOk && awaits(named, id)) {
                forget(named);
            }
        } else if (isOk && session != null && method.startsWith("session/set_")) {
            session.set(request.request, answer);
        } else if (method.equals("session/prompt") && request.live != null) {
            endTurn(request, request.live);
        }
        send(request.client, withId(shown, request.id));
        if (isOpening(method) || ENDING.contains(method)) {
            settle(named, id);
        }
    }

    /** The session may have been closed and opened again meanwhile, without the turn. */
    @GuardedBy("lock")
    private void endTurn(Asked prompt, SharedSession of) {
        String session = prompt.request.session();
        of.turnEnds();
        calmed = !of.isBusy();
        if (isVersion1 && calmed && of.equals(sessions.get(session))) {
            others(session, prompt.client).forEach(other -> send(other, turnState(session, false)));
        }
    }

    @GuardedBy("lock")
    private void forget(String session) {
        put(session, null);
        attached.remove(session);
    }

    /** Goes on without sessions that the agent should have ended long ago. */
    void tick() {
        lock.lock();
        try {
            long now = time.nanoTime();
            Map.copyOf(unsettled).forEach((session, open) -> {
                if (open.isEnding && now - open.since >= MOST_ENDING.toNanos()) {
                    forget(session);
                    settle(session, open.by);
                }
            });
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean awaits(String session, RequestId by) {
        Unsettled open = unsettled.get(session);
        return open != null && open.by.equals(by);
    }

    /**
     * A session is open, and the next requests attach to it; or it is not, and the next one has it opened. An answer
     * that was no longer waited for changes nothing.
     */
    @GuardedBy("lock")
    private void settle(String session, RequestId by) {
        Unsettled before = awaits(session, by) ? unsettled.remove(session) : null;
        for (Asked next : before == null ? List.<Asked>of() : before.waiting) {
            // Nobody opens a session for a client that has left, but what it has ended ends.
            if (clients.contains(next.client) || ENDING.contains(next.request.method())) {
                request(next.client, next.request);
            }
        }
    }

    @GuardedBy("lock")
    private void finishInitialize(Message answer) {
        RawJson result = answer.result();
        if (result != null) {
            initialized = result;
            isVersion1 = !(result.value() instanceof JsonObject object)
                    || !"2".equals(String.valueOf(object.members().get("protocolVersion")));
        }
        List<Asked> waiting = List.copyOf(initializing);
        initializing.clear();
        for (Asked request : waiting) {
            send(request.client, withId(answer, request.id));
        }
    }

    /** Returns the answer for the client. */
    @GuardedBy("lock")
    private Message finishOpening(Asked request, Message answer) {
        boolean isOk = answer.kind() == Message.Kind.RESULT;
        String named = request.request.session();
        boolean isFork = request.request.method().equals("session/fork");
        String opened = answer.session().isEmpty() && !isFork ? named : answer.session();
        RawJson result = answer.result();
        if (isOk && result != null && !opened.isEmpty()) {
            SharedSession live = sessions.computeIfAbsent(opened, name -> new SharedSession(request.request, !isFork));
            live.opened(result);
            join(opened, request.client);
            return answer.withResult(result(request.client, live, result));
        }
        if (!isOk && !isFork) {
            forget(named);
        }
        return answer;
    }

    private static Message withId(Message answer, RequestId id) {
        RawJson error = answer.error();
        RawJson result = answer.result();
        return result != null
                ? Message.result(id, result)
                : error == null
                        ? Message.error(id, new RpcError(RpcError.INTERNAL_ERROR, "The agent's answer is invalid"))
                        : Message.parse("{\"jsonrpc\":\"2.0\",\"id\":" + id.json() + ",\"error\":" + error + "}");
    }

    @GuardedBy("lock")
    private void ask(Message request) {
        Question question = new Question(request, new LinkedHashSet<>());
        questions.put(id(request), question);
        ask(question);
    }

    /** Asks those who can answer; without any, the next one that comes. */
    @GuardedBy("lock")
    private void ask(Question question) {
        Message request = question.request;
        String session = request.session();
        List<AttachedClient> able = (session.isEmpty() ? clients : attached.getOrDefault(session, Set.of()))
                .stream().filter(client -> client.canAnswer(request)).toList();
        if (!Approvals.isQuestion(request.method()) && able.size() > 1) {
            able = List.of(able.contains(leader) ? leader : able.getFirst());
        }
        for (AttachedClient client : able) {
            question.clients.add(client);
            send(client, request);
        }
    }

    @GuardedBy("lock")
    private void announce(Message notification) {
        if (notification.method().equals("$/cancel_request")) {
            withdraw(notification);
            return;
        }
        String session = notification.session();
        if (session.isEmpty()) {
            List.copyOf(clients).forEach(client -> send(client, notification));
            return;
        }
        SharedSession live = notification.method().equals("session/update") ? sessions.get(session) : null;
        Set<AttachedClient> present = attached.getOrDefault(session, Set.of());
        if (live == null) {
            List.copyOf(present).forEach(client -> send(client, notification));
        } else {
            boolean busy = live.isBusy();
            keep(live, notification);
            calmed |= busy && !live.isBusy();
            usedAt = time.nanoTime();
            SharedSession.Numbered last = live.numbered(notification);
            List.copyOf(present).forEach(client -> send(client, last));
        }
    }

    /** Nobody needs an answer any more. Those who were asked are told; what they answer still is dropped. */
    @GuardedBy("lock")
    private void withdraw(Message cancellation) {
        RequestId id = requestId(cancellation);
        Question question = id == null ? null : questions.remove(id);
        if (question != null && id != null) {
            question.clients.forEach(client -> send(client, cancellation));
            enqueue(Message.error(id, RpcError.cancelled()));
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

    @Override
    public Limits limits(Limits limits) {
        return limits.withQueueBytes(limits.laneBytes(), Math.min(limits.outboxBytes(), OUTBOX_BYTES));
    }

    @Override
    public void close() {
        List<AttachedClient> all;
        lock.lock();
        try {
            closed = true;
            all = List.copyOf(clients);
            clients.clear();
            sessions.clear();
            count(-keptBytes);
            ending.values().forEach(asked -> asked.answer.cancel(false));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        all.forEach(client -> client.transport().close());
    }

    private final class Inbound implements Transport.Reader {
        @Override
        public @Nullable Message read() throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (inbound.isEmpty() && !closed) {
                    changed.await();
                }
                Message message = inbound.poll();
                if (message != null) {
                    inboundBytes -= message.length();
                    changed.signalAll();
                }
                return message;
            } finally {
                lock.unlock();
            }
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
            deliver(message);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            // Each client ends with this.
        }
    }
}
