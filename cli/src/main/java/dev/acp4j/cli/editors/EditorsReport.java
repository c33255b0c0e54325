package dev.acp4j.cli.editors;

import dev.acp4j.cli.editors.AgentsText.Listed;
import dev.acp4j.cli.editors.Editor.Place;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.StandardStream;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Symbols;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.json.JsonWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.jspecify.annotations.Nullable;

/** Prints what became of editors, for people or as JSON. {@code docs/cli.md} describes the members; they are stable. */
final class EditorsReport {
    private final StandardStream out;
    private final boolean isJson;

    EditorsReport(StandardStream out, boolean isJson) {
        this.out = out;
        this.isJson = isJson;
    }

    void print(Outcome outcome) {
        if (isJson) {
            out.json(json(outcome));
            return;
        }
        boolean isWell = outcome.status().isWell();
        Symbols symbols = out.display().symbols();
        AttributedString sign = isWell
                ? Styles.of(symbols.done() + " ", Styles.GOOD)
                : Styles.of(symbols.failed() + " ", Styles.BAD);
        if (outcome.status() == Outcome.Status.WOULD_CHANGE) {
            diff(out, outcome.diff());
        }
        lines(sign, outcome.editor().title() + ": " + outcome.message());
        if (outcome.status() == Outcome.Status.WRITTEN) {
            lines(Styles.plain("    "), String.valueOf(outcome.file()));
        }
        if (!outcome.text().isEmpty()) {
            if (!isWell) {
                lines(Styles.plain("    "), "Nothing was written. To paste:");
            }
            // Nothing before it and no wrapping: it can be taken as it is.
            outcome.text().lines().forEach(line -> out.println(SafeText.indented(line)));
        }
        outcome.next().forEach(line -> lines(Styles.plain("    "), line));
    }

    /** Prints a diff as it is, so that other programs can read it; at a terminal with colours. */
    static void diff(StandardStream out, List<String> diff) {
        for (String line : diff) {
            AttributedStyle style = line.startsWith("+")
                    ? Styles.GOOD
                    : line.startsWith("-") ? Styles.BAD : line.startsWith("@@") ? Styles.QUIET : Styles.PLAIN;
            out.print(Styles.of(SafeText.text(line), style));
        }
    }

    /** Prints one editor of the list. */
    void print(Editor editor, @Nullable Place place, boolean isFound, List<Listed> agents, @Nullable String problem) {
        if (isJson) {
            out.json(json(editor, place, isFound, agents, problem));
            return;
        }
        Symbols symbols = out.display().symbols();
        String names = String.join(
                ", ",
                agents.stream().map(agent -> "'" + agent.name() + "'").distinct().toList());
        String text = editor.title()
                + (editor.manual() != null ? ": settings of its own, printed" : isFound ? ": " + place(editor, place) : ": not found")
                + (problem != null ? "; cannot be read: " + problem : names.isEmpty() ? "" : "; has " + names);
        String id = editor.id() + " ".repeat(Math.max(1, 17 - editor.id().length()));
        lines(
                Styles.join(
                        isFound ? Styles.of(symbols.done() + " ", Styles.GOOD) : Styles.of(symbols.rule() + " ", Styles.QUIET),
                        Styles.plain(id)),
                text);
    }

    private static String place(Editor editor, @Nullable Place place) {
        return (place == null ? "" : place.file() + ", ") + editor.how();
    }

    private void lines(AttributedString first, String text) {
        AttributedString others = Styles.plain(" ".repeat(first.columnLength()));
        Wrap.lines(Styles.plain(SafeText.line(text)), out.display().widthAfter(0), first, others)
                .forEach(out::print);
    }

    private static String json(Outcome outcome) {
        JsonWriter json = new JsonWriter();
        json.beginObject();
        string(json, "type", "editor");
        string(json, "editor", outcome.editor().id());
        string(json, "status", outcome.status().name().toLowerCase(Locale.ROOT));
        string(json, "message", outcome.message());
        string(json, "file", text(outcome.file()));
        if (!outcome.diff().isEmpty()) {
            string(json, "diff", String.join("\n", outcome.diff()) + "\n");
        }
        string(json, "text", outcome.text().isEmpty() ? null : outcome.text());
        strings(json, "next", outcome.next());
        json.endObject();
        return json.toRawJson().toString();
    }

    private static String json(
            Editor editor, @Nullable Place place, boolean isFound, List<Listed> agents, @Nullable String problem) {
        JsonWriter json = new JsonWriter();
        json.beginObject();
        string(json, "type", "editor");
        string(json, "editor", editor.id());
        string(json, "title", editor.title());
        json.name("found");
        json.bool(isFound);
        string(json, "how", editor.how());
        string(json, "file", place == null ? null : text(place.file()));
        string(json, "problem", problem);
        strings(json, "agents", agents.stream().map(Listed::name).toList());
        json.endObject();
        return json.toRawJson().toString();
    }

    private static @Nullable String text(@Nullable Path file) {
        return file == null ? null : file.toString();
    }

    private static void string(JsonWriter json, String name, @Nullable String value) {
        if (value != null) {
            json.name(name);
            json.string(value);
        }
    }

    private static void strings(JsonWriter json, String name, List<String> values) {
        json.name(name);
        json.beginArray();
        values.forEach(json::string);
        json.endArray();
    }
}
