package dev.acp4j.http.gateway;

import dev.acp4j.http.RemoteClient;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A client of a shared agent, and what it has said of itself in {@code initialize}. The same only as itself. */
final class AttachedClient {
    private static final String CAPABILITIES_1 = "clientCapabilities";
    private static final String CAPABILITIES_2 = "capabilities";

    private final RemoteClient transport;
    private final boolean observes;
    private final boolean wantsPresence;
    private final boolean showsForms;
    private final boolean wantsNumbers;
    private final boolean takesNotices;

    AttachedClient(RemoteClient transport, Message initialize) {
        this.transport = transport;
        this.observes = "observer".equals(meta(initialize, "acp4j/role"));
        this.wantsPresence = "true".equals(meta(initialize, "acp4j/presence"));
        this.wantsNumbers = "true".equals(meta(initialize, "acp4j/updateNumbers"));
        this.showsForms = capabilities(initialize).containsKey("elicitation");
        this.takesNotices = capabilities(initialize).get("session") instanceof JsonObject session
                && session.members().get("notices") instanceof JsonObject;
    }

    RemoteClient transport() {
        return transport;
    }

    /** Returns whether it only watches. */
    boolean observes() {
        return observes;
    }

    /** Returns whether it wants to know who else is there. */
    boolean wantsPresence() {
        return wantsPresence;
    }

    /** Returns whether it wants updates with their numbers, to get what it has missed when it comes back. */
    boolean wantsNumbers() {
        return wantsNumbers;
    }

    /** Returns whether it shows notices, which in version 1 is a capability. */
    boolean takesNotices() {
        return takesNotices;
    }

    boolean canAnswer(Message question) {
        return !observes && (showsForms || !question.method().equals("elicitation/create"));
    }

    /** Returns a member of the {@code _meta} of a request; null if there is none. */
    static @Nullable String meta(Message request, String name) {
        if (!(members(request.params()).get("_meta") instanceof JsonObject meta)) {
            return null;
        }
        JsonValue value = meta.members().get(name);
        return value instanceof JsonString text ? text.value() : value == null ? null : value.toString();
    }

    /** Returns the members of an object; none of anything else. */
    static Map<String, JsonValue> members(@Nullable RawJson json) {
        return json != null && json.value() instanceof JsonObject object ? object.members() : Map.of();
    }

    private static Map<String, JsonValue> capabilities(Message initialize) {
        Map<String, JsonValue> params = members(initialize.params());
        JsonValue found = params.getOrDefault(CAPABILITIES_1, params.get(CAPABILITIES_2));
        return found instanceof JsonObject object ? object.members() : Map.of();
    }

    /**
     * Returns the request without files and terminals of the client: those of one client are nothing to the others, and
     * it may leave.
     */
    static Message withoutFiles(Message initialize) {
        Map<String, JsonValue> params = new LinkedHashMap<>(members(initialize.params()));
        for (String name : List.of(CAPABILITIES_1, CAPABILITIES_2)) {
            if (params.get(name) instanceof JsonObject offered) {
                Map<String, JsonValue> rest = new LinkedHashMap<>(offered.members());
                rest.keySet().removeAll(Set.of("fs", "terminal"));
                params.put(name, JsonObject.of(rest));
            }
        }
        return initialize.withParams(RawJson.of(JsonObject.of(params)));
    }
}
