package dev.acp4j.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which sessions of an agent belong to clients of a proxy's own, and not to the client before it. A session of which an
 * update comes before the answer that opens it is decided on in its lane, where that answer stands before it.
 *
 * <p>A session stays known for a while when it has ended: what the agent still says of it is nothing for the client
 * either.
 *
 * <p>The lock guards those that have ended; nothing but the chain is called while it is held.
 */
final class OwnSessions {
    /** How many sessions stay known that have ended. */
    static final int MOST_ENDED = 1000;

    private final Interceptions main;
    private final Map<String, OwnClient> bySession = new ConcurrentHashMap<>();
    private final Set<OwnClient> clients = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();

    /** Sessions that have ended, the oldest first. */
    @GuardedBy("lock")
    private final LinkedHashSet<String> ended = new LinkedHashSet<>();

    /** How many requests that open a session have no answer yet. */
    private final AtomicInteger opening = new AtomicInteger();

    /** Nobody has asked for a client yet, so nobody looks anything up. */
    private volatile boolean isUsed;

    private volatile boolean isOver;

    OwnSessions(Interceptions main) {
        this.main = main;
    }

    /** Connects a client of its own to a proxy. */
    Transport connect(Proxy behind) {
        isUsed = true;
        OwnClient client = new OwnClient(behind, main, this);
        clients.add(client);
        Transport transport = client.connect();
        if (isOver) {
            client.close();
        }
        return transport;
    }

    boolean isUsed() {
        return isUsed;
    }

    boolean isOwn(String session) {
        return bySession.containsKey(session) || hasEnded(session);
    }

    private boolean hasEnded(String session) {
        lock.lock();
        try {
            return ended.contains(session);
        } finally {
            lock.unlock();
        }
    }

    /** The connection has ended. */
    void end() {
        isOver = true;
        clients.forEach(OwnClient::close);
    }

    void closed(OwnClient client) {
        clients.remove(client);
    }

    /** A request that opens a session is about to go out. */
    void beginOpening() {
        opening.incrementAndGet();
        tell(chain -> chain.opening(true));
    }

    void endOpening() {
        opening.decrementAndGet();
        tell(chain -> chain.opening(false));
    }

    /** A request of such a client begins to be in flight, or was answered. */
    void using(boolean begins) {
        tell(chain -> chain.using(begins));
    }

    private void tell(Consumer<ChainSessions> what) {
        ChainSessions chain = main.chainSessions();
        if (chain != null) {
            what.accept(chain);
        }
    }

    /** Returns false when another client has the session. */
    boolean add(String session, OwnClient client) {
        OwnClient before = bySession.putIfAbsent(session, client);
        if (before == null) {
            lock.lock();
            try {
                ended.remove(session);
            } finally {
                lock.unlock();
            }
            tell(chain -> chain.own(session, true));
        }
        return before == null || before.equals(client);
    }

    /** A session was not opened after all. */
    void remove(String session, OwnClient client) {
        if (bySession.remove(session, client)) {
            tell(chain -> chain.own(session, false));
        }
    }

    /** A session has ended, or its client. */
    void ended(String session, OwnClient client) {
        lock.lock();
        try {
            // Known in one of the two at any time.
            ended.add(session);
            bySession.remove(session, client);
            while (ended.size() > MOST_ENDED) {
                String oldest = ended.removeFirst();
                tell(chain -> chain.own(oldest, false));
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- what the agent says

    /** Returns what hands a notification to its client; the ordinary interceptor, or null, if it has no such one. */
    Link.@Nullable NotificationInterceptor notification(
            Message message, Supplier<Link.@Nullable NotificationInterceptor> ordinary) {
        if (isOfClient(message)) {
            return ordinary.get();
        }
        return (came, to) -> {
            OwnClient client = bySession.get(came.session());
            if (client != null) {
                client.hear(came);
            } else if (!hasEnded(came.session())) {
                // Only now it counts among what the client hears.
                Link.NotificationInterceptor interceptor = ordinary.get();
                if (interceptor == null) {
                    to.pass(came);
                } else {
                    interceptor.intercept(came, to);
                }
            }
        };
    }

    /** Whether a message is none of an own session, and of none that is being opened. */
    private boolean isOfClient(Message message) {
        return message.session().isEmpty() || (opening.get() == 0 && !isOwn(message.session()));
    }

    /** Returns what hands a request to its client; the ordinary interceptor, or null, if it has no such one. */
    Link.@Nullable RequestInterceptor request(Message message, Supplier<Link.@Nullable RequestInterceptor> ordinary) {
        if (isOfClient(message)) {
            return ordinary.get();
        }
        return exchange -> {
            OwnClient client = bySession.get(message.session());
            if (client != null) {
                return client.answer(exchange);
            }
            if (hasEnded(message.session())) {
                throw RpcError.sessionNotFound(message.session());
            }
            return main.passOn(exchange, ordinary.get());
        };
    }

    // ---- what the client says

    /** Returns what answers a request of the client that names a session which is not its own. */
    static Link.RequestInterceptor refusal(Message message) {
        return exchange -> {
            throw RpcError.sessionNotFound(message.session());
        };
    }

    /** Returns the answer to a list of sessions without those that are not the client's. */
    Message visible(Message answer) {
        RawJson result = answer.result();
        if (result == null
                || !(result.value() instanceof JsonObject list)
                || list.get("sessions").stream().noneMatch(this::hasOwn)) {
            return answer;
        }
        JsonWriter out = new JsonWriter();
        out.beginObject();
        JsonReader in = result.reader();
        in.beginObject();
        while (in.nextMember()) {
            String name = in.name();
            out.name(name);
            if (name.equals("sessions") && in.kind() == JsonReader.Kind.ARRAY) {
                copy(in, out);
            } else {
                out.raw(in.raw());
            }
        }
        out.endObject();
        return answer.withResult(out.toRawJson());
    }

    private void copy(JsonReader in, JsonWriter out) {
        out.beginArray();
        in.beginArray();
        while (in.nextElement()) {
            RawJson session = in.raw();
            if (!isOwn(session.value())) {
                out.raw(session);
            }
        }
        out.endArray();
    }

    private boolean hasOwn(JsonValue sessions) {
        return sessions instanceof JsonArray array && array.elements().stream().anyMatch(this::isOwn);
    }

    private boolean isOwn(JsonValue session) {
        return session instanceof JsonObject info
                && info.get("sessionId").orElse(null) instanceof JsonString id
                && isOwn(id.value());
    }
}
