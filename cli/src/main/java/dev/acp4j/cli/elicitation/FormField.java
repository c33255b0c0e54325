package dev.acp4j.cli.elicitation;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.schema.BooleanPropertySchema;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.ElicitationPropertySchema;
import dev.acp4j.schema.EnumOption;
import dev.acp4j.schema.IntegerPropertySchema;
import dev.acp4j.schema.MultiSelectItems;
import dev.acp4j.schema.MultiSelectPropertySchema;
import dev.acp4j.schema.NumberPropertySchema;
import dev.acp4j.schema.StringFormat;
import dev.acp4j.schema.StringPropertySchema;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A field of a form: what it asks for, and what the typed text means.
 *
 * @param name its name in the answer
 * @param schema what it asks for
 * @param isRequired whether it must be filled in
 */
record FormField(String name, ElicitationPropertySchema schema, boolean isRequired) {
    private static final Pattern SECRET = Pattern.compile(
            "pass(word|wd|phrase|code)|secret|token\\b|credential|(api|private|access|license)[ _-]?key|\\b(pin|otp|cvv|cvc|ssn)\\b",
            Pattern.CASE_INSENSITIVE);

    /** What chooses nothing, in a field for any number of choices. */
    private static final String NONE = "none";

    /**
     * One of the values that a field offers.
     *
     * @param value the value in the answer
     * @param title what it is called
     * @param description what it means; empty if that is not said
     */
    record Choice(String value, String title, String description) {
        boolean is(String text) {
            return value.equals(text) || title.equalsIgnoreCase(text) || value.equalsIgnoreCase(text);
        }
    }

    /** What a typed text means. */
    sealed interface Reading {
        /** A value. */
        record Value(ElicitationContentValue value) implements Reading {}

        /** The field is left out. */
        record Nothing() implements Reading {}

        /** No value of this field; the text says what was expected. */
        record Problem(String text) implements Reading {}
    }

    /** Returns whether this field is of a type, and has choices, that acp knows. */
    boolean isKnown() {
        return switch (schema) {
            case ElicitationPropertySchema.Unknown unknown -> false;
            case MultiSelectPropertySchema any -> !(any.items() instanceof MultiSelectItems.Unknown);
            default -> true;
        };
    }

    /** Returns what the field is called, in one line. */
    String label() {
        String title = switch (schema) {
            case StringPropertySchema text -> text.title();
            case IntegerPropertySchema whole -> whole.title();
            case NumberPropertySchema number -> number.title();
            case BooleanPropertySchema flag -> flag.title();
            case MultiSelectPropertySchema any -> any.title();
            case ElicitationPropertySchema.Unknown unknown -> null;
        };
        return SafeText.line(title == null || title.isBlank() ? name : title);
    }

    /** Returns the description; empty if there is none. */
    String description() {
        String description = switch (schema) {
            case StringPropertySchema text -> text.description();
            case IntegerPropertySchema whole -> whole.description();
            case NumberPropertySchema number -> number.description();
            case BooleanPropertySchema flag -> flag.description();
            case MultiSelectPropertySchema any -> any.description();
            case ElicitationPropertySchema.Unknown unknown -> null;
        };
        return description == null ? "" : SafeText.text(description).strip();
    }

    /** Returns whether the field seems to ask for a secret, which forms must not do. */
    boolean looksSecret() {
        return schema instanceof StringPropertySchema
                && choices().isEmpty()
                && SECRET.matcher(name + " " + label() + " " + description()).find();
    }

    /** Returns what is expected: its type and its bounds. */
    String expected() {
        return switch (schema) {
            case StringPropertySchema text -> choices().isEmpty() ? text(text) : "one of these";
            case IntegerPropertySchema whole -> "a whole number" + range(whole.minimum(), whole.maximum());
            case NumberPropertySchema number -> "a number" + range(shown(number.minimum()), shown(number.maximum()));
            case BooleanPropertySchema flag -> "yes or no";
            case MultiSelectPropertySchema any ->
                any.minItems() == null && any.maxItems() == null
                        ? "any of these"
                        : count(any.minItems(), any.maxItems()) + " of these";
            case ElicitationPropertySchema.Unknown unknown -> "of the type " + SafeText.line(unknown.type());
        };
    }

    private static String text(StringPropertySchema field) {
        StringFormat format = field.format();
        String kind = switch (format == null ? "" : format.value()) {
            case "" -> "text";
            case "email" -> "an e-mail address";
            case "uri" -> "an address (URI)";
            case "date" -> "a date such as 2026-11-20";
            case "date-time" -> "a time such as 2026-11-20T09:30:00Z";
            default -> "text of the format " + SafeText.line(String.valueOf(format));
        };
        boolean isBounded = field.minLength() != null || field.maxLength() != null;
        String pattern = field.pattern() == null ? "" : ", matching " + SafeText.line(field.pattern());
        return kind + (isBounded ? ", " + count(field.minLength(), field.maxLength()) + " characters" : "") + pattern;
    }

