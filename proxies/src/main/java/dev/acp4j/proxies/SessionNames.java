package dev.acp4j.proxies;

import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.Method;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Sessions that the client knows by other ids than the agent. Those that are not listed pass untouched. */
final class SessionNames {
    private static final String MEMBER = "sessionId";

    /** By the client of each connection; gone with the connection. */
    private final Map<Neighbour, Both> names = Collections.synchronizedMap(new WeakHashMap<>());

    private record Both(Map<String, String> toAgent, Map<String, String> toClient) {
        Both() {
            this(new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
        }
    }

    /** From now on a session has another id at the agent. */
    void put(Neighbour client, String atClient, String atAgent) {
        Both both = names.computeIfAbsent(client, key -> new Both());
        both.toClient.put(atAgent, atClient);
        both.toAgent.put(atClient, atAgent);
    }

    Proxy proxy() {
        Proxy.Builder proxy = Proxy.builder("record", "1").filter();
        for (Method.Side to : new Method.Side[] {Method.Side.AGENT, Method.Side.CLIENT}) {
            proxy.onRequests(to, method -> !method.equals("initialize"), (params, hop) -> {
                RawJson named = named(params, hop, to);
                return named == null ? hop.forward() : hop.forward(named);
            });
            proxy.onNotifications(to, method -> true, (params, hop) -> {
                RawJson named = named(params, hop, to);
                if (named == null) {
                    hop.forward();
                } else {
                    hop.forward(named);
                }
            });
        }
        return proxy.build();
    }

    /** Returns params with the id that the receiver knows; null if that is the one they have. */
    private @Nullable RawJson named(RawJson params, Hop hop, Method.Side to) {
        Both both = names.get(hop.client());
        String session = both == null ? null : Members.text(params, MEMBER);
        String other = both == null || session == null
                ? null
                : (to == Method.Side.AGENT ? both.toAgent : both.toClient).get(session);
        return other == null ? null : Members.with(params, MEMBER, RawJson.string(other));
    }
}
