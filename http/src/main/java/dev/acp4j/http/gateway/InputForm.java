package dev.acp4j.http.gateway;

import dev.acp4j.FormAnswer;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.BooleanPropertySchema;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.ElicitationPropertySchema;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.EnumOption;
import dev.acp4j.schema.IntegerPropertySchema;
import dev.acp4j.schema.MultiSelectItems;
import dev.acp4j.schema.MultiSelectPropertySchema;
import dev.acp4j.schema.NumberPropertySchema;
import dev.acp4j.schema.StringPropertySchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for input as a page shows it: a form, or an address to visit.
 *
 * @param request what the agent asks for
 */
record InputForm(CreateElicitationRequest request) {
    static final String METHOD = "elicitation/create";

    /** An answer that does not fit what was asked; the message says why. */
    static final class Unfit extends Exception {
        private static final long serialVersionUID = 1L;

        Unfit(String message) {
            super(message);
        }
    }

    /** Returns what an agent asks for; null if it is nothing that a page can show. */
    static @Nullable InputForm of(RawJson params) {
        try {
            CreateElicitationRequest request = params.decode(ClientMethods.CREATE_ELICITATION.params());
            return request instanceof CreateElicitationRequest.Unknown ? null : new InputForm(request);
        } catch (JsonException e) {
            return null;
        }
    }

    /** Returns the question as text. */
    QuestionText text() {
        return switch (request) {
            case CreateElicitationRequest.Form form -> text(form);
            case CreateElicitationRequest.Url url -> new QuestionText(url.message(), "address", List.of(), List.of());
            case CreateElicitationRequest.Unknown unknown ->
                new QuestionText("An agent asks for input", unknown.mode(), List.of(), List.of());
        };
    }

    private static QuestionText text(CreateElicitationRequest.Form form) {
        String title = form.requestedSchema().title();
        String description = form.requestedSchema().description();
        List<String> details = new ArrayList<>();
        if (title != null) {
            details.add(form.message());
        }
        if (description != null) {
            details.add(description);
        }
        return new QuestionText(title == null ? form.message() : title, "input", details, List.of());
    }

    /** Returns the fields, or the address, for the page. */
    JsonObject shown() {
        return switch (request) {
            case CreateElicitationRequest.Form form -> JsonObject.of(Map.of("fields", fields(form.requestedSchema())));
            case CreateElicitationRequest.Url url -> JsonObject.of(Map.of("url", JsonString.of(url.url())));
            case CreateElicitationRequest.Unknown unknown -> JsonObject.of(Map.of());
        };
    }

    private static JsonArray fields(ElicitationSchema form) {
        List<JsonValue> fields = new ArrayList<>();
        form.properties()
                .forEach((name, field) ->
                        fields.add(field(name, field, form.required().contains(name))));
        return new JsonArray(fields);
    }

    private static JsonObject field(String name, ElicitationPropertySchema field, boolean isRequired) {
        Members shown = new Members();
        shown.text("name", name);
        shown.put("required", JsonBoolean.of(isRequired));
        switch (field) {
            case StringPropertySchema text -> text(shown, text);
            case IntegerPropertySchema whole -> {
                shown.kind("integer", whole.title(), whole.description());
                shown.number("min", whole.minimum());
                shown.number("max", whole.maximum());
                shown.number("value", whole.defaultValue());
            }
            case NumberPropertySchema number -> {
                shown.kind("number", number.title(), number.description());
                shown.number("min", number.minimum());
                shown.number("max", number.maximum());
                shown.number("value", number.defaultValue());
            }
            case BooleanPropertySchema flag -> {
                shown.kind("boolean", flag.title(), flag.description());
                Boolean value = flag.defaultValue();
                if (value != null) {
                    shown.put("value", JsonBoolean.of(value));
                }
            }
            case MultiSelectPropertySchema any -> several(shown, any);
            case ElicitationPropertySchema.Unknown unknown -> shown.kind("unknown", unknown.type(), null);
        }
        return JsonObject.of(shown.members);
    }

    private static void text(Members shown, StringPropertySchema text) {
        boolean isFree = text.values().isEmpty() && text.options().isEmpty();
        shown.kind(isFree ? "text" : "choice", text.title(), text.description());
        shown.text("format", text.format() == null ? null : text.format().value());
        shown.text("pattern", text.pattern());
        shown.text("value", text.defaultValue());
        shown.number("minLength", text.minLength());
        shown.number("maxLength", text.maxLength());
        shown.options(text.values(), text.options());
    }

