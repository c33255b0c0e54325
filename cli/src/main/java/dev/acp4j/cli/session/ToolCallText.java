package dev.acp4j.cli.session;

import dev.acp4j.Entry;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Symbols;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.DiffChange;
import dev.acp4j.schema.DiffPatch;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.jspecify.annotations.Nullable;

/** One tool call as lines of text. */
public final class ToolCallText {
    private static final int MOST_LOCATIONS = 3;
    /** The number of lines of a result shown; the agent summarizes the important parts. */
    private static final int RESULT_LINES = 8;

    private static final int RUNNING_LINES = 5;
    private static final int CHANGE_LINES = 60;
    private static final int ALL = 2000;

    private final Path cwd;
    private final Function<TerminalId, @Nullable String> terminals;

    private final BinaryContent binaries;

    /** How to see the lines left out; empty if there is no way. */
    private final String wholeBy;

    /**
     * @param cwd paths below it are shown relative to it
     * @param terminals the output of a terminal; null for an unknown one
     * @param binaries describes images and other binary content
     * @param wholeBy the command that shows a tool call in full; empty if there is none
     */
    ToolCallText(Path cwd, Function<TerminalId, @Nullable String> terminals, BinaryContent binaries, String wholeBy) {
        this.cwd = cwd;
        this.binaries = binaries;
        this.terminals = terminals;
        this.wholeBy = wholeBy.isEmpty() ? "" : "; " + wholeBy + " has all";
    }

    /** Returns the line with the title and the status. */
    List<AttributedString> head(Entry.ToolCall call, Display display) {
        List<AttributedString> lines = new ArrayList<>(Wrap.lines(
                Styles.join(
                        Styles.plain(title(call)),
                        Styles.of(kind(call), Styles.QUIET),
                        Styles.of(call.status().equals(ToolCallStatus.CANCELLED) ? "  cancelled" : "", Styles.QUIET)),
                display.widthAfter(0),
                sign(call.status(), display.symbols()),
                Styles.plain("  ")));
        String where = locations(call);
        if (!where.isEmpty()) {
            lines.addAll(indented(where, Styles.QUIET, display));
        }
        return lines;
    }

    /** Returns a running tool call, with the last lines of its terminals. */
    List<AttributedString> running(Entry.ToolCall call, Display display) {
        List<AttributedString> lines = new ArrayList<>(head(call, display));
        for (ToolCallContent content : call.content()) {
            if (content instanceof ToolCallContent.Terminal terminal) {
                String output = terminals.apply(terminal.terminalId());
                List<String> all = output == null
                        ? List.of()
                        : SafeText.text(output).strip().lines().toList();
                all.subList(Math.max(0, all.size() - RUNNING_LINES), all.size())
                        .forEach(line -> lines.add(quoted(line, display)));
            }
        }
        return lines;
    }

    /**
     * Returns an ended tool call, with the beginning of its result.
     *
     * @param seen changes that are only named, because they were shown before
     */
    List<AttributedString> ended(Entry.ToolCall call, List<ToolCallContent> seen, Display display) {
        boolean hasFailed = hasFailed(call.status());
        int resultLines = hasFailed ? 2 * RESULT_LINES : RESULT_LINES;
        // The changes of a failed or cancelled call were requested; it is unknown which of them were made.
        return lines(call, change -> hasFailed || seen.contains(change) ? 0 : CHANGE_LINES, resultLines, display);
    }

    /** Returns a tool call with all details needed for a decision. */
    public List<AttributedString> whole(Entry.ToolCall call, Display display) {
        return lines(call, change -> ALL, ALL, display);
    }

    private List<AttributedString> lines(
            Entry.ToolCall call, ToIntFunction<ToolCallContent> changeLines, int resultLines, Display display) {
        List<AttributedString> lines = new ArrayList<>(head(call, display));
        for (ToolCallContent content : call.content()) {
            switch (content) {
                case ToolCallContent.Content block ->
                    result(
                            resultLines == ALL || ContentText.isForUser(block.content())
                                    ? binaries.text(block.content())
                                    : "[for the agent only]",
                            resultLines,
                            display,
                            lines);
                case ToolCallContent.Diff diff ->
                    change(diff, call.status(), changeLines.applyAsInt(diff), display, lines);
                case ToolCallContent.Changes changes ->
                    changes(changes, changeLines.applyAsInt(changes), display, lines);
                case ToolCallContent.Terminal terminal -> {
                    String output = terminals.apply(terminal.terminalId());
                    result(output == null ? "" : SafeText.text(output), resultLines, display, lines);
                }
                case ToolCallContent.Unknown unknown ->
                    result("[" + SafeText.line(unknown.type()) + "]", resultLines, display, lines);
            }
        }
        return lines;
    }

    private void change(
            ToolCallContent.Diff diff, ToolCallStatus status, int most, Display display, List<AttributedString> lines) {
        String path = path(diff.path());
        String note = "  " + (hasFailed(status) ? "proposed, " : "") + (diff.oldText() == null ? "new file, " : "")
                + DiffText.size(diff.oldText(), diff.newText());
        lines.addAll(Wrap.lines(
                Styles.join(Styles.of(path, Styles.STRONG), Styles.of(note, Styles.QUIET)),
                display.widthAfter(0),
                Styles.plain("  "),
                Styles.plain("  ")));
        if (most > 0) {
            for (AttributedString line : DiffText.lines(diff.oldText(), diff.newText(), display, most)) {
                lines.add(Styles.join(Styles.plain("  "), line));
            }
        }
    }

