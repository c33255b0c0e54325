package dev.acp4j.cli.session;

import dev.acp4j.Entry;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.jline.utils.AttributedString;
import org.jspecify.annotations.Nullable;

/**
 * The tool calls of a session. Running ones are redrawn until they end; an ended one is printed with its result.
 *
 * <p>Not thread-safe: the renderer's lock guards it.
 */
final class ToolCallsText {
    private final ToolCallText text;
    private final SequencedMap<ToolCallId, Entry.ToolCall> open = new LinkedHashMap<>();
    private final Map<ToolCallId, Printed> printed = new LinkedHashMap<>();
    private final Map<ToolCallId, List<ToolCallContent>> changesSeen = new LinkedHashMap<>();
    private boolean isGroup;

    /** What was printed of the tool call that is this entry. */
    private record Printed(long number, ToolCallStatus status) {}

    ToolCallsText(ToolCallText text) {
        this.text = text;
    }

    /** Whether the last output was a tool call, which needs no blank line before the next one. */
    boolean isGroup() {
        return isGroup;
    }

    /** Returns whether the call has changed since it was shown. */
    boolean isNews(Entry.ToolCall call) {
        if (hasEnded(call)) {
            Printed last = printed.get(call.id());
            ToolCallStatus before = last == null ? null : last.status();
            // Calls usually fail when they are cancelled.
            return !call.status().equals(before)
                    && !(call.status().equals(ToolCallStatus.FAILED) && ToolCallStatus.CANCELLED.equals(before));
        }
        Entry.ToolCall before = open.get(call.id());
        return isGroup || before == null || !before.status().equals(call.status());
    }

    /** Other output follows: running calls stay on the screen unchanged. */
    void interrupted() {
        isGroup = false;
    }

    /** The turn has ended: the end of open calls will not be reported. */
    void abandon() {
        open.clear();
        isGroup = false;
    }

    /** Another session follows, whose calls may have the same ids. */
    void forget() {
        abandon();
        printed.clear();
        changesSeen.clear();
    }

    /** Shows the current state of a tool call. */
    void show(Entry.ToolCall call, Screen screen) {
        isGroup = true;
        if (hasEnded(call)) {
            open.remove(call.id());
            ended(call, screen);
        } else {
            open.put(call.id(), call);
            boolean isRunning = call.status().equals(ToolCallStatus.IN_PROGRESS);
            if (!screen.display().rewrites() && isRunning && print(call) == null) {
                screen.print(text.head(call, screen.display()));
            }
        }
        showOpen(screen);
    }

    /** Shows new output of terminals. */
    void refresh(Screen screen) {
        if (isGroup && screen.isRewritable()) {
            showOpen(screen);
        }
    }

    /** Returns the lines of a question about a tool call; changes shown here are not repeated when the call ends. */
    List<AttributedString> question(Entry.ToolCall call, Display display) {
        changesSeen.put(call.id(), call.content());
        return text.whole(call, display);
    }

    /** Returns what was printed of it before. */
    private @Nullable Printed print(Entry.ToolCall call) {
        return printed.put(call.id(), new Printed(call.number(), call.status()));
    }

    /** Forgets the tool calls up to a number, of which nothing more comes. */
    void forget(long number) {
        open.values().removeIf(call -> call.number() <= number);
        printed.values().removeIf(last -> last.number() <= number);
        changesSeen.keySet().retainAll(open.keySet());
    }

    private void ended(Entry.ToolCall call, Screen screen) {
        Printed unused = print(call);
        List<ToolCallContent> seen = changesSeen.remove(call.id());
        screen.print(text.ended(call, seen == null ? List.of() : seen, screen.display()));
    }

    /** Shows the newest running calls that fit into the window: others could not be redrawn. */
    private void showOpen(Screen screen) {
        if (!screen.isRewritable() || open.isEmpty()) {
            return;
        }
        Display display = screen.display();
        int room = screen.room();
        List<AttributedString> lines = new ArrayList<>();
        int shown = 0;
        for (Entry.ToolCall call : open.sequencedValues().reversed()) {
            List<AttributedString> more = text.running(call, display);
            if (shown > 0 && lines.size() + more.size() > room) {
                break;
            }
            lines.addAll(0, more);
            shown++;
        }
        if (shown < open.size()) {
            lines.add(
                    0, Styles.of(display.symbols().more() + " and " + (open.size() - shown) + " before", Styles.QUIET));
        }
        screen.live(lines);
    }

    private static boolean hasEnded(Entry.ToolCall call) {
        ToolCallStatus status = call.status();
        return status.equals(ToolCallStatus.COMPLETED)
                || status.equals(ToolCallStatus.FAILED)
                || status.equals(ToolCallStatus.CANCELLED);
    }
}
