package dev.acp4j.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Reads a tree with a cursor that now and then goes back to where it was, after having looked further. */
final class RestlessTree {
    private RestlessTree() {}

    static JsonValue read(JsonReader in, Random random) {
        long mark = in.mark();
        int offset = in.offset();
        if (random.nextInt(4) == 0) {
            look(in, random);
            in.rewind(mark);
        }
        if (in.offset() != offset) {
            throw new AssertionError("not back");
        }
        return switch (in.kind()) {
            case OBJECT -> object(in, random);
            case ARRAY -> array(in, random);
            case STRING -> new JsonString(in.string());
            case NUMBER -> new JsonNumber(in.raw().toString());
            case BOOLEAN -> new JsonBoolean(in.bool());
            case NULL -> {
                in.tryNull();
                yield JsonNull.INSTANCE;
            }
        };
    }

    /** Passes the value, or stops somewhere inside it and returns false. */
    private static boolean look(JsonReader in, Random random) {
        boolean object = in.kind() == JsonReader.Kind.OBJECT;
        if ((!object && in.kind() != JsonReader.Kind.ARRAY) || random.nextBoolean()) {
            in.skip();
            return true;
        }
        if (object) {
            in.beginObject();
        } else {
            in.beginArray();
        }
        while (object ? in.nextMember() : in.nextElement()) {
            if (random.nextInt(4) == 0 || !look(in, random)) {
                return false;
            }
        }
        return true;
    }

    private static JsonValue object(JsonReader in, Random random) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        in.beginObject();
        long start = in.mark();
        if (random.nextInt(4) == 0 && in.nextMember()) {
            in.skip();
        }
        in.rewind(start);
        while (in.nextMember()) {
            String name = in.name();
            members.put(name, read(in, random));
        }
        return new JsonObject(members);
    }

    private static JsonValue array(JsonReader in, Random random) {
        List<JsonValue> elements = new ArrayList<>();
        in.beginArray();
        while (in.nextElement()) {
            elements.add(read(in, random));
        }
        return new JsonArray(elements);
    }
}
