package dev.acp4j.fuzz;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNull;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.Method;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The answer that a line deserves, found from what JSON-RPC says and not from how this library reads it.
 *
 * @param id the id, as JSON
 * @param codes the errors that it may be; empty for a result, or an error of the method's own choice
 */
public record ExpectedAnswer(String id, Set<Integer> codes) {
    private static final int PARSE_ERROR = -32700;
    private static final int INVALID_REQUEST = -32600;
    private static final int METHOD_NOT_FOUND = -32601;
    private static final int INVALID_PARAMS = -32602;

    private static final int LONGEST_ID = 1024;

    /**
     * Returns the answer, or empty if there must be none.
     *
     * @param line what is sent
     * @param methods the methods that the receiver handles
     * @param answersNoise whether the receiver answers what is no message and has no id
     */
    public static Optional<ExpectedAnswer> to(RawJson line, List<Method<?, ?>> methods, boolean answersNoise) {
        JsonValue value;
        try {
            value = line.value();
        } catch (JsonException e) {
            return noise(PARSE_ERROR, answersNoise);
        }
        if (!(value instanceof JsonObject message)) {
            return noise(INVALID_REQUEST, answersNoise);
        }
        boolean hasMethod = message.members().containsKey("method");
        boolean isAnswer = Set.of("id", "result", "error").stream().anyMatch(message.members()::containsKey);
        if (!hasMethod && isAnswer) {
            return Optional.empty();
        }
        boolean isVersion2 = JsonString.of("2.0").equals(message.members().get("jsonrpc"));
        if (!isVersion2 || !(message.members().get("method") instanceof JsonString name) || !isId(message)) {
            return noise(INVALID_REQUEST, answersNoise);
        }
        return request(message, name.value(), methods, answersNoise);
    }

    private static Optional<ExpectedAnswer> noise(int code, boolean answersNoise) {
        return answersNoise ? Optional.of(new ExpectedAnswer("null", Set.of(code))) : Optional.empty();
    }

    private static boolean isId(JsonObject message) {
        JsonValue id = message.members().get("id");
        if (id == null || id instanceof JsonNull) {
            return true;
        }
        boolean isOfType = id instanceof JsonString
                || (id instanceof JsonNumber number && number.literal().matches("-?[0-9]+"));
        return isOfType && RawJson.of(id).length() <= LONGEST_ID;
    }

    private static Optional<ExpectedAnswer> request(
            JsonObject message, String name, List<Method<?, ?>> methods, boolean answersNoise) {
        JsonValue id = message.members().get("id");
        JsonValue params = message.members().getOrDefault("params", JsonNull.INSTANCE);
        boolean isShaped = params instanceof JsonObject || params instanceof JsonArray || params instanceof JsonNull;
        boolean isMixed =
                message.members().containsKey("result") || message.members().containsKey("error");
        if (!isShaped || isMixed) {
            return id == null
                    ? noise(INVALID_REQUEST, answersNoise)
                    : Optional.of(new ExpectedAnswer(RawJson.of(id).toString(), Set.of(INVALID_REQUEST)));
        }
        return id == null
                ? Optional.empty()
                : Optional.of(new ExpectedAnswer(RawJson.of(id).toString(), codes(name, params, methods)));
    }

    /** An id that is in use already may be refused instead, and so may what comes before initialize. */
    private static Set<Integer> codes(String name, JsonValue params, List<Method<?, ?>> methods) {
        if (name.startsWith("_")) {
            return Set.of();
        }
        for (Method<?, ?> method : methods) {
            if (method.name().equals(name) && !method.isNotification()) {
                return isReadable(method, params) ? Set.of() : Set.of(INVALID_PARAMS, INVALID_REQUEST);
            }
        }
        return Set.of(METHOD_NOT_FOUND, INVALID_REQUEST);
    }

    private static boolean isReadable(Method<?, ?> method, JsonValue params) {
        try {
            Object unused = RawJson.of(params instanceof JsonNull ? JsonObject.of(java.util.Map.of()) : params)
                    .decode(method.params());
            return true;
        } catch (JsonException e) {
            return false;
        }
    }
}
