package dev.acp4j.cli.session;

import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.schema.Annotations;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.Role;
import java.util.List;
import org.jline.utils.AttributedString;

/** Content other than text: images, audio, files. */
public final class ContentText {
    private ContentText() {}

    /** Returns whether content is meant for the user, which it is unless its audience is the agent only. */
    public static boolean isForUser(ContentBlock content) {
        Annotations annotations = switch (content) {
            case ContentBlock.Text text -> text.annotations();
            case ContentBlock.Image image -> image.annotations();
            case ContentBlock.Audio audio -> audio.annotations();
            case ContentBlock.ResourceLink link -> link.annotations();
            case ContentBlock.Resource resource -> resource.annotations();
            case ContentBlock.Unknown unknown -> null;
        };
        return annotations == null
                || annotations.audience().isEmpty()
                || annotations.audience().contains(Role.USER);
    }

    static List<AttributedString> lines(ContentBlock content, Display display) {
        return Wrap.lines(Styles.of(text(content), Styles.QUIET), display.widthAfter(0));
    }

    /** Returns the content as text: text unchanged, a description of other content. */
    public static String text(ContentBlock content) {
        return switch (content) {
            case ContentBlock.Text text -> SafeText.text(text.text());
            case ContentBlock.Image image -> described("image", image.mimeType(), image.data());
            case ContentBlock.Audio audio -> described("audio", audio.mimeType(), audio.data());
            case ContentBlock.ResourceLink link ->
                "[" + SafeText.line(link.name()) + ": " + SafeText.line(link.uri()) + "]";
            case ContentBlock.Resource resource -> resource(resource.resource());
            case ContentBlock.Unknown unknown -> "[" + SafeText.line(unknown.type()) + "]";
        };
    }

    private static String resource(ResourceContents contents) {
        return switch (contents) {
            case ResourceContents.Text text -> "[" + SafeText.line(text.uri()) + "]\n" + SafeText.text(text.text());
            case ResourceContents.Blob blob -> "[" + SafeText.line(blob.uri()) + ", " + size(blob.blob()) + "]";
            case ResourceContents.Unknown unknown -> "[a resource of unknown form]";
        };
    }

    private static String described(String what, String mimeType, String base64) {
        return "[" + what + " " + SafeText.line(mimeType) + ", " + size(base64) + "]";
    }

    private static String size(String base64) {
        long bytes = base64.length() / 4L * 3;
        return bytes < 10_000 ? bytes + " bytes" : bytes / 1000 + " kB";
    }
}
