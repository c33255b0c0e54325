package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.Problem;
import dev.acp4j.schema.BooleanPropertySchema;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds what a user filled in against the form. Patterns and formats are left to the agent, which wrote them: a pattern
 * of a stranger may never finish matching. {@link ElicitationQuestion#accept(Map)} does this for a client; this is for
 * programs that show the form in another place.
 */
public final class FormAnswer {
    private FormAnswer() {}

    /**
     * Returns a client's answer when it fits what was asked; a client that does not check its forms may send another.
     * What is not in the form is left out, which is reported: nobody has asked for it, and the rest counts.
     */
    static CreateElicitationResponse checked(
            CreateElicitationRequest asked, CreateElicitationResponse answer, Consumer<Problem> onProblem) {
        if (!(asked instanceof CreateElicitationRequest.Form form)
                || !(answer instanceof CreateElicitationResponse.Accept accepted)) {
            return answer;
        }
        Map<String, ElicitationContentValue> content = filledIn(accepted.content());
        int given = content.size();
        content.keySet().retainAll(form.requestedSchema().properties().keySet());
        int extra = given - content.size();
        String problem = problem(form.requestedSchema(), content);
        if (problem != null) {
            throw new MalformedMessageException(
                    "elicitation/create: the client's answer does not fit the form: " + problem, null, null);
        }
        if (extra > 0) {
            onProblem.accept(new Problem(
                    Problem.Kind.MALFORMED,
                    "elicitation/create: left out " + extra + " of the client's fields, which are not in the form",
                    null));
        }
        return accepted.toBuilder().content(content).build();
    }

    /** Returns the fields that have a value: null is none. */
    static Map<String, ElicitationContentValue> filledIn(Map<String, ElicitationContentValue> content) {
        Map<String, ElicitationContentValue> filledIn = new LinkedHashMap<>(content);
        filledIn.values()
                .removeIf(value -> value instanceof ElicitationContentValue.Unknown unknown
                        && unknown.raw().equals(RawJson.NULL));
        return filledIn;
    }

    /**
     * Returns what is wrong with the first field that does not fit: its name and what it must be; null if all fit.
     *
     * @param form the fields
     * @param content what was filled in, by the names of the fields
     */
    public static @Nullable String problem(ElicitationSchema form, Map<String, ElicitationContentValue> content) {
        for (String name : form.required()) {
            if (!content.containsKey(name)) {
                return "the field " + name + " must be filled in";
            }
        }
        for (Map.Entry<String, ElicitationContentValue> entry : content.entrySet()) {
            ElicitationPropertySchema field = form.properties().get(entry.getKey());
            String problem = field == null ? "is not in the form" : problem(field, entry.getValue());
            if (problem != null) {
                return "the field " + entry.getKey() + " " + problem;
            }
        }
        return null;
    }

    private static @Nullable String problem(ElicitationPropertySchema field, ElicitationContentValue value) {
        return switch (field) {
            case StringPropertySchema text -> text(text, value);
            case IntegerPropertySchema number -> whole(number, value);
            case NumberPropertySchema number -> number(number, value);
            case BooleanPropertySchema flag ->
                value instanceof ElicitationContentValue.Bool ? null : "must be true or false";
            case MultiSelectPropertySchema choices -> choices(choices, value);
            case ElicitationPropertySchema.Unknown unknown -> null;
        };
    }

    private static @Nullable String text(StringPropertySchema field, ElicitationContentValue value) {
        if (!(value instanceof ElicitationContentValue.Text text)) {
            return "must be a text";
        }
        List<String> choices = choices(field.values(), field.options());
        if (!choices.isEmpty() && !choices.contains(text.value())) {
            return "must be one of " + choices;
        }
        long length = text.value().codePointCount(0, text.value().length());
        return range("characters", length, field.minLength(), field.maxLength());
    }

    private static @Nullable String whole(IntegerPropertySchema field, ElicitationContentValue value) {
        if (!(value instanceof ElicitationContentValue.Whole whole)) {
            return "must be an integer";
        }
        return range("", whole.value(), field.minimum(), field.maximum());
    }

    private static @Nullable String number(NumberPropertySchema field, ElicitationContentValue value) {
        double number;
        if (value instanceof ElicitationContentValue.Decimal decimal) {
            number = decimal.value();
        } else if (value instanceof ElicitationContentValue.Whole whole) {
            number = whole.value();
        } else {
            return "must be a number";
        }
        Double least = field.minimum();
        Double most = field.maximum();
        if (least != null && number < least) {
            return "must be at least " + least;
        }
        return most != null && number > most ? "must be at most " + most : null;
    }

    private static @Nullable String choices(MultiSelectPropertySchema field, ElicitationContentValue value) {
        if (!(value instanceof ElicitationContentValue.Choices chosen)) {
            return "must be a list of choices";
        }
        List<String> choices = switch (field.items()) {
            case MultiSelectItems.Plain plain -> plain.values();
            case MultiSelectItems.Titled titled -> choices(List.of(), titled.options());
            case MultiSelectItems.Unknown unknown -> chosen.values();
        };
        if (!choices.containsAll(chosen.values())) {
            return "must have only choices of " + choices;
        }
        return range("choices", chosen.values().size(), field.minItems(), field.maxItems());
    }

    private static List<String> choices(List<String> values, List<EnumOption> options) {
        List<String> choices = new ArrayList<>(values);
        for (EnumOption option : options) {
            choices.add(option.value());
        }
        return choices;
    }

    private static @Nullable String range(String what, long value, @Nullable Long least, @Nullable Long most) {
        String unit = what.isEmpty() ? "" : " " + what;
        String verb = what.isEmpty() ? "must be " : "must have ";
        if (least != null && value < least) {
            return verb + "at least " + least + unit;
        }
        return most != null && value > most ? verb + "at most " + most + unit : null;
    }
}
