package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a request is answered with, unless it becomes a stream.
 *
 * @param status the status
 * @param headers headers beside those of the body
 * @param body the body, which is JSON unless it has another type; null for none
 * @param type its type
 */
record Answer(
        int status, Map<String, String> headers, @Nullable RawJson body, String type) {
    Answer(int status, Map<String, String> headers, @Nullable RawJson body) {
        this(status, headers, body, Wire.JSON);
    }

    static Answer empty(int status) {
        return new Answer(status, Map.of(), null);
    }

    static Answer json(int status, RawJson body) {
        return new Answer(status, Map.of("Cache-Control", "no-store"), body);
    }

    /** A refusal: a word for programs, a sentence for people. */
    static Answer refusal(int status, String reason, String message) {
        return json(
                status,
                RawJson.parse(
                        "{\"reason\":" + RawJson.string(reason) + ",\"message\":" + RawJson.string(message) + "}"));
    }

    Answer with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Answer(status, more, body, type);
    }
}