    private static String count(@Nullable Long least, @Nullable Long most) {
        if (least == null || least == 0) {
            return most == null ? "any number" : "at most " + most;
        }
        return most == null ? "at least " + least : least.equals(most) ? "exactly " + least : least + " to " + most;
    }

    private static String range(@Nullable Object least, @Nullable Object most) {
        if (least == null) {
            return most == null ? "" : ", at most " + most;
        }
        return most == null ? ", at least " + least : " from " + least + " to " + most;
    }

    /** Returns the values to choose from; none if any can be typed. */
    List<Choice> choices() {
        return switch (schema) {
            case StringPropertySchema text -> choices(text.values(), text.options());
            case MultiSelectPropertySchema any ->
                switch (any.items()) {
                    case MultiSelectItems.Plain plain -> choices(plain.values(), List.of());
                    case MultiSelectItems.Titled titled -> choices(List.of(), titled.options());
                    case MultiSelectItems.Unknown unknown -> List.of();
                };
            default -> List.of();
        };
    }

    private static List<Choice> choices(List<String> values, List<EnumOption> options) {
        List<Choice> choices = new ArrayList<>();
        for (String value : values) {
            choices.add(new Choice(value, SafeText.line(value), ""));
        }
        for (EnumOption option : options) {
            String description = option.description();
            choices.add(new Choice(
                    option.value(),
                    SafeText.line(option.title()),
                    description == null ? "" : SafeText.line(description)));
        }
        return choices;
    }

    /** Returns whether choices have numbers; not if some of them are called by a number themselves. */
    boolean isNumbered() {
        return choices().stream()
                .noneMatch(choice ->
                        choice.title().matches("\\d+") || choice.value().matches("\\d+"));
    }

    /** Returns the agent's default; null if there is none, or it does not fit the field. */
    @Nullable
    ElicitationContentValue defaultValue() {
        ElicitationContentValue given = switch (schema) {
            case StringPropertySchema text ->
                text.defaultValue() == null ? null : ElicitationContentValue.of(text.defaultValue());
            case IntegerPropertySchema whole ->
                whole.defaultValue() == null ? null : ElicitationContentValue.of(whole.defaultValue());
            case NumberPropertySchema number ->
                number.defaultValue() == null ? null : ElicitationContentValue.of(number.defaultValue());
            case BooleanPropertySchema flag ->
                flag.defaultValue() == null ? null : ElicitationContentValue.of(flag.defaultValue());
            case MultiSelectPropertySchema any ->
                any.defaultValue().isEmpty() ? null : ElicitationContentValue.of(any.defaultValue());
            case ElicitationPropertySchema.Unknown unknown -> null;
        };
        return given == null || problem(given) != null ? null : given;
    }

    /** Returns a value as the user knows it. */
    String shown(ElicitationContentValue value) {
        return switch (value) {
            case ElicitationContentValue.Text text -> title(text.value());
            case ElicitationContentValue.Whole whole -> Long.toString(whole.value());
            case ElicitationContentValue.Decimal decimal -> String.valueOf(shown(decimal.value()));
            case ElicitationContentValue.Bool flag -> flag.value() ? "yes" : "no";
            case ElicitationContentValue.Choices chosen ->
                chosen.values().isEmpty()
                        ? NONE
                        : String.join(
                                ", ", chosen.values().stream().map(this::title).toList());
            case ElicitationContentValue.Unknown unknown ->
                SafeText.line(unknown.raw().toString());
        };
    }

    private String title(String value) {
        for (Choice choice : choices()) {
            if (choice.value().equals(value)) {
                return choice.title();
            }
        }
        return SafeText.line(value);
    }

    private static @Nullable String shown(@Nullable Double number) {
        if (number == null) {
            return null;
        }
        return number == Math.rint(number) && Math.abs(number) < 1e15
                ? Long.toString(number.longValue())
                : number.toString();
    }

    /**
     * Returns what a text means.
     *
     * @param current what an empty text means; null if it leaves the field out
     */
    Reading read(String text, @Nullable ElicitationContentValue current) {
        if (text.isEmpty()) {
            return current != null
                    ? new Reading.Value(current)
                    : isRequired ? new Reading.Problem("This is required: " + expected() + ".") : new Reading.Nothing();
        }
        ElicitationContentValue value = switch (schema) {
            case StringPropertySchema any -> choices().isEmpty() ? ElicitationContentValue.of(text) : one(text);
            case IntegerPropertySchema whole -> whole(text);
            case NumberPropertySchema number -> number(text);
            case BooleanPropertySchema flag -> flag(text);
            case MultiSelectPropertySchema any -> several(text);
            case ElicitationPropertySchema.Unknown unknown -> null;
        };
        String problem = value == null ? "Expected " + expected() + ", got \"" + text + "\"." : problem(value);
        return value == null || problem != null
                ? new Reading.Problem(String.valueOf(problem))
                : new Reading.Value(value);
    }

