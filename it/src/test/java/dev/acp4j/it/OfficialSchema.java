package dev.acp4j.it;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.acp4j.json.RawJson;
import dev.acp4j.trace.TraceEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Holds messages against the JSON Schema that the protocol publishes, by their method and direction. */
final class OfficialSchema {
    /** Names for the two files; nothing is fetched. */
    private static final String STABLE = "https://acp.test/v1/schema.json";

    private static final String UNSTABLE = "https://acp.test/v1/schema.unstable.json";

    private static final List<String> KINDS = List.of("Request", "Response", "Notification");

    /** Where a definition stands, and who sends what it defines: client, agent or protocol, which is either. */
    private record Definition(String location, String sender) {}

    private final SchemaRegistry registry;

    /** By kind and method. */
    private final Map<String, Definition> definitions = new ConcurrentHashMap<>();

    private final Map<String, Schema> schemas = new ConcurrentHashMap<>();

    private OfficialSchema(String stable, String unstable) {
        registry = SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12, with -> with.schemas(Map.of(STABLE, stable, UNSTABLE, unstable)));
        index(STABLE, JsonMapper.shared().readTree(stable).get("$defs"));
        index(UNSTABLE, JsonMapper.shared().readTree(unstable).get("$defs"));
    }

    /** Reads a version of the protocol, with its drafts. */
    static OfficialSchema in(Path folder) throws IOException {
        return new OfficialSchema(
                Files.readString(folder.resolve("schema.json")),
                Files.readString(folder.resolve("schema.unstable.json")));
    }

    private void index(String file, JsonNode all) {
        all.properties().forEach(definition -> {
            JsonNode method = definition.getValue().path("x-method");
            for (String kind : KINDS) {
                if (method.isString() && definition.getKey().endsWith(kind)) {
                    String handler = definition.getValue().path("x-side").asString();
                    definitions.putIfAbsent(
                            kind + " " + method.asString(),
                            new Definition(file + "#/$defs/" + definition.getKey(), sender(kind, handler)));
                }
            }
        });
    }

    private static String sender(String kind, String handler) {
        return switch (handler) {
            case "agent" -> kind.equals("Response") ? "agent" : "client";
            case "client" -> kind.equals("Response") ? "client" : "agent";
            default -> handler;
        };
    }

    /** Returns what is wrong with a message, each with the place in it and the place in the schema. */
    List<String> faults(TraceEvent event) {
        List<String> faults = new ArrayList<>();
        if (event.id() != null) {
            faults.addAll(faults("id", event.id(), STABLE + "#/$defs/RequestId"));
        }
        switch (event.type()) {
            case REQUEST -> faults.addAll(faults("Request", "params", event));
            case NOTIFICATION -> faults.addAll(faults("Notification", "params", event));
            case RESULT -> faults.addAll(faults("Response", "result", event));
            case ERROR -> faults.addAll(faults("error", event.body(), STABLE + "#/$defs/Error"));
            case NOISE -> faults.add("not a message");
            case STDERR, END -> {}
        }
        return faults;
    }

    private List<String> faults(String kind, String member, TraceEvent event) {
        String method = event.method();
        if (method == null) {
            return List.of("answers a request that was never read");
        }
        if (method.startsWith("_")) {
            return List.of(); // An extension may have any shape.
        }
        Definition definition = definitions.get(kind + " " + method);
        if (definition == null) {
            return List.of("the schema has no " + kind + " of " + method);
        }
        if (!definition.sender.equals(event.from()) && !definition.sender.equals("protocol")) {
            return List.of("the " + kind + " of " + method + " comes from the " + definition.sender);
        }
        return faults(member, event.body(), definition.location);
    }

    /** What a draft adds to something stable is valid, too: it is sent only where a program has switched it on. */
    private List<String> faults(String member, @Nullable RawJson value, String location) {
        List<String> faults = faultsIn(member, value, location);
        boolean mayBeDraft = !faults.isEmpty() && location.startsWith(STABLE);
        return mayBeDraft
                        && faultsIn(member, value, location.replace(STABLE, UNSTABLE))
                                .isEmpty()
                ? List.of()
                : faults;
    }

    private List<String> faultsIn(String member, @Nullable RawJson value, String location) {
        Schema schema = schemas.computeIfAbsent(location, at -> registry.getSchema(SchemaLocation.of(at)));
        List<Error> errors = schema.validate(value == null ? "null" : value.toString(), InputFormat.JSON);
        return errors.stream()
                .map(error -> member + error.getInstanceLocation() + ": " + error.getMessage() + " ["
                        + error.getSchemaLocation() + "]")
                .toList();
    }
}