    private static void several(Members shown, MultiSelectPropertySchema any) {
        boolean isKnown = !(any.items() instanceof MultiSelectItems.Unknown);
        shown.kind(isKnown ? "choices" : "unknown", any.title(), any.description());
        shown.number("min", any.minItems());
        shown.number("max", any.maxItems());
        shown.put("value", texts(any.defaultValue()));
        switch (any.items()) {
            case MultiSelectItems.Plain plain -> shown.options(plain.values(), List.of());
            case MultiSelectItems.Titled titled -> shown.options(List.of(), titled.options());
            case MultiSelectItems.Unknown unknown -> {
                // The page says that it cannot show it.
            }
        }
    }

    private static JsonArray texts(List<String> values) {
        return new JsonArray(
                values.stream().map(value -> (JsonValue) JsonString.of(value)).toList());
    }

    /**
     * Returns the result of the request for an answer.
     *
     * @param body {@code action} and, of a form that is accepted, {@code content}
     * @throws Unfit when it is no answer to this
     */
    RawJson answer(JsonObject body) throws Unfit {
        Map<String, JsonValue> result = new LinkedHashMap<>();
        result.put("action", JsonString.of(body.text("action").orElse("")));
        JsonValue content = body.members().get("content");
        if (content != null) {
            result.put("content", content);
        }
        RawJson json = RawJson.of(JsonObject.of(result));
        String problem = problem(json, true);
        if (problem != null) {
            throw new Unfit(problem);
        }
        return json;
    }

    /** Returns whether an answer of a client counts: as everywhere, null is no value, and other fields are left out. */
    boolean isAnswer(RawJson result) {
        return problem(result, false) == null;
    }

    private @Nullable String problem(RawJson result, boolean isStrict) {
        CreateElicitationResponse answer;
        try {
            answer = result.decode(ClientMethods.CREATE_ELICITATION.result());
        } catch (JsonException e) {
            return "the content must have a text, a number, true, false or a list of texts for each field";
        }
        return switch (answer) {
            case CreateElicitationResponse.Accept accept ->
                request instanceof CreateElicitationRequest.Form form
                        ? FormAnswer.problem(
                                form.requestedSchema(),
                                isStrict ? accept.content() : counted(form.requestedSchema(), accept.content()))
                        : null;
            case CreateElicitationResponse.Decline decline -> null;
            case CreateElicitationResponse.Cancel cancel -> null;
            case CreateElicitationResponse.Unknown unknown ->
                "expected the action accept, decline or cancel, got \"" + unknown.action() + "\"";
        };
    }

    private static Map<String, ElicitationContentValue> counted(
            ElicitationSchema form, Map<String, ElicitationContentValue> content) {
        Map<String, ElicitationContentValue> counted = new LinkedHashMap<>(content);
        counted.keySet().retainAll(form.properties().keySet());
        counted.values()
                .removeIf(value -> value instanceof ElicitationContentValue.Unknown unknown
                        && unknown.raw().equals(RawJson.NULL));
        return counted;
    }

    /** The members of a field. */
    private static final class Members {
        final Map<String, JsonValue> members = new LinkedHashMap<>();

        void put(String name, JsonValue value) {
            members.put(name, value);
        }

        void text(String name, @Nullable String value) {
            if (value != null) {
                put(name, JsonString.of(value));
            }
        }

        void number(String name, @Nullable Number value) {
            if (value != null) {
                put(name, RawJson.parse(value.toString()).value());
            }
        }

        void kind(String kind, @Nullable String title, @Nullable String description) {
            text("kind", kind);
            text("title", title);
            text("description", description);
        }

        void options(List<String> values, List<EnumOption> options) {
            List<JsonValue> shown = new ArrayList<>();
            for (String value : values) {
                shown.add(JsonObject.of(Map.of("value", JsonString.of(value), "title", JsonString.of(value))));
            }
            for (EnumOption option : options) {
                Members each = new Members();
                each.text("value", option.value());
                each.text("title", option.title());
                each.text("description", option.description());
                shown.add(JsonObject.of(each.members));
            }
            put("options", new JsonArray(shown));
        }
    }
}