    private @Nullable Choice choice(String text) {
        List<Choice> choices = choices();
        for (Choice choice : choices) {
            if (choice.value().equals(text)) {
                return choice;
            }
        }
        for (Choice choice : choices) {
            if (choice.is(text)) {
                return choice;
            }
        }
        int index = isNumbered() && text.matches("\\d{1,4}") ? Integer.parseInt(text) : 0;
        return index >= 1 && index <= choices.size() ? choices.get(index - 1) : null;
    }

    private @Nullable ElicitationContentValue one(String text) {
        Choice chosen = choice(text);
        return chosen == null ? null : ElicitationContentValue.of(chosen.value());
    }

    private @Nullable ElicitationContentValue several(String text) {
        Choice single = choice(text);
        if (single != null) {
            return ElicitationContentValue.of(List.of(single.value()));
        }
        List<String> values = new ArrayList<>();
        if (text.equalsIgnoreCase(NONE)) {
            return ElicitationContentValue.of(values);
        }
        // Names may have blanks, so these separate numbers only.
        for (String part : text.split(text.matches("[\\d\\s,]+") ? "[\\s,]+" : ",", -1)) {
            Choice chosen = part.isBlank() ? null : choice(part.strip());
            if (chosen == null && !part.isBlank()) {
                return null;
            }
            if (chosen != null && !values.contains(chosen.value())) {
                values.add(chosen.value());
            }
        }
        return ElicitationContentValue.of(values);
    }

    private static @Nullable ElicitationContentValue whole(String text) {
        try {
            return ElicitationContentValue.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable ElicitationContentValue number(String text) {
        ElicitationContentValue whole = whole(text);
        if (whole != null || !text.matches("[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?")) {
            return whole;
        }
        double number = Double.parseDouble(text);
        return Double.isFinite(number) ? ElicitationContentValue.of(number) : null;
    }

    private static @Nullable ElicitationContentValue flag(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "y", "yes", "true", "on" -> ElicitationContentValue.of(true);
            case "n", "no", "false", "off" -> ElicitationContentValue.of(false);
            default -> null;
        };
    }

    /** Returns what is wrong with a value of the right type; null if it fits. */
    private @Nullable String problem(ElicitationContentValue value) {
        boolean fits = switch (value) {
            case ElicitationContentValue.Text text ->
                schema instanceof StringPropertySchema field
                        && (choices().isEmpty() ? fits(field, text.value()) : choice(text.value()) != null);
            case ElicitationContentValue.Whole whole ->
                switch (schema) {
                    case IntegerPropertySchema field -> isWithin(whole.value(), field.minimum(), field.maximum());
                    case NumberPropertySchema field -> isWithin(field, (double) whole.value());
                    default -> false;
                };
            case ElicitationContentValue.Decimal decimal ->
                schema instanceof NumberPropertySchema field && isWithin(field, decimal.value());
            case ElicitationContentValue.Choices chosen ->
                schema instanceof MultiSelectPropertySchema field
                        && isWithin(chosen.values().size(), field.minItems(), field.maxItems())
                        && choices().stream().map(Choice::value).toList().containsAll(chosen.values());
            case ElicitationContentValue.Bool flag -> true;
            case ElicitationContentValue.Unknown unknown -> false;
        };
        return fits ? null : "Expected " + expected() + ", got " + got(value) + ".";
    }

    private String got(ElicitationContentValue value) {
        return switch (value) {
            case ElicitationContentValue.Text text ->
                schema instanceof StringPropertySchema field
                                && isWithin(length(text.value()), field.minLength(), field.maxLength())
                        ? "\"" + shown(value) + "\""
                        : length(text.value()) + " characters";
            case ElicitationContentValue.Choices chosen ->
                Integer.toString(chosen.values().size());
            default -> shown(value);
        };
    }

    private static long length(String text) {
        return text.codePointCount(0, text.length());
    }

    /** The pattern is left to the agent: that of a stranger may never finish matching. */
    private static boolean fits(StringPropertySchema field, String text) {
        StringFormat format = field.format();
        return isWithin(length(text), field.minLength(), field.maxLength())
                && (format == null || hasFormat(text, format));
    }

    private static boolean hasFormat(String text, StringFormat format) {
        try {
            return switch (format.value()) {
                case "email" -> text.matches("[^\\s@]+@[^\\s@]+");
                case "uri" -> new URI(text).isAbsolute();
                case "date" -> LocalDate.parse(text).toString().equals(text);
                case "date-time" -> OffsetDateTime.parse(text).getYear() >= 0;
                default -> true;
            };
        } catch (URISyntaxException | DateTimeException e) {
            return false;
        }
    }

    private static boolean isWithin(long value, @Nullable Long least, @Nullable Long most) {
        return (least == null || value >= least) && (most == null || value <= most);
    }

    private static boolean isWithin(NumberPropertySchema field, double value) {
        Double least = field.minimum();
        Double most = field.maximum();
        return (least == null || value >= least) && (most == null || value <= most);
    }
}
