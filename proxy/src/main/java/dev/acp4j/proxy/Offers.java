package dev.acp4j.proxy;

import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonNull;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Compares what two answers to an initialization offer. */
final class Offers {
    private static final Set<String> METHODS = Set.of("load", "list", "resume", "close", "fork", "delete");

    private Offers() {}

    /** Returns the methods that are offered first, and then not. */
    static Set<String> lost(RawJson first, RawJson then) {
        Set<String> lost = methods(first);
        lost.removeAll(methods(then));
        return lost;
    }

    /** Returns the methods of sessions that an answer offers by a capability. */
    static Set<String> methods(RawJson answer) {
        Set<String> methods = new TreeSet<>();
        if (answer.value() instanceof JsonObject result) {
            JsonObject ofVersion1 = object(result, "agentCapabilities");
            if (isOffered(ofVersion1, "loadSession")) {
                methods.add("session/load");
            }
            addAll(object(ofVersion1, "sessionCapabilities"), methods);
            addAll(object(object(result, "capabilities"), "session"), methods);
        }
        return methods;
    }

    private static void addAll(JsonObject capabilities, Set<String> methods) {
        for (String name : capabilities.members().keySet()) {
            if (METHODS.contains(name) && isOffered(capabilities, name)) {
                methods.add("session/" + name);
            }
        }
    }

    private static JsonObject object(JsonObject of, String name) {
        JsonValue value = of.members().get(name);
        return value instanceof JsonObject object ? object : new JsonObject(Map.of());
    }

    private static boolean isOffered(JsonObject capabilities, String name) {
        JsonValue value = capabilities.members().get(name);
        return value != null && !(value instanceof JsonNull) && !value.equals(new JsonBoolean(false));
    }
}
