package dev.acp4j.mcp;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.ContentBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a call of a tool returned, for the model. A call that could not be made, was not allowed, or got no answer has a
 * result too: an error whose text says why, so that the model can go on.
 *
 * @param content the content in the server's order; kinds that this library does not know are
 *     {@link ContentBlock.Unknown}
 * @param structured the structured content, or null
 * @param isError whether the tool, or calling it, failed
 * @param raw the whole result as it came; an empty object when there is none
 */
public record ToolResult(
        List<ContentBlock> content, @Nullable RawJson structured, boolean isError, RawJson raw) {
    public ToolResult {
        content = List.copyOf(content);
        Objects.requireNonNull(raw, "raw is null");
    }

    static ToolResult of(Members result, RawJson raw) {
        List<ContentBlock> content = new ArrayList<>();
        for (RawJson block : result.list("content")) {
            content.add(block(block));
        }
        return new ToolResult(content, result.raw("structuredContent"), result.isTrue("isError"), raw);
    }

    static ContentBlock block(RawJson raw) {
        try {
            return raw.decode(Codecs.contentBlock());
        } catch (JsonException e) {
            return new ContentBlock.Unknown(Members.of(raw).text("type", ""), raw);
        }
    }

    static ToolResult failure(String why) {
        return new ToolResult(List.of(ContentBlock.text(why)), null, true, RawJson.EMPTY_OBJECT);
    }

    /** Returns what a tool has returned; see {@link ToolServer.Handler#run}. */
    static ToolResult returned(@Nullable Object value) {
        return switch (value) {
            case null -> new ToolResult(List.of(), null, false, RawJson.EMPTY_OBJECT);
            case ToolResult result -> result;
            case ContentBlock block -> new ToolResult(List.of(block), null, false, RawJson.EMPTY_OBJECT);
            case List<?> blocks ->
                new ToolResult(
                        blocks.stream().map(ContentBlock.class::cast).toList(), null, false, RawJson.EMPTY_OBJECT);
            case Record one -> structured(Records.json(one));
            case RawJson json -> structured(json);
            case String text -> text(text);
            case Number number -> text(number.toString());
            case Boolean bool -> text(bool.toString());
            default ->
                throw new IllegalStateException("a tool returns a text, a record, content or a result, and not a "
                        + value.getClass().getName());
        };
    }

    private static ToolResult text(String text) {
        return new ToolResult(List.of(ContentBlock.text(text)), null, false, RawJson.EMPTY_OBJECT);
    }

    /** The same as text, too: agents of older revisions read only that. */
    private static ToolResult structured(RawJson json) {
        return new ToolResult(List.of(ContentBlock.text(json.toString())), json, false, RawJson.EMPTY_OBJECT);
    }

    /** Returns the text of the content, joined by line breaks; without any, the structured content as JSON. */
    public String text() {
        List<String> parts = new ArrayList<>();
        for (ContentBlock block : content) {
            if (block instanceof ContentBlock.Text text) {
                parts.add(text.text());
            }
        }
        return parts.isEmpty() && structured != null ? structured.toString() : String.join("\n", parts);
    }
}
