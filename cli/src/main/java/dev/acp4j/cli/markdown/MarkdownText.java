package dev.acp4j.cli.markdown;

import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import java.util.ArrayList;
import java.util.List;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.node.BlockQuote;
import org.commonmark.node.BulletList;
import org.commonmark.node.Document;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.LinkReferenceDefinition;
import org.commonmark.node.ListBlock;
import org.commonmark.node.Node;
import org.commonmark.node.OrderedList;
import org.commonmark.node.ThematicBreak;
import org.jline.utils.AttributedString;

/** Blocks of Markdown as lines of text. */
final class MarkdownText {
    /** Longer lines of prose are hard to read, regardless of the width of the window. */
    private static final int WIDEST_PROSE = 110;

    private final Display display;

    MarkdownText(Display display) {
        this.display = display;
    }

    /** Returns the lines of one block. */
    List<AttributedString> lines(Node block) {
        return lines(block, Math.min(display.widthAfter(0), WIDEST_PROSE));
    }

    private List<AttributedString> lines(Node block, int width) {
        return switch (block) {
            case Document document -> children(document, width, true);
            case Heading heading -> Wrap.lines(InlineText.of(heading, Styles.STRONG), width);
            case FencedCodeBlock code -> code(code.getLiteral());
            case IndentedCodeBlock code -> code(code.getLiteral());
            case HtmlBlock html -> Wrap.lines(Styles.plain(html.getLiteral()), width);
            case BlockQuote quote -> quote(quote, width);
            case ListBlock list -> list(list, width);
            case TableBlock table -> new TableText(table, display, Math.max(width, display.widthAfter(0))).lines();
            case ThematicBreak rule ->
                List.of(Styles.of(
                        display.symbols().rule().repeat(width == 0 ? 40 : Math.min(40, width)), Styles.QUIET));
            case LinkReferenceDefinition definition -> List.of();
            default -> Wrap.lines(InlineText.of(block, Styles.PLAIN), width);
        };
    }

    private List<AttributedString> children(Node parent, int width, boolean loose) {
        List<AttributedString> lines = new ArrayList<>();
        for (Node child = parent.getFirstChild(); child != null; child = child.getNext()) {
            List<AttributedString> more = lines(child, width);
            if (loose && !lines.isEmpty() && !more.isEmpty()) {
                lines.add(AttributedString.EMPTY);
            }
            lines.addAll(more);
        }
        return lines;
    }

    /** Lines of code are not wrapped, so that they can be copied. */
    private static List<AttributedString> code(String literal) {
        List<AttributedString> lines = new ArrayList<>();
        String text = literal.endsWith("\n") ? literal.substring(0, literal.length() - 1) : literal;
        for (AttributedString line : Wrap.lines(Styles.of(text, Styles.CODE), 0)) {
            lines.add(Styles.join(Styles.plain("  "), line));
        }
        return lines;
    }

    private List<AttributedString> quote(BlockQuote quote, int width) {
        AttributedString bar = Styles.of(display.symbols().bar() + " ", Styles.QUIET);
        List<AttributedString> lines = new ArrayList<>();
        for (AttributedString line : children(quote, narrower(width, 2), true)) {
            lines.add(Styles.join(bar, line));
        }
        return lines;
    }

    private List<AttributedString> list(ListBlock list, int width) {
        List<AttributedString> lines = new ArrayList<>();
        int number = list instanceof OrderedList ordered ? firstNumber(ordered) : 0;
        for (Node item = list.getFirstChild(); item != null; item = item.getNext()) {
            String mark = list instanceof BulletList ? display.symbols().bullet() + " " : number++ + ". ";
            if (!list.isTight() && !lines.isEmpty()) {
                lines.add(AttributedString.EMPTY);
            }
            String indent = " ".repeat(mark.length());
            boolean first = true;
            for (AttributedString line : children(item, narrower(width, mark.length()), !list.isTight())) {
                lines.add(Styles.join(Styles.plain(first ? mark : indent), line));
                first = false;
            }
            if (first) {
                lines.add(Styles.plain(mark));
            }
        }
        return lines;
    }

    private static int firstNumber(OrderedList list) {
        Integer number = list.getMarkerStartNumber();
        return number == null ? 1 : number;
    }

    private static int narrower(int width, int by) {
        return width == 0 ? 0 : Math.max(10, width - by);
    }
}
