package dev.acp4j.cli.editors;

import dev.acp4j.cli.editors.AgentsText.Listed;
import dev.acp4j.cli.editors.Editor.Place;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.StandardStream;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Symbols;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.json.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.jspecify.annotations.Nullable;

/** Prints what became of editors, for people or as JSON. {@code docs/cli.md} describes the members; they are stable. */
final class EditorsReport {
    private final StandardStream out;
    private final StandardStream err;
    private final boolean isJson;

    EditorsReport(Streams streams, boolean isJson) {
        this.out = streams.out();
        this.err = streams.err();
        this.isJson = isJson;
    }

    /** What is to be used as it is goes to standard output alone; what is said about it to standard error. */
    void print(Outcome outcome) {
        if (isJson) {
            out.json(json(outcome));
            return;
        }
        Outcome.Status status = outcome.status();
        boolean isWell = status.isWell();
        boolean isForUse = status == Outcome.Status.PRINTED || status == Outcome.Status.WOULD_CHANGE;
        StandardStream to = isForUse ? err : out;
        Symbols symbols = to.display().symbols();
        AttributedString sign =
                isWell ? Styles.of(symbols.done() + " ", Styles.GOOD) : Styles.of(symbols.failed() + " ", Styles.BAD);
        lines(to, sign, outcome.editor().title() + ": " + outcome.message());
        if (status == Outcome.Status.WRITTEN) {
            to.println("    " + SafeText.line(String.valueOf(outcome.file())));
        }
        if (status == Outcome.Status.WOULD_CHANGE) {
            diff(out, outcome.diff());
        }
        if (!outcome.text().isEmpty() && !isWell) {
            to.println("    Nothing was written. To paste:");
        }
        text(out, outcome.text().lines().toList());
        outcome.next().forEach(line -> to.println("    " + SafeText.line(line)));
    }

    private static void text(StandardStream to, List<String> lines) {
        if (to.display().width() > 0) {
            lines.forEach(line -> to.println(SafeText.text(line)));
        } else {
            lines.forEach(line -> to.bytes((line + "\n").getBytes(StandardCharsets.UTF_8)));
        }
    }

    /** Prints a diff: to a file or another program as it is, at a terminal with colours. */
    static void diff(StandardStream to, List<String> diff) {
        if (to.display().width() == 0) {
            text(to, diff);
            return;
        }
        for (String line : diff) {
            AttributedStyle style = line.startsWith("+")
                    ? Styles.GOOD
                    : line.startsWith("-") ? Styles.BAD : line.startsWith("@@") ? Styles.QUIET : Styles.PLAIN;
            to.print(Styles.of(
                    SafeText.text(line.endsWith("\r") ? line.substring(0, line.length() - 1) : line), style));
        }
    }

    /** Prints one editor of the list. */
    void print(Editor editor, @Nullable Place place, List<Listed> agents, @Nullable String problem) {
        boolean isFound = place != null && place.isFound();
        if (isJson) {
            out.json(json(editor, place, isFound, agents, problem));
            return;
        }
        Symbols symbols = out.display().symbols();
        String names = String.join(
                ", ",
                agents.stream()
                        .map(agent -> "'" + agent.name() + "'")
                        .distinct()
                        .toList());
        String text = editor.title()
                + (editor.manual() != null
                        ? ": settings of its own, printed"
                        : isFound ? ": " + place(editor, place) : ": not found" + wouldBe(place))
                + (problem != null ? "; cannot be read: " + problem : names.isEmpty() ? "" : "; has " + names);
        String id = editor.id() + " ".repeat(Math.max(1, 17 - editor.id().length()));
        lines(
                out,
                Styles.join(
                        isFound
                                ? Styles.of(symbols.done() + " ", Styles.GOOD)
                                : Styles.of(symbols.rule() + " ", Styles.QUIET),
                        Styles.plain(id)),
                text);
    }

    private static String wouldBe(@Nullable Place place) {
        return place == null ? "" : "; its file would be " + place.file();
    }

    private static String place(Editor editor, @Nullable Place place) {
        return (place == null ? "" : place.file() + ", ") + editor.how();
    }

    private static void lines(StandardStream to, AttributedString first, String text) {
        AttributedString others = Styles.plain(" ".repeat(first.columnLength()));
        Wrap.lines(Styles.plain(SafeText.line(text)), to.display().widthAfter(0), first, others)
                .forEach(to::print);
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
