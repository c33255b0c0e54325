package dev.acp4j.http.gateway;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an agent asks, as text, in either version of the protocol: whole, since who decides must see what it is about.
 *
 * @param title what it wants to do
 * @param kind the kind of tool, or of what is asked for; empty when it has none
 * @param details commands, changes and arguments
 * @param options the agent's own options
 */
record QuestionText(String title, String kind, List<String> details, List<Option> options) {
    /** An option, in the words of the agent. */
    record Option(String id, String name, String kind) {}

    static QuestionText of(RawJson params) {
        JsonObject question;
        try {
            question = params.value() instanceof JsonObject object ? object : JsonObject.of(Map.of());
        } catch (JsonException e) {
            question = JsonObject.of(Map.of());
        }
        JsonObject subject = object(question.members().get("subject"));
        JsonObject call = object(question.members().get("toolCall"));
        if (call == null && subject != null) {
            call = object(subject.members().get("toolCall"));
        }
        List<String> details = new ArrayList<>();
        question.text("description").ifPresent(details::add);
        if (subject != null) {
            subject.text("command").ifPresent(command -> details.add("$ " + command));
            subject.text("cwd").ifPresent(cwd -> details.add("in " + cwd));
        }
        String title = question.text("title").orElse("");
        String kind = subject == null ? "" : subject.text("type").orElse("");
        if (call != null) {
            title = title.isEmpty() ? call.text("title").orElse("") : title;
            kind = call.text("kind").orElse(kind);
            details.addAll(details(call));
        } else if (subject != null && details.isEmpty()) {
            details.add(subject.toString());
        }
        return new QuestionText(
                title.isEmpty() ? "A tool asks for permission" : title,
                kind,
                details,
                options(question.members().get("options")));
    }

    private static @Nullable JsonObject object(@Nullable JsonValue value) {
        return value instanceof JsonObject object ? object : null;
    }

    private static List<String> details(JsonObject call) {
        List<String> details = new ArrayList<>();
        if (call.members().get("content") instanceof JsonArray content) {
            for (JsonValue part : content.elements()) {
                if (part instanceof JsonObject object) {
                    details.add(detail(object));
                }
            }
        }
        if (call.members().get("locations") instanceof JsonArray locations) {
            for (JsonValue location : locations.elements()) {
                if (location instanceof JsonObject object) {
                    object.text("path").ifPresent(details::add);
                }
            }
        }
        JsonValue input = call.members().get("rawInput");
        if (input != null) {
            details.add(
                    input instanceof JsonObject object && object.text("command").isPresent()
                            ? "$ " + object.text("command").get()
                            : input.toString());
        }
        return details;
    }

    private static String detail(JsonObject part) {
        if (part.text("type").orElse("").equals("diff")) {
            StringBuilder diff = new StringBuilder(part.text("path").orElse(""));
            part.text("oldText").ifPresent(old -> lines(diff, "- ", old));
            part.text("newText").ifPresent(added -> lines(diff, "+ ", added));
            return diff.toString();
        }
        JsonObject block = object(part.members().get("content"));
        String text = block == null ? null : block.text("text").orElse(null);
        return text == null ? part.toString() : text;
    }

    private static void lines(StringBuilder out, String mark, String text) {
        text.lines().forEach(line -> out.append('\n').append(mark).append(line));
    }

    private static List<Option> options(@Nullable JsonValue value) {
        List<Option> options = new ArrayList<>();
        if (value instanceof JsonArray array) {
            for (JsonValue each : array.elements()) {
                if (each instanceof JsonObject option && option.members().get("optionId") instanceof JsonString id) {
                    options.add(new Option(
                            id.value(),
                            option.text("name").orElse(id.value()),
                            option.text("kind").orElse("")));
                }
            }
        }
        return options;
    }
}
