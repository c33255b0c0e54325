package dev.acp4j.cli.markdown;

import dev.acp4j.cli.terminal.Styles;
import org.commonmark.node.Code;
import org.commonmark.node.Emphasis;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.StrongEmphasis;
import org.commonmark.node.Text;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** The inline text of a Markdown block, with its styles. */
final class InlineText {
    private final AttributedStringBuilder out = new AttributedStringBuilder();

    private InlineText() {}

    static AttributedString of(Node block, AttributedStyle style) {
        InlineText text = new InlineText();
        text.children(block, style);
        return text.out.toAttributedString();
    }

    private void children(Node parent, AttributedStyle style) {
        for (Node child = parent.getFirstChild(); child != null; child = child.getNext()) {
            append(child, style);
        }
    }

    private void append(Node node, AttributedStyle style) {
        switch (node) {
            case Text text -> out.styled(style, text.getLiteral());
            case Code code -> out.styled(style.foreground(AttributedStyle.CYAN), code.getLiteral());
            case Emphasis emphasis -> children(emphasis, style.italic());
            case StrongEmphasis strong -> children(strong, style.bold());
            case SoftLineBreak soft -> out.append(" ");
            case HardLineBreak hard -> out.append("\n");
            case HtmlInline html -> out.styled(style, html.getLiteral());
            case Link link -> link(link, link.getDestination(), style);
            case Image image -> link(image, image.getDestination(), style);
            default -> children(node, style);
        }
    }

    /** A link shows its target, because a hidden target cannot be judged. */
    private void link(Node link, String destination, AttributedStyle style) {
        int before = out.length();
        children(link, style.underline());
        String label = out.subSequence(before, out.length()).toString();
        if (label.isEmpty()) {
            out.styled(Styles.LINK, destination);
        } else if (!label.equals(destination) && !("mailto:" + label).equals(destination)) {
            out.styled(Styles.QUIET, " (" + destination + ")");
        }
    }
}
