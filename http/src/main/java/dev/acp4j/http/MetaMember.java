package dev.acp4j.http;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import java.nio.charset.StandardCharsets;

/**
 * Puts a member into the {@code _meta} of a message's params or result, and changes no other byte. A message that has
 * no place for it stays as it is: an error, params or a result that are no object. A {@code _meta} that is no object is
 * replaced, since it could keep the member off.
 */
final class MetaMember {
    private static final Names BODIES = Names.of("params", "result");
    private static final Names META = Names.of("_meta");

    private MetaMember() {}

    /** Returns the message with the member, whose earlier value it replaces. The name needs no escapes. */
    static RawJson put(RawJson message, String name, RawJson value) {
        JsonReader in = message.reader();
        int body = -1;
        in.beginObject();
        for (int member = in.member(BODIES); member != JsonReader.END; member = in.member(BODIES)) {
            if (member >= 0 && in.kind() == JsonReader.Kind.OBJECT) {
                body = in.offset();
            }
            in.skip();
        }
        return body < 0 ? message : putIntoBody(message, body, name, value);
    }

    private static RawJson putIntoBody(RawJson message, int body, String name, RawJson value) {
        JsonReader in = new JsonReader(message.bytes(), body, message.to());
        int from = -1;
        int to = -1;
        boolean isObject = false;
        boolean isEmpty = true;
        in.beginObject();
        for (int member = in.member(META); member != JsonReader.END; member = in.member(META)) {
            isEmpty = false;
            boolean found = member == 0;
            if (found) {
                isObject = in.kind() == JsonReader.Kind.OBJECT;
                from = in.offset();
            }
            in.skip();
            if (found) {
                to = in.offset();
            }
        }
        String text = "\"" + name + "\":" + value;
        if (from < 0) {
            return replaced(message, body + 1, body + 1, "\"_meta\":{" + text + (isEmpty ? "}" : "},"));
        }
        return isObject ? putIntoMeta(message, from, name, value) : replaced(message, from, to, "{" + text + "}");
    }

    private static RawJson putIntoMeta(RawJson message, int meta, String name, RawJson value) {
        JsonReader in = new JsonReader(message.bytes(), meta, message.to());
        Names wanted = Names.of(name);
        boolean isEmpty = true;
        int from = -1;
        int to = -1;
        in.beginObject();
        for (int member = in.member(wanted); member != JsonReader.END; member = in.member(wanted)) {
            isEmpty = false;
            if (member == 0) {
                from = in.offset();
            }
            in.skip();
            if (member == 0) {
                to = in.offset();
            }
        }
        if (from >= 0) {
            return replaced(message, from, to, value.toString());
        }
        return replaced(message, meta + 1, meta + 1, "\"" + name + "\":" + value + (isEmpty ? "" : ","));
    }

    private static RawJson replaced(RawJson message, int from, int to, String text) {
        byte[] inserted = text.getBytes(StandardCharsets.UTF_8);
        int before = from - message.from();
        int after = message.to() - to;
        byte[] bytes = new byte[before + inserted.length + after];
        System.arraycopy(message.bytes(), message.from(), bytes, 0, before);
        System.arraycopy(inserted, 0, bytes, before, inserted.length);
        System.arraycopy(message.bytes(), to, bytes, before + inserted.length, after);
        return RawJson.wrap(bytes, 0, bytes.length);
    }
}
