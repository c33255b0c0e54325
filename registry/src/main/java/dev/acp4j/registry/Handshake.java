package dev.acp4j.registry;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What agents answered to their last {@code initialize}, kept for people and for a choice by capability. */
final class Handshake {
    private static final Duration TIME = Duration.ofSeconds(60);

    private final Path folder;

    Handshake(Store store) {
        this.folder = store.root().resolve(".answers");
    }

    /**
     * Starts an agent, initializes it, ends it, and keeps its answer. Its failure is that of {@link Client#connect}.
     */
    JsonObject play(String id, Launch launch) throws IOException, InterruptedException {
        Path cwd = Files.createTempDirectory("acp-agent-");
        try (ConnectedAgent agent =
                Client.builder("acp4j-registry", "1").startTimeout(TIME).connect(launch.cwd(cwd))) {
            JsonObject answer =
                    Json.object(Objects.requireNonNull(agent.raw().result()).value(), "initialize");
            keep(id, answer);
            return answer;
        } finally {
            long unused = Folders.delete(cwd);
        }
    }

    void keep(String id, JsonObject answer) throws IOException {
        if (of(id).filter(answer::equals).isPresent()) {
            return;
        }
        Folders.write(
                Folders.create(folder).resolve(id + ".json"),
                Json.lines(answer).getBytes(StandardCharsets.UTF_8),
                "rw-------");
    }

    void forget(String id) throws IOException {
        boolean unused = Files.deleteIfExists(folder.resolve(id + ".json"));
    }

    Optional<JsonObject> of(String id) {
        try {
            String text = Folders.text(folder.resolve(id + ".json"));
            return text == null
                    ? Optional.empty()
                    : Optional.of(Json.object(RawJson.parse(text).value(), "initialize"));
        } catch (IOException | JsonException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns whether an answer has a capability, such as {@code loadSession} or {@code promptCapabilities.image}. */
    static boolean has(JsonObject answer, String capability) {
        JsonValue value = answer.get("agentCapabilities").orElse(answer);
        for (String part : List.of(capability.split("\\."))) {
            if (!(value instanceof JsonObject object)) {
                return false;
            }
            value = object.get(part).orElse(null);
            if (value == null) {
                return false;
            }
        }
        return !List.of("false", "null", "").contains(value.toString());
    }

    /** Returns the ways to log in of an answer. */
    static List<JsonObject> logins(JsonObject answer) {
        return answer.get("authMethods").orElse(null) instanceof JsonArray methods
                ? methods.elements().stream()
                        .filter(JsonObject.class::isInstance)
                        .map(JsonObject.class::cast)
                        .toList()
                : List.of();
    }
}
