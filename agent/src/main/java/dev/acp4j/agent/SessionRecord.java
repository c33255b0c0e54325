package dev.acp4j.agent;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.Version;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What happened in a conversation, as a line of JSON: an object whose first member names the kind of record. Updates
 * have the form of the params of {@code session/update}.
 */
sealed interface SessionRecord {
    /** The conversation began. The first record of each conversation. */
    record Begun(SessionId id, Path cwd, List<Path> additionalDirectories) implements SessionRecord {
        public Begun {
            additionalDirectories = List.copyOf(additionalDirectories);
        }
    }

    /** A turn began. */
    record TurnBegun(long number) implements SessionRecord {}

    /** An update to be replayed. */
    record Update(SessionId id, SessionUpdate update) implements SessionRecord {}

    /** The conversation has a title. */
    record Titled(String title) implements SessionRecord {}

    /** The client has set the mode. */
    record ModeSet(Mode mode) implements SessionRecord {}

    /** Returns the record as one line without its end. */
    default RawJson toJson() {
        if (this instanceof Update update) {
            return RawJson.encode(SessionNotification.of(update.id, update.update), codec())
                    .compact();
        }
        JsonWriter out = new JsonWriter();
        out.beginObject();
        switch (this) {
            case Begun begun -> {
                out.name("session");
                out.string(begun.id.value());
                out.name("cwd");
                out.string(begun.cwd.toString());
                out.name("additionalDirectories");
                out.beginArray();
                for (Path directory : begun.additionalDirectories) {
                    out.string(directory.toString());
                }
                out.endArray();
            }
            case TurnBegun turn -> {
                out.name("turn");
                out.int64(turn.number);
            }
            case Titled titled -> {
                out.name("title");
                out.string(titled.title);
            }
            case ModeSet set -> {
                out.name("mode");
                out.string(set.mode.id().value());
            }
            case Update update -> throw new AssertionError(update);
        }
        out.endObject();
        return out.toRawJson();
    }

    /** Reads a record. Returns null for one of a kind that this version does not know, and for what is no record. */
    static @Nullable SessionRecord read(byte[] line) {
        try {
            RawJson json = RawJson.parse(line);
            if (!(json.value() instanceof JsonObject object)) {
                return null;
            }
            Map.Entry<String, JsonValue> first = first(object);
            return first == null ? null : read(json, object, first);
        } catch (JsonException | InvalidPathException e) {
            return null;
        }
    }

    private static Map.@Nullable Entry<String, JsonValue> first(JsonObject object) {
        return object.members().isEmpty()
                ? null
                : object.members().entrySet().iterator().next();
    }

    private static @Nullable SessionRecord read(RawJson json, JsonObject object, Map.Entry<String, JsonValue> first) {
        String value = text(first.getValue());
        return switch (first.getKey()) {
            case "sessionId" -> {
                SessionNotification update = json.decode(codec());
                yield new Update(update.sessionId(), update.update());
            }
            case "session" -> {
                String cwd = object.text("cwd").orElse(null);
                JsonValue directories = object.get("additionalDirectories").orElse(null);
                yield value == null || cwd == null
                        ? null
                        : new Begun(SessionId.of(value), Path.of(cwd), paths(directories));
            }
            case "turn" -> first.getValue() instanceof JsonNumber number ? new TurnBegun(number.longValue()) : null;
            case "title" -> value == null ? null : new Titled(value);
            case "mode" -> {
                Mode mode = value == null ? null : Mode.of(value);
                yield mode == null ? null : new ModeSet(mode);
            }
            default -> null;
        };
    }

    private static @Nullable String text(@Nullable JsonValue value) {
        return value instanceof JsonString string ? string.value() : null;
    }

    private static List<Path> paths(@Nullable JsonValue value) {
        List<Path> paths = new ArrayList<>();
        if (value instanceof JsonArray array) {
            for (JsonValue item : array.elements()) {
                String path = text(item);
                if (path != null) {
                    paths.add(Path.of(path));
                }
            }
        }
        return paths;
    }

    private static Codec<SessionNotification> codec() {
        return ClientMethods.UPDATE.params(Version.V1);
    }
}
