package dev.acp4j.cli.elicitation;

import dev.acp4j.ElicitationQuestion;
import dev.acp4j.cli.terminal.Console;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.Input;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.schema.BooleanPropertySchema;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.ElicitationPropertySchema;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.MultiSelectPropertySchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jline.utils.AttributedString;
import org.jspecify.annotations.Nullable;

/**
 * Asks the user for one field of a form after the other, then shows all answers before they are sent. A line that is
 * one of the words with a colon is for the dialog; an answer that begins with a colon is written with two, as a message
 * of a chat.
 */
final class FormDialog {
    private static final String BACK = ":back";
    private static final String SKIP = ":skip";
    private static final String DECLINE = ":decline";

    private static final int WIDEST_LABEL = 30;
    private static final int WIDEST_DEFAULT = 40;

    /** How the user leaves a field. */
    private enum Step {
        NEXT,
        BACK,
        DECLINE,
        CANCEL
    }

    private final Console console;
    private final Screen screen;
    private final ElicitationQuestion question;
    private final ElicitationSchema form;
    private final List<FormField> fields = new ArrayList<>();

    /** The answers so far, by the names of their fields. */
    private final Map<String, ElicitationContentValue> answers = new LinkedHashMap<>();

    FormDialog(Console console, Screen screen, ElicitationQuestion question, CreateElicitationRequest.Form request) {
        this.console = console;
        this.screen = screen;
        this.question = question;
        this.form = request.requestedSchema();
        Set<String> required = Set.copyOf(form.required());
        for (Map.Entry<String, ElicitationPropertySchema> field :
                form.properties().entrySet()) {
            fields.add(new FormField(field.getKey(), field.getValue(), required.contains(field.getKey())));
        }
    }

    CreateElicitationResponse ask() throws InterruptedException {
        screen.print(heading());
        for (FormField field : List.copyOf(fields)) {
            if (!field.isKnown()) {
                screen.print(warning("acp cannot ask for " + field.label() + ", which is " + field.expected() + "."));
                if (field.isRequired()) {
                    return question.cancel();
                }
                fields.remove(field);
            }
        }
        int at = 0;
        while (at < fields.size()) {
            switch (ask(at)) {
                case NEXT -> at++;
                case BACK -> at = Math.max(0, at - 1);
                case DECLINE -> {
                    return question.decline();
                }
                case CANCEL -> {
                    return question.cancel();
                }
            }
        }
        return confirmed();
    }

    private List<AttributedString> heading() {
        Display display = screen.display();
        List<AttributedString> lines = new ArrayList<>();
        String title = form.title() == null ? "" : SafeText.line(form.title());
        String description = form.description() == null ? "" : SafeText.text(form.description());
        String about = title.isEmpty() || description.isEmpty() ? title + description : title + ": " + description;
        if (!about.isEmpty()) {
            lines.addAll(ElicitationDialog.indented(about, Styles.PLAIN, display));
        }
        if (!fields.isEmpty()) {
            String dot = " " + display.symbols().dot() + " ";
            lines.addAll(ElicitationDialog.indented(
                    BACK + dot + SKIP + " leaves a field out" + dot + DECLINE + " refuses" + dot + "Ctrl-C cancels",
                    Styles.QUIET,
                    display));
        }
        return lines;
    }

    // ---- a field

    private Step ask(int index) throws InterruptedException {
        FormField field = fields.get(index);
        screen.print(shown(field, index));
        while (true) {
            ElicitationContentValue before = answers.get(field.name());
            ElicitationContentValue current = before == null ? field.defaultValue() : before;
            switch (console.ask(prompt(field, current))) {
                case Input.Interrupt interrupt -> {
                    return Step.CANCEL;
                }
                case Input.End end -> {
                    return Step.CANCEL;
                }
                case Input.Line line -> {
                    Step step = typed(line.text().strip(), field, current);
                    if (step != null) {
                        return step;
                    }
                }
            }
        }
    }

    /** Returns the next step; null if the field must be asked for again. */
    private @Nullable Step typed(String text, FormField field, @Nullable ElicitationContentValue current) {
        return switch (text) {
            case BACK -> Step.BACK;
            case DECLINE -> Step.DECLINE;
            case SKIP ->
                answered(
                        field,
                        field.isRequired()
                                ? new FormField.Reading.Problem("This is required: " + field.expected() + ".")
                                : new FormField.Reading.Nothing());
            default -> answered(field, field.read(text.startsWith("::") ? text.substring(1) : text, current));
        };
    }

    private @Nullable Step answered(FormField field, FormField.Reading reading) {
        return switch (reading) {
            case FormField.Reading.Value value -> {
                answers.put(field.name(), value.value());
                yield Step.NEXT;
            }
            case FormField.Reading.Nothing nothing -> {
                answers.remove(field.name());
                yield Step.NEXT;
            }
            case FormField.Reading.Problem problem -> {
                screen.print(warning(SafeText.line(problem.text())));
                yield null;
            }
        };
    }

