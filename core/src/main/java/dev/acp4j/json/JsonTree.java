package dev.acp4j.json;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads and writes trees. Reading uses its own stack; the recursion of writing is limited by the writer. */
final class JsonTree implements Codec<JsonValue> {
    /** A container being read: {@code members} for an object, {@code elements} for an array. */
    private static final class Open {
        final @Nullable Map<String, JsonValue> members;
        final List<JsonValue> elements = new ArrayList<>();
        String name = "";

        Open(boolean object) {
            members = object ? new LinkedHashMap<>() : null;
        }

        /** Moves to the next value, or leaves the container and returns false. */
        boolean next(JsonReader in) {
            if (members == null) {
                return in.nextElement();
            }
            boolean more = in.nextMember();
            if (more) {
                name = in.name();
            }
            return more;
        }

        void add(JsonValue value) {
            if (members == null) {
                elements.add(value);
            } else {
                members.put(name, value);
            }
        }

        JsonValue close() {
            return members == null ? new JsonArray(elements) : new JsonObject(members);
        }
    }

    @Override
    public JsonValue decode(JsonReader in) {
        Deque<Open> stack = new ArrayDeque<>();
        while (true) {
            JsonValue value = scalarOrNull(in);
            if (value == null) {
                boolean object = in.kind() == JsonReader.Kind.OBJECT;
                if (object) {
                    in.beginObject();
                } else {
                    in.beginArray();
                }
                stack.push(new Open(object));
            }
            while (!stack.isEmpty()) {
                if (value != null) {
                    stack.element().add(value);
                }
                if (stack.element().next(in)) {
                    value = null;
                    break;
                }
                value = stack.pop().close();
            }
            if (stack.isEmpty() && value != null) {
                return value;
            }
        }
    }

    private static @Nullable JsonValue scalarOrNull(JsonReader in) {
        JsonReader.Kind kind = in.kind();
        if (kind == JsonReader.Kind.STRING) {
            return new JsonString(in.string());
        }
        if (kind == JsonReader.Kind.NUMBER) {
            return new JsonNumber(in.raw().toString());
        }
        if (kind == JsonReader.Kind.BOOLEAN) {
            return new JsonBoolean(in.bool());
        }
        if (kind == JsonReader.Kind.NULL) {
            in.skip();
            return JsonNull.INSTANCE;
        }
        return null;
    }

    @Override
    public void encode(JsonValue value, JsonWriter out) {
        switch (value) {
            case JsonObject object -> {
                out.beginObject();
                for (Map.Entry<String, JsonValue> member : object.members().entrySet()) {
                    out.name(member.getKey());
                    encode(member.getValue(), out);
                }
                out.endObject();
            }
            case JsonArray array -> {
                out.beginArray();
                for (JsonValue element : array.elements()) {
                    encode(element, out);
                }
                out.endArray();
            }
            case JsonString string -> out.string(string.value());
            case JsonNumber number -> out.literal(number.literal());
            case JsonBoolean bool -> out.bool(bool.value());
            case JsonNull none -> out.nullValue();
        }
    }
}
