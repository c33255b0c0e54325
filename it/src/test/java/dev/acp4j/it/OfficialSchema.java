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
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Holds messages against the JSON Schema that the protocol publishes for one version, by their method and direction:
 * the stable file, and the one with the drafts for what only that has.
 */
final class OfficialSchema {
    /** Names for the two files; nothing is fetched. */
    private static final String STABLE = "https://acp.test/schema.json";

    private static final String UNSTABLE = "https://acp.test/schema.unstable.json";

    /** Warns of each keyword of the protocol's own. Held here, since a logger that nobody holds forgets its level. */
    private static final Logger VALIDATOR = Logger.getLogger("com.networknt.schema");

    private static final List<String> KINDS = List.of("Request", "Response", "Notification");

    /** The name of a definition, and who sends what it defines: client, agent or protocol, which is either. */
    private record Definition(String name, String sender) {}

    private final SchemaRegistry registry;

    /** By file, kind and method. */
    private final Map<String, Definition> definitions = new ConcurrentHashMap<>();

    private final Map<String, Schema> schemas = new ConcurrentHashMap<>();

    /** By file, the values of {@code sessionUpdate}. */
    private final Map<String, Set<String>> updates;

    private OfficialSchema(String stable, String unstable) {
        VALIDATOR.setLevel(Level.SEVERE);
        registry = SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12, with -> with.schemas(Map.of(STABLE, stable, UNSTABLE, unstable)));
        JsonNode all = JsonMapper.shared().readTree(stable).get("$defs");
        JsonNode allWithDrafts = JsonMapper.shared().readTree(unstable).get("$defs");
        index(STABLE, all);
        index(UNSTABLE, allWithDrafts);
        updates = Map.of(STABLE, updates(all), UNSTABLE, updates(allWithDrafts));
    }

    /** Reads a version of the protocol, with its drafts. */
    static OfficialSchema in(Path folder) throws IOException {
        return new OfficialSchema(
                Files.readString(folder.resolve("schema.json")),
                Files.readString(folder.resolve("schema.unstable.json")));
    }

    private static Set<String> updates(JsonNode definitions) {
        Set<String> kinds = new TreeSet<>();
        JsonNode update = definitions.get("SessionUpdate");
        for (JsonNode variant : update.has("oneOf") ? update.get("oneOf") : update.get("anyOf")) {
            JsonNode kind = variant.path("properties").path("sessionUpdate").path("const");
            if (kind.isString()) {
                kinds.add(kind.asString());
            }
        }
        return kinds;
    }

    private void index(String file, JsonNode all) {
        all.properties().forEach(definition -> {
            JsonNode method = definition.getValue().path("x-method");
            for (String kind : KINDS) {
                if (method.isString() && definition.getKey().endsWith(kind)) {
                    String handler = definition.getValue().path("x-side").asString();
                    definitions.put(
                            file + " " + kind + " " + method.asString(),
                            new Definition(definition.getKey(), sender(kind, handler)));
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

    /** Returns the kinds of {@code session/update}. */
    Set<String> updates(boolean withDrafts) {
        return Objects.requireNonNull(updates.get(withDrafts ? UNSTABLE : STABLE));
    }

    /** Returns the methods, without drafts, that a side calls. */
    Set<String> methodsFrom(String sender) {
        Set<String> methods = new TreeSet<>();
        definitions.forEach((key, definition) -> {
            String[] words = key.split(" ", -1);
            if (words[0].equals(STABLE) && !words[1].equals("Response") && definition.sender.equals(sender)) {
                methods.add(words[2]);
            }
        });
        return methods;
    }

    /**
     * What the two files say of a message.
     *
     * @param faults what is wrong with it, each with the place in it and the place in the schema; a message that the
     *     stable file forbids is a draft, if the other allows it
     * @param isDraft whether only the drafts allow it
     */
    record Verdict(List<String> faults, boolean isDraft) {}

    /** Holds a message against both files. */
    Verdict judge(TraceEvent event) {
        List<String> faults = faults(event, STABLE);
        // Open unions of the stable file take drafts for variants that nobody knows; only the other says what they are.
        List<String> asDraft = faults(event, UNSTABLE);
        boolean isAllowed = faults.isEmpty() || asDraft.isEmpty();
        return new Verdict(isAllowed ? asDraft : faults, !faults.isEmpty() && asDraft.isEmpty());
    }

    private List<String> faults(TraceEvent event, String file) {
        List<String> faults = new ArrayList<>();
        // An error has the id null when that of the request cannot be read, in version 2, too.
        boolean isOfNoRequest = event.type() == TraceEvent.Type.ERROR && RawJson.NULL.equals(event.id());
        if (event.id() != null && !isOfNoRequest) {
            faults.addAll(faults("id", event.id(), file, "RequestId"));
        }
        switch (event.type()) {
            case REQUEST -> faults.addAll(faults("Request", "params", event, file));
            case NOTIFICATION -> faults.addAll(faults("Notification", "params", event, file));
            case RESULT -> faults.addAll(faults("Response", "result", event, file));
            case ERROR -> faults.addAll(faults("error", event.body(), file, "Error"));
            case NOISE -> faults.add("not a message");
            case STDERR, END, CHAIN -> {}
        }
        return faults;
    }

    private List<String> faults(String kind, String member, TraceEvent event, String file) {
        String method = event.method();
        if (method == null) {
            return List.of("answers a request that was never read");
        }
        if (method.startsWith("_") || method.startsWith("nes/") || method.startsWith("document/")) {
            return List.of(); // An extension may have any shape, and no schema has next edit suggestions.
        }
        Definition definition = definitions.get(file + " " + kind + " " + method);
        if (definition == null) {
            return List.of("the schema has no " + kind + " of " + method);
        }
        if (!definition.sender.equals(event.from()) && !definition.sender.equals("protocol")) {
            return List.of("the " + kind + " of " + method + " comes from the " + definition.sender);
        }
        return faults(member, event.body(), file, definition.name);
    }

    private List<String> faults(String member, @Nullable RawJson value, String file, String definition) {
        Schema schema = schemas.computeIfAbsent(
                file + "#/$defs/" + definition, at -> registry.getSchema(SchemaLocation.of(at)));
        List<Error> errors = schema.validate(value == null ? "null" : value.toString(), InputFormat.JSON);
        return errors.stream()
                .map(error -> member + error.getInstanceLocation() + ": " + error.getMessage() + " ["
                        + error.getSchemaLocation() + "]")
                .toList();
    }
}
