package dev.acp4j.cli.agents;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.registry.Installation;
import java.util.LinkedHashMap;
import java.util.Map;

/** What was done to installations, as JSON. */
final class Receipts {
    private Receipts() {}

    static JsonObject json(String event, Installation installation) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("event", JsonString.of(event));
        members.put("id", JsonString.of(installation.id()));
        members.put("version", JsonString.of(installation.version()));
        members.put("folder", JsonString.of(installation.folder().toString()));
        return JsonObject.of(members);
    }
}
