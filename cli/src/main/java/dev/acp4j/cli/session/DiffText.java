package dev.acp4j.cli.session;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.algorithm.myers.MyersDiffWithLinearSpace;
import com.github.difflib.patch.Patch;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.jspecify.annotations.Nullable;

/** A change of a file as the lines of a unified diff. */
final class DiffText {
    private static final int CONTEXT = 3;
    /**
     * Comparing takes quadratic time in the difference; beyond this many lines only the lines of each side are counted.
     */
    private static final int MOST_COMPARED = 10_000;

    private DiffText() {}

    /**
     * Returns the lines of the diff, without the two header lines.
     *
     * @param oldText the old text; null for a new file
     * @param most the maximum number of lines; a note at the end counts the rest
     */
    static List<AttributedString> lines(@Nullable String oldText, String newText, Display display, int most) {
        Sides sides = Sides.of(oldText, newText);
        List<String> before = sides.before();
        List<String> after = sides.after();
        if (sides.size() > MOST_COMPARED) {
            return List.of(Styles.of(
                    before.size() + " lines before, " + after.size() + " after; too many to compare here",
                    Styles.QUIET));
        }
        List<String> unified = UnifiedDiffUtils.generateUnifiedDiff("", "", before, compare(before, after), CONTEXT);
        List<String> body = unified.size() > 2 ? removedFirst(unified.subList(2, unified.size())) : List.of();
        List<AttributedString> lines = new ArrayList<>();
        for (String line : body.subList(0, Math.min(most, body.size()))) {
            AttributedString styled = Styles.of(SafeText.text(line), style(line));
            if (line.startsWith("+") || line.startsWith("-")) {
                // Changed lines are shown in full, because the user may have to decide about them.
                lines.addAll(wrapped(styled, display.widthAfter(4)));
            } else {
                lines.add(Wrap.cut(
                        styled, display.widthAfter(4), display.symbols().more()));
            }
        }
        if (body.size() > most) {
            lines.add(Styles.of(
                    display.symbols().more() + " " + (body.size() - most) + " more lines of this change",
                    Styles.QUIET));
        }
        if (body.isEmpty()) {
            lines.add(Styles.of("no change", Styles.QUIET));
        }
        return lines;
    }

    /** Returns the lines of a patch of git, without those that only name files. */
    static List<AttributedString> patch(String patch, Display display, int most) {
        List<AttributedString> lines = new ArrayList<>();
        int left = 0;
        for (String line : patch.lines().toList()) {
            boolean names = line.startsWith("diff --git ")
                    || line.startsWith("--- ")
                    || line.startsWith("+++ ")
                    || line.startsWith("index ")
                    || line.startsWith("new file mode ")
                    || line.startsWith("\\");
            if (!names && lines.size() < most) {
                lines.addAll(wrapped(Styles.of(SafeText.text(line), style(line)), display.widthAfter(4)));
            } else if (!names) {
                left++;
            }
        }
        if (left > 0) {
            lines.add(Styles.of(display.symbols().more() + " " + left + " more lines of this change", Styles.QUIET));
        }
        return lines;
    }

    /** Returns the number of added and removed lines: {@code +12 -3}. */
    static String size(@Nullable String oldText, String newText) {
        Sides sides = Sides.of(oldText, newText);
        if (sides.size() > MOST_COMPARED) {
            return "";
        }
        int added = 0;
        int removed = 0;
        for (var delta : compare(sides.before(), sides.after()).getDeltas()) {
            added += delta.getTarget().size();
            removed += delta.getSource().size();
        }
        return "+" + added + " -" + removed;
    }

    private static Patch<String> compare(List<String> before, List<String> after) {
        return DiffUtils.diff(before, after, new MyersDiffWithLinearSpace<>());
    }

    private static List<AttributedString> wrapped(AttributedString line, int width) {
        if (width == 0 || line.columnLength() <= width) {
            return List.of(line);
        }
        List<AttributedString> lines = new ArrayList<>();
        lines.add(line.columnSubSequence(0, width));
        for (AttributedString part :
                line.columnSubSequence(width, Integer.MAX_VALUE).columnSplitLength(width - 2)) {
            lines.add(Styles.join(Styles.plain("  "), part));
        }
        return lines;
    }

    /**
     * The algorithm that needs little memory puts additions before removals; readers expect them the other way round.
     */
    private static List<String> removedFirst(List<String> body) {
        List<String> sorted = new ArrayList<>(body.size());
        List<String> added = new ArrayList<>();
        for (String line : body) {
            if (line.startsWith("+")) {
                added.add(line);
                continue;
            }
            if (!line.startsWith("-")) {
                sorted.addAll(added);
                added.clear();
            }
            sorted.add(line);
        }
        sorted.addAll(added);
        return sorted.stream().flatMap(line -> Stream.of(line.split("\n", -1))).toList();
    }

    private static AttributedStyle style(String line) {
        if (line.startsWith("@@") || line.startsWith("\\")) {
            return Styles.QUIET;
        }
        if (line.startsWith("+")) {
            return Styles.GOOD;
        }
        return line.startsWith("-") ? Styles.BAD : Styles.PLAIN;
    }

    /** Both texts as lines. Changed line ends are part of the lines, so that the change is visible. */
    private record Sides(List<String> before, List<String> after) {
        private static final String NO_END = "\n\\ No newline at end of file";

        static Sides of(@Nullable String oldText, String newText) {
            String old = oldText == null ? "" : oldText;
            boolean returns = (ends(old) | ends(newText)) == 3;
            boolean end = !old.isEmpty() && !newText.isEmpty() && old.endsWith("\n") != newText.endsWith("\n");
            return new Sides(split(old, returns, end), split(newText, returns, end));
        }

        int size() {
            return before.size() + after.size();
        }

        /** Returns 1 if lines end with LF alone, 2 if they end with CR LF, 3 if there are both. */
        private static int ends(String text) {
            int ends = 0;
            for (int at = text.indexOf('\n'); at >= 0 && ends < 3; at = text.indexOf('\n', at + 1)) {
                ends |= at > 0 && text.charAt(at - 1) == '\r' ? 2 : 1;
            }
            return ends;
        }

        private static List<String> split(String text, boolean returns, boolean end) {
            List<String> lines = new ArrayList<>();
            int from = 0;
            for (int at; (at = text.indexOf('\n', from)) >= 0; from = at + 1) {
                boolean dropped = !returns && at > from && text.charAt(at - 1) == '\r';
                lines.add(text.substring(from, dropped ? at - 1 : at));
            }
            if (from < text.length()) {
                lines.add(text.substring(from) + (end ? NO_END : ""));
            }
            return lines;
        }
    }
}
