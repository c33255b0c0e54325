package dev.acp4j.proxy;

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
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Which sessions of an agent belong to clients of a proxy's own, and not to the client before it. A session of which an
 * update comes before the answer that opens it is decided on in its lane, where that answer stands before it.
 *
 * <p>A session stays known when it has ended: what the agent still says of it is nothing for the client either.
 */
final class OwnSessions {
    private final Interceptions main;
    private final Map<String, OwnClient> bySession = new ConcurrentHashMap<>();
    private final Set<OwnClient> clients = ConcurrentHashMap.newKeySet();

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
        return bySession.containsKey(session);
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
    }

    void endOpening() {
        opening.decrementAndGet();
    }

    /** Returns false when another client has the session. */
    boolean add(String session, OwnClient client) {
        OwnClient before = bySession.putIfAbsent(session, client);
        return before == null || before.equals(client);
    }

    void remove(String session, OwnClient client) {
        bySession.remove(session, client);
    }

    // ---- what the agent says

    /** Returns what hands a notification to its client; the ordinary interceptor, or null, if it has no such one. */
    Link.@Nullable NotificationInterceptor notification(
            Message message, Link.@Nullable NotificationInterceptor ordinary) {
        if (message.session().isEmpty() || (!isOwn(message.session()) && opening.get() == 0)) {
            return ordinary;
        }
        return (came, to) -> {
            OwnClient client = bySession.get(came.session());
            if (client != null) {
                client.hear(came);
            } else if (ordinary == null) {
                to.pass(came);
            } else {
                ordinary.intercept(came, to);
            }
        };
    }

    /** Returns what hands a request to its client; the ordinary interceptor, or null, if it has no such one. */
    Link.@Nullable RequestInterceptor request(Message message, Link.@Nullable RequestInterceptor ordinary) {
        if (message.session().isEmpty() || (!isOwn(message.session()) && opening.get() == 0)) {
            return ordinary;
        }
        return exchange -> {
            OwnClient client = bySession.get(message.session());
            if (client != null) {
                return client.answer(exchange);
            }
            return ordinary == null ? exchange.forward(exchange.request().params()) : ordinary.intercept(exchange);
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
