package dev.acp4j.cli.session;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.schema.Annotations;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.Role;
import java.time.LocalDate;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

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

    /**
     * Returns the content as text: text unchanged, a description of other content.
     *
     * @param hint what to say at the end of the description of binary content
     */
    static String text(ContentBlock content, String hint) {
        return switch (content) {
            case ContentBlock.Text text -> SafeText.text(text.text());
            case ContentBlock.Image image ->
                described("image", image.mimeType(), image.data()) + changed(image.annotations()) + hint + "]";
            case ContentBlock.Audio audio ->
                described("audio", audio.mimeType(), audio.data()) + changed(audio.annotations()) + hint + "]";
            case ContentBlock.ResourceLink link ->
                "[" + SafeText.line(link.name()) + ": " + SafeText.line(link.uri()) + changed(link.annotations()) + "]";
            case ContentBlock.Resource resource -> resource(resource.resource(), changed(resource.annotations()), hint);
            case ContentBlock.Unknown unknown -> "[" + SafeText.line(unknown.type()) + "]";
        };
    }

    private static String resource(ResourceContents contents, String changed, String hint) {
        return switch (contents) {
            case ResourceContents.Text text ->
                "[" + SafeText.line(text.uri()) + changed + "]\n" + SafeText.text(text.text());
            case ResourceContents.Blob blob ->
                "[" + SafeText.line(blob.uri()) + ", " + size(blob.blob()) + changed + hint + "]";
            case ResourceContents.Unknown unknown -> "[a resource of unknown form]";
        };
    }

    private static String described(String what, String mimeType, String base64) {
        return "[" + what + " " + SafeText.line(mimeType) + ", " + size(base64);
    }

    /** Returns the day of the last change here; nothing if the agent gives none that can be read. */
    private static String changed(@Nullable Annotations annotations) {
        return annotations == null
                ? ""
                : annotations
                        .lastModifiedInstant()
                        .map(time -> ", changed " + LocalDate.ofInstant(time, ZoneId.systemDefault()))
                        .orElse("");
    }

    static String size(String base64) {
        long padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
        long bytes = base64.length() / 4L * 3 - padding;
        return bytes < 10_000 ? bytes + " bytes" : bytes / 1000 + " kB";
    }
}
