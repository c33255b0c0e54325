package dev.acp4j.fuzz;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Changes JSON the way peers get it wrong: values, members, types and whole parts, or tokens and bytes. */
public final class Mutations {
    private static final List<JsonValue> VALUES = values();
    private static final String[] TOKENS = {
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "null",
        "true",
        "0",
        "-",
        ".",
        "e9",
        "\\u",
        "\\ud800",
        "\r",
        "\n",
        "\u0000",
        "NaN",
        "'",
        "//",
        "{}",
        "[]",
        "\"\"",
        "\ufeff",
        "\"id\":1,",
        "\"method\":\"x\",",
        "[[[[[[[["
    };

    private final Random random;
    private final List<JsonValue> donors;

    /** The node to be changed, counted down while walking. */
    private int target;

    /**
     * Creates mutations.
     *
     * @param random where chance comes from
     * @param donors values whose parts are put into others
     */
    public Mutations(Random random, List<JsonValue> donors) {
        this.random = random;
        this.donors = List.copyOf(donors);
    }

    private static List<JsonValue> values() {
        List<JsonValue> values = new ArrayList<>();
        for (String text : List.of(
                "null",
                "true",
                "false",
                "0",
                "-1",
                "-0",
                "0.5",
                "1e400",
                "-1e-400",
                "4294967296",
                "9007199254740993",
                "9223372036854775808",
                "1" + "0".repeat(400),
                "\"\"",
                "\"7\"",
                "\"\\ud800\"",
                "\"\\u0000\"",
                "\"text\"",
                "\"__proto__\"",
                "[]",
                "{}",
                "[[]]",
                "[null]",
                "[1,\"a\",{}]",
                "{\"type\":7}",
                "{\"type\":\"text\"}",
                "{\"\":null}",
                "\"" + "x".repeat(5000) + "\"",
                "[".repeat(100) + "]".repeat(100))) {
            values.add(RawJson.parse(text).value());
        }
        return values;
    }

    /** Returns the text of a changed value; every third time changed as bytes too, so that it may be no JSON. */
    public byte[] text(JsonValue value) {
        RawJson raw = RawJson.of(value(value));
        byte[] bytes = Arrays.copyOfRange(raw.bytes(), raw.from(), raw.to());
        return random.nextInt(3) == 0 ? bytes(bytes) : bytes;
    }

    /** Returns a value that differs in one to three places; sometimes in none. */
    public JsonValue value(JsonValue value) {
        JsonValue changed = value;
        for (int i = random.nextInt(4); i > 0; i--) {
            target = random.nextInt(size(changed));
            changed = walk(changed);
        }
        return changed;
    }

    private static int size(JsonValue value) {
        int size = 1;
        if (value instanceof JsonObject object) {
            for (JsonValue member : object.members().values()) {
                size += size(member);
            }
        } else if (value instanceof JsonArray array) {
            for (JsonValue element : array.elements()) {
                size += size(element);
            }
        }
        return size;
    }

    private JsonValue walk(JsonValue value) {
        if (target-- == 0) {
            return change(value);
        }
        if (value instanceof JsonObject object) {
            Map<String, JsonValue> members = new LinkedHashMap<>();
            object.members().forEach((name, member) -> members.put(name, target < 0 ? member : walk(member)));
            return JsonObject.of(members);
        }
        if (value instanceof JsonArray array) {
            return new JsonArray(array.elements().stream()
                    .map(element -> target < 0 ? element : walk(element))
                    .toList());
        }
        return value;
    }

    private JsonValue change(JsonValue value) {
        return switch (random.nextInt(8)) {
            case 0, 1 -> VALUES.get(random.nextInt(VALUES.size()));
            case 2 -> part(donors.get(random.nextInt(donors.size())));
            case 3 -> JsonArray.of(value);
            case 4 -> otherType(value);
            default -> inside(value);
        };
    }

    private JsonValue part(JsonValue value) {
        List<JsonValue> parts = new ArrayList<>();
        if (value instanceof JsonObject object) {
            parts.addAll(object.members().values());
        } else if (value instanceof JsonArray array) {
            parts.addAll(array.elements());
        }
        return parts.isEmpty() || random.nextInt(3) == 0 ? value : part(parts.get(random.nextInt(parts.size())));
    }

    private static JsonValue otherType(JsonValue value) {
        if (value instanceof JsonString string) {
            return JsonNumber.of(string.value().length());
        }
        return JsonString.of(RawJson.of(value).toString());
    }

    private JsonValue inside(JsonValue value) {
        if (value instanceof JsonObject object && !object.members().isEmpty()) {
            return members(object);
        }
        if (value instanceof JsonArray array) {
            return elements(array);
        }
        if (value instanceof JsonString string && !string.value().isEmpty()) {
            String text = string.value();
            int at = random.nextInt(text.length());
            return JsonString.of(text.substring(0, at) + "_é\n\"".charAt(random.nextInt(4)) + text.substring(at));
        }
        return VALUES.get(random.nextInt(VALUES.size()));
    }

    private JsonValue members(JsonObject object) {
        List<String> names = new ArrayList<>(object.members().keySet());
        String name = names.get(random.nextInt(names.size()));
        JsonValue member = object.members().get(name);
        Map<String, JsonValue> members = new LinkedHashMap<>(object.members());
        switch (random.nextInt(4)) {
            case 0 -> members.remove(name);
            case 1 -> {
                members.remove(name);
                members.put(random.nextBoolean() ? name + "s" : "_" + name, member);
            }
            case 2 -> members.put("zzz", VALUES.get(random.nextInt(VALUES.size())));
            default -> {
                Collections.shuffle(names, random);
                members.clear();
                names.forEach(one -> members.put(one, object.members().get(one)));
            }
        }
        return JsonObject.of(members);
    }

    private JsonValue elements(JsonArray array) {
        List<JsonValue> elements = new ArrayList<>(array.elements());
        int at = random.nextInt(elements.size() + 1);
        if (at < elements.size() && random.nextBoolean()) {
            elements.remove(at);
        } else {
            elements.add(at, VALUES.get(random.nextInt(VALUES.size())));
        }
        return new JsonArray(elements);
    }

    /** Returns a text changed in one to three places, whatever stands there. */
    public byte[] bytes(byte[] text) {
        byte[] bytes = text;
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            int at = random.nextInt(bytes.length + 1);
            int end = Math.min(bytes.length, at + random.nextInt(random.nextInt(10) == 0 ? 200 : 4));
            bytes = switch (random.nextInt(6)) {
                case 0 -> random.nextInt(3) == 0 ? Arrays.copyOf(bytes, at) : bytes;
                case 1 -> splice(bytes, at, end, new byte[0]);
                case 2 -> splice(bytes, at, at, new byte[] {(byte) random.nextInt(256)});
                case 3 -> splice(bytes, at, Math.min(bytes.length, at + 1), new byte[] {(byte) random.nextInt(256)});
                case 4 -> splice(bytes, at, at, TOKENS[random.nextInt(TOKENS.length)].getBytes(StandardCharsets.UTF_8));
                default -> splice(bytes, at, at, Arrays.copyOfRange(bytes, at, end));
            };
        }
        return bytes;
    }

    private static byte[] splice(byte[] bytes, int from, int to, byte[] with) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length + with.length);
        out.write(bytes, 0, from);
        out.writeBytes(with);
        out.write(bytes, to, bytes.length - to);
        return out.toByteArray();
    }
}