    private List<AttributedString> shown(FormField field, int index) {
        Display display = screen.display();
        List<AttributedString> lines = new ArrayList<>();
        lines.add(AttributedString.EMPTY);
        String place = fields.size() == 1 ? "  " : "  " + (index + 1) + "/" + fields.size() + "  ";
        AttributedString indent = Styles.plain("    ");
        lines.addAll(Wrap.lines(
                Styles.join(
                        Styles.of(field.label(), Styles.STRONG),
                        Styles.of((field.isRequired() ? "  required, " : "  ") + field.expected(), Styles.QUIET)),
                display.widthAfter(0),
                Styles.of(place, Styles.QUIET),
                indent));
        if (!field.description().isEmpty()) {
            lines.addAll(Wrap.lines(Styles.plain(field.description()), display.widthAfter(0), indent, indent));
        }
        if (field.looksSecret()) {
            lines.addAll(
                    warning("This looks like a secret. The agent sees what you enter, and may send it to its model;"
                            + " agents must not ask for secrets with a form."));
        }
        int number = 1;
        for (FormField.Choice choice : field.choices()) {
            String mark = field.isNumbered()
                    ? Integer.toString(number++)
                    : display.symbols().bullet();
            String about = choice.description().isEmpty() ? "" : "  " + choice.description();
            lines.addAll(Wrap.lines(
                    Styles.join(Styles.plain(choice.title()), Styles.of(about, Styles.QUIET)),
                    display.widthAfter(0),
                    Styles.of("    " + mark + "  ", Styles.STRONG),
                    Styles.plain("       ")));
        }
        return lines;
    }

    private String prompt(FormField field, @Nullable ElicitationContentValue current) {
        List<String> hints = new ArrayList<>();
        int choices = field.choices().size();
        if (choices > 0 && field.isNumbered()) {
            hints.add(choices == 1 ? "1 or its name" : "1-" + choices + " or a name");
        }
        if (field.schema() instanceof MultiSelectPropertySchema) {
            hints.add("several with commas");
        } else if (field.schema() instanceof BooleanPropertySchema) {
            hints.add("y or n");
        }
        if (current != null) {
            hints.add("Enter for " + cut(field.shown(current), WIDEST_DEFAULT));
        } else if (!field.isRequired()) {
            hints.add("Enter leaves it out");
        }
        String hint = hints.isEmpty() ? "" : " (" + String.join("; ", hints) + ")";
        return "  " + cut(field.label(), WIDEST_LABEL) + hint + ": ";
    }

    // ---- all of them

    private CreateElicitationResponse confirmed() throws InterruptedException {
        while (true) {
            screen.print(summary());
            int count = fields.size();
            String change =
                    count == 0 ? "" : count == 1 ? ", 1 changes the answer" : ", 1-" + count + " changes an answer";
            switch (console.ask("  Send this? (y sends, n declines" + change + ", Ctrl-C cancels) ")) {
                case Input.Interrupt interrupt -> {
                    return question.cancel();
                }
                case Input.End end -> {
                    return question.cancel();
                }
                case Input.Line line -> {
                    CreateElicitationResponse decided = decided(line.text().strip());
                    if (decided != null) {
                        return decided;
                    }
                }
            }
        }
    }

    /** Returns the answer; null if the user must be asked again. */
    private @Nullable CreateElicitationResponse decided(String typed) throws InterruptedException {
        if (typed.equalsIgnoreCase("y") || typed.equalsIgnoreCase("yes")) {
            return question.accept(answers);
        }
        if (typed.equalsIgnoreCase("n") || typed.equalsIgnoreCase("no") || typed.equals(DECLINE)) {
            return question.decline();
        }
        int index = typed.matches("\\d{1,4}") ? Integer.parseInt(typed) : 0;
        if (typed.equals(BACK)) {
            index = fields.size();
        }
        if (index < 1 || index > fields.size()) {
            screen.print(warning("Nothing is sent yet: y sends the answers."));
            return null;
        }
        return switch (ask(index - 1)) {
            case NEXT, BACK -> null;
            case DECLINE -> question.decline();
            case CANCEL -> question.cancel();
        };
    }

    private List<AttributedString> summary() {
        List<AttributedString> lines = new ArrayList<>();
        lines.add(AttributedString.EMPTY);
        int widest = 0;
        for (FormField field : fields) {
            widest = Math.max(
                    widest, Styles.plain(cut(field.label(), WIDEST_LABEL)).columnLength());
        }
        int number = 1;
        for (FormField field : fields) {
            String label = cut(field.label(), WIDEST_LABEL);
            String pad = " ".repeat(widest - Styles.plain(label).columnLength() + 2);
            ElicitationContentValue value = answers.get(field.name());
            AttributedString mark =
                    Styles.join(Styles.of("  " + number++ + "  ", Styles.STRONG), Styles.of(label + pad, Styles.QUIET));
            lines.addAll(Wrap.lines(
                    value == null
                            ? Styles.of("left out", Styles.QUIET)
                            : Styles.plain(field.shown(Objects.requireNonNull(value))),
                    screen.display().widthAfter(0),
                    mark,
                    Styles.plain(" ".repeat(mark.columnLength()))));
        }
        return lines;
    }

    private List<AttributedString> warning(String text) {
        return ElicitationDialog.warning(text, screen.display());
    }

    private String cut(String text, int width) {
        return Wrap.cut(Styles.plain(text), width, screen.display().symbols().more())
                .toString();
    }
}
