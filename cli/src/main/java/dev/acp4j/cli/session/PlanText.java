package dev.acp4j.cli.session;

import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Symbols;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryStatus;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;

/** The agent's plan. A new plan is shown in full; later only changed entries. */
public final class PlanText {
    private List<PlanEntry> shown = List.of();

    /** Returns the lines to show for a plan that replaces the previous one. */
    List<AttributedString> lines(List<PlanEntry> entries, Display display) {
        List<PlanEntry> before = shown;
        shown = List.copyOf(entries);
        if (!sameTasks(before, entries)) {
            return all(entries, display);
        }
        List<AttributedString> lines = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            if (!before.get(i).status().equals(entries.get(i).status())) {
                lines.addAll(line(entries.get(i), " (" + (i + 1) + "/" + entries.size() + ")", display));
            }
        }
        return lines;
    }

    /** Returns the whole plan. */
    public static List<AttributedString> all(List<PlanEntry> entries, Display display) {
        List<AttributedString> lines = new ArrayList<>();
        lines.add(Styles.of("Plan", Styles.STRONG));
        for (PlanEntry entry : entries) {
            lines.addAll(line(entry, "", display));
        }
        return lines;
    }

    private static List<AttributedString> line(PlanEntry entry, String note, Display display) {
        Symbols symbols = display.symbols();
        boolean done = entry.status().equals(PlanEntryStatus.COMPLETED);
        boolean running = entry.status().equals(PlanEntryStatus.IN_PROGRESS);
        String sign = done ? symbols.done() : running ? symbols.running() : symbols.pending();
        AttributedStyle style = done ? Styles.GOOD : running ? Styles.BUSY : Styles.QUIET;
        AttributedString text = Styles.join(
                Styles.of(SafeText.line(entry.content()), done ? Styles.QUIET : Styles.PLAIN),
                Styles.of(note, Styles.QUIET));
        return Wrap.lines(text, display.widthAfter(0), Styles.of("  " + sign + " ", style), Styles.plain("    "));
    }

    private static boolean sameTasks(List<PlanEntry> one, List<PlanEntry> other) {
        if (one.size() != other.size()) {
            return false;
        }
        for (int i = 0; i < one.size(); i++) {
            if (!one.get(i).content().equals(other.get(i).content())) {
                return false;
            }
        }
        return true;
    }
}
