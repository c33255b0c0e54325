package dev.acp4j.cli.markdown;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.TextStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;
import org.jline.utils.AttributedString;

/**
 * Markdown that arrives in pieces.
 *
 * <p>A block is finished when another one begins. Finished blocks are printed permanently; the last, incomplete one is
 * redrawn when more of it arrives, on terminals that support it.
 */
public final class MarkdownStream implements TextStream {
    /** A longer block is printed as it is, so that a long answer without structure does not take quadratic time. */
    private static final int LONGEST_BLOCK = 16_384;

    private static final Parser PARSER = Parser.builder()
            .extensions(Set.of(TablesExtension.create()))
            .includeSourceSpans(IncludeSourceSpans.BLOCKS)
            .postProcessor(MarkdownStream::visible)
            .build();

    private final Screen screen;
    private final StringBuilder pending = new StringBuilder();
    private boolean hasPrinted;

    public MarkdownStream(Screen screen) {
        this.screen = screen;
    }

    @Override
    public void append(String text) {
        pending.append(text);
        if (text.indexOf('\n') >= 0) {
            printFinished();
        }
        if (pending.length() > LONGEST_BLOCK) {
            finish();
        } else if (screen.isRewritable()) {
            screen.live(separated(lines(pending.toString())));
        }
    }

    /** Prints the blocks that no later line can change. The type of an incomplete line is not known yet. */
    private void printFinished() {
        int end = pending.lastIndexOf("\n") + 1;
        Node document = PARSER.parse(SafeText.text(pending.substring(0, end)));
        Node last = document.getLastChild();
        if (last == null || last.getPrevious() == null) {
            return;
        }
        int lines = last.getSourceSpans().get(0).getLineIndex();
        MarkdownText markdown = new MarkdownText(screen.display());
        Node next;
        for (Node block = document.getFirstChild(); block != null && (next = block.getNext()) != null; block = next) {
            print(markdown.lines(block));
        }
        pending.delete(0, afterLines(lines));
    }

    @Override
    public void finish() {
        String rest = pending.toString();
        pending.setLength(0);
        print(lines(rest));
    }

    @Override
    public boolean restart() {
        pending.setLength(0);
        return !hasPrinted;
    }

    private List<AttributedString> lines(String source) {
        return new MarkdownText(screen.display()).lines(PARSER.parse(SafeText.text(source)));
    }

    /** The parser decodes entities, which can yield control characters that are not in the source. */
    private static Node visible(Node document) {
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Text text) {
                text.setLiteral(SafeText.text(text.getLiteral()));
            }

            @Override
            public void visit(Link link) {
                link.setDestination(SafeText.text(link.getDestination()));
                visitChildren(link);
            }

            @Override
            public void visit(Image image) {
                image.setDestination(SafeText.text(image.getDestination()));
                visitChildren(image);
            }
        });
        return document;
    }

    /**
     * Returns the end of the first {@code count} pending lines. Showing control characters moves offsets, but no line.
     */
    private int afterLines(int count) {
        int at = 0;
        for (int i = 0; i < count; i++) {
            at = pending.indexOf("\n", at) + 1;
        }
        return at;
    }

    private void print(List<AttributedString> lines) {
        if (!lines.isEmpty()) {
            screen.print(separated(lines));
            hasPrinted = true;
        }
    }

    private List<AttributedString> separated(List<AttributedString> lines) {
        if (!hasPrinted) {
            return lines;
        }
        List<AttributedString> separated = new ArrayList<>();
        separated.add(AttributedString.EMPTY);
        separated.addAll(lines);
        return separated;
    }
}