    /** Shows what was done to each file, and the lines of the patch. */
    private void changes(ToolCallContent.Changes changes, int most, Display display, List<AttributedString> lines) {
        for (DiffChange change : changes.changes()) {
            lines.addAll(Wrap.lines(
                    Styles.of(sentence(change), Styles.STRONG),
                    display.widthAfter(0),
                    Styles.plain("  "),
                    Styles.plain("  ")));
        }
        DiffPatch patch = changes.patch();
        if (patch != null && most > 0) {
            for (AttributedString line : DiffText.patch(patch.text(), display, most)) {
                lines.add(Styles.join(Styles.plain("  "), line));
            }
        }
    }

    private String sentence(DiffChange change) {
        return switch (change) {
            case DiffChange.Add add -> path(add.path()) + ", new file";
            case DiffChange.Modify modify -> path(modify.path());
            case DiffChange.Delete delete -> path(delete.path()) + ", deleted";
            case DiffChange.Move move -> path(move.oldPath()) + " moved to " + path(move.path());
            case DiffChange.Copy copy -> path(copy.oldPath()) + " copied to " + path(copy.path());
            case DiffChange.Unknown unknown -> "[" + SafeText.line(unknown.operation()) + "]";
        };
    }

    /** Shows the first lines of a result, and its last lines, which often contain the reason of a failure. */
    private void result(String text, int most, Display display, List<AttributedString> lines) {
        // Results are often Markdown; only the fences are removed.
        List<String> all =
                text.strip().lines().filter(line -> !line.startsWith("```")).toList();
        if (all.size() <= most + 1) {
            all.forEach(line -> lines.add(quoted(line, display)));
            return;
        }
        int head = most * 5 / 8;
        int tail = most - head;
        all.subList(0, head).forEach(line -> lines.add(quoted(line, display)));
        lines.add(quoted(display.symbols().more() + " " + (all.size() - most) + " lines" + wholeBy, display));
        all.subList(all.size() - tail, all.size()).forEach(line -> lines.add(quoted(line, display)));
    }

    private static AttributedString quoted(String line, Display display) {
        AttributedString text = Styles.of("  " + display.symbols().bar() + " " + line, Styles.QUIET);
        return Wrap.cut(text, display.widthAfter(0), display.symbols().more());
    }

    private static List<AttributedString> indented(String text, AttributedStyle style, Display display) {
        return Wrap.lines(Styles.of(text, style), display.widthAfter(0), Styles.plain("  "), Styles.plain("  "));
    }

    private static AttributedString sign(ToolCallStatus status, Symbols symbols) {
        return switch (status.value()) {
            case "completed" -> Styles.of(symbols.done() + " ", Styles.GOOD);
            case "failed" -> Styles.of(symbols.failed() + " ", Styles.BAD);
            case "cancelled" -> Styles.of(symbols.failed() + " ", Styles.BUSY);
            case "in_progress" -> Styles.of(symbols.running() + " ", Styles.BUSY);
            default -> Styles.of(symbols.pending() + " ", Styles.QUIET);
        };
    }

    private static boolean hasFailed(ToolCallStatus status) {
        return status.equals(ToolCallStatus.FAILED) || status.equals(ToolCallStatus.CANCELLED);
    }

    private static String title(Entry.ToolCall call) {
        String title = SafeText.line(call.title());
        return title.isEmpty() ? SafeText.line(call.id().value()) : title;
    }

    private static String kind(Entry.ToolCall call) {
        return call.kind().equals(ToolKind.OTHER)
                ? ""
                : "  " + SafeText.line(call.kind().value()).replace('_', ' ');
    }

    /** Returns the locations of a call, unless its title, its changes or its result name them. */
    private String locations(Entry.ToolCall call) {
        StringBuilder text = new StringBuilder();
        int count = 0;
        for (ToolCallLocation location : call.locations()) {
            String path = path(location.path());
            if (isNamed(call, location.path(), path)) {
                continue;
            }
            if (count++ < MOST_LOCATIONS) {
                text.append(count == 1 ? "" : ", ").append(path);
                Long line = location.line();
                text.append(line == null ? "" : ":" + line);
            }
        }
        return count > MOST_LOCATIONS ? text + " and " + (count - MOST_LOCATIONS) + " more" : text.toString();
    }

    private boolean isNamed(Entry.ToolCall call, String path, String shown) {
        for (ToolCallContent content : call.content()) {
            boolean names = switch (content) {
                case ToolCallContent.Diff diff -> diff.path().equals(path);
                case ToolCallContent.Content block ->
                    block.content() instanceof ContentBlock.Text text
                            && text.text().contains(shown);
                case ToolCallContent.Changes changes ->
                    changes.changes().stream()
                            .anyMatch(change -> sentence(change).contains(shown));
                case ToolCallContent.Terminal terminal -> false;
                case ToolCallContent.Unknown unknown -> false;
            };
            if (names) {
                return true;
            }
        }
        return call.title().contains(shown);
    }

    private String path(String text) {
        String path = SafeText.line(text);
        try {
            Path absolute = Path.of(path);
            return absolute.startsWith(cwd) && !absolute.equals(cwd)
                    ? cwd.relativize(absolute).toString()
                    : path;
        } catch (InvalidPathException e) {
            return path;
        }
    }
}
