package dev.acp4j.proxy;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which hops are of one message. An answer belongs to the request with its id. What a component sends belongs
 * to what has come to it, and nobody says which: it is what is equal, else the oldest of the same method and session
 * that has not come out yet. A component that changes several requests of one method and session at the same time, and
 * changes their order, is told wrong. For one thread.
 */
final class Flows {
    private static final int MOST_REQUESTS = 10_000;
    private static final int MOST_KEYS = 1_000;
    private static final int MOST_OF_KEY = 256;
    private static final Names UPDATE = Names.of("update");
    private static final Names KIND = Names.of("sessionUpdate");
    private static final Names METHOD = Names.of("method");

    /**
     * A request that was asked.
     *
     * @param by who answers it
     * @param flow its number; 0 when the request is not known
     */
    record Asked(
            String by,
            long flow,
            @Nullable Key key,
            @Nullable Inside inside) {}

    /** Which request, on one hop. */
    private record Question(String asker, boolean toAgent, RequestId id) {}

    /** What might be the same message on its way through a component. */
    private record Key(String at, boolean toAgent, boolean isRequest, String method, String session, String kind) {}

    /** A message that has come to a component. */
    private static final class Inside {
        final long flow;
        final @Nullable RequestId id;
        final long content;
        boolean hasPassed;

        Inside(long flow, Message message) {
            this.flow = flow;
            this.id = message.id();
            this.content = content(message);
        }
    }

    private final Map<Question, Asked> asked = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Question, Asked> eldest) {
            return size() > MOST_REQUESTS;
        }
    };

    private final Map<Key, ArrayDeque<Inside>> inside = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, ArrayDeque<Inside>> eldest) {
            return size() > MOST_KEYS;
        }
    };

    private long last;

    /** Returns the number of a request or notification on its next hop. */
    long call(Hops.Way way, Message message) {
        boolean isRequest = message.id() != null;
        String method = plain(message.method());
        String kind = kind(method, message.params());
        Key out = new Key(way.from(), way.toAgent(), isRequest, method, message.session(), kind);
        Inside same = way.origin() == Hops.Origin.OWN ? null : find(out, message, way.origin() == Hops.Origin.INSIDE);
        long flow = same == null ? ++last : same.flow;
        Inside in = null;
        Key key = null;
        if (!way.isLast()) {
            key = new Key(way.to(), way.toAgent(), isRequest, method, message.session(), kind);
            in = new Inside(flow, message);
            ArrayDeque<Inside> waiting = inside.computeIfAbsent(key, unused -> new ArrayDeque<>());
            waiting.add(in);
            if (waiting.size() > MOST_OF_KEY) {
                waiting.remove();
            }
        }
        RequestId id = message.id();
        if (id != null) {
            asked.put(new Question(way.from(), way.toAgent(), id), new Asked(way.to(), flow, key, in));
        }
        return flow;
    }

    /** Returns who answers a request, and its number. */
    Asked answer(Hops.Way way, RequestId id) {
        Asked request = asked.remove(new Question(way.from(), way.toAgent(), id));
        if (request == null) {
            return new Asked(way.to(), 0, null, null);
        }
        ArrayDeque<Inside> waiting = request.key == null ? null : inside.get(request.key);
        if (waiting != null && request.inside != null) {
            waiting.remove(request.inside);
            if (waiting.isEmpty()) {
                inside.remove(request.key);
            }
        }
        return request;
    }

    private @Nullable Inside find(Key key, Message message, boolean isFromInside) {
        ArrayDeque<Inside> waiting = inside.get(key);
        if (waiting == null) {
            return null;
        }
        List<Inside> all = new ArrayList<>(waiting);
        long content = content(message);
        if (!key.isRequest) {
            // They keep their order, so what is before an equal one was dropped.
            Inside same = all.stream()
                    .filter(one -> one.content == content)
                    .findFirst()
                    .orElse(all.get(0));
            while (!waiting.remove().equals(same)) {
                // Dropped.
            }
            if (waiting.isEmpty()) {
                inside.remove(key);
            }
            return same;
        }
        Inside best = all.get(0);
        int bestRank = -1;
        for (Inside one : all) {
            int rank = (isFromInside && one.id != null && one.id.equals(message.id()) ? 4 : 0)
                    + (one.content == content ? 2 : 0)
                    + (one.hasPassed ? 0 : 1);
            if (rank > bestRank) {
                best = one;
                bestRank = rank;
            }
        }
        best.hasPassed = true;
        return best;
    }

    /** A conductor initializes components by another method than agents. */
    private static String plain(String method) {
        return method.equals("proxy/initialize") || method.equals("_proxy/initialize") ? "initialize" : method;
    }

    private static long content(Message message) {
        RawJson params = message.params();
        return params == null ? 0 : ((long) params.hashCode() << 32) + params.length();
    }

    private static String kind(String method, @Nullable RawJson params) {
        if (params == null) {
            return "";
        }
        return switch (method) {
            case "session/update" -> text(member(params, UPDATE), KIND);
            case "mcp/message" -> text(params, METHOD);
            default -> "";
        };
    }

    private static String text(@Nullable RawJson object, Names name) {
        RawJson value = object == null ? null : member(object, name);
        return value == null || value.reader().kind() != JsonReader.Kind.STRING
                ? ""
                : value.reader().string();
    }

    private static @Nullable RawJson member(RawJson object, Names name) {
        JsonReader in = object.reader();
        if (in.kind() != JsonReader.Kind.OBJECT) {
            return null;
        }
        try {
            in.beginObject();
            int member;
            while ((member = in.member(name)) != JsonReader.END) {
                if (member == 0) {
                    return in.raw();
                }
                in.skip();
            }
        } catch (JsonException e) {
            // The components say what is wrong with it.
        }
        return null;
    }
}
