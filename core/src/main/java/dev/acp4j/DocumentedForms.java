package dev.acp4j;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ToolCallContent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Forms that the protocol's documentation shows in examples though the schema has another one. Agents that were written
 * from the examples send them. They are understood, and never sent.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-modes#from-the-agent">Session modes</a>
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission">Tool calls</a>
 */
final class DocumentedForms {
    private static final Set<String> BLOCKS = Set.of("text", "image", "audio", "resource", "resource_link");

    private DocumentedForms() {}

    /** Returns the params of an update whose mode is called {@code modeId} as the schema has them; else null. */
    static @Nullable RawJson ofSchema(@Nullable RawJson params) {
        if (params == null
                || !(params.value() instanceof JsonObject whole)
                || !(whole.get("update").orElse(null) instanceof JsonObject update)
                || !update.text("sessionUpdate").equals(Optional.of("current_mode_update"))
                || update.get("currentModeId").isPresent()
                || update.get("modeId").isEmpty()) {
            return null;
        }
        Map<String, JsonValue> renamed = new LinkedHashMap<>();
        update.members().forEach((name, value) -> renamed.put(name.equals("modeId") ? "currentModeId" : name, value));
        Map<String, JsonValue> all = new LinkedHashMap<>(whole.members());
        all.put("update", JsonObject.of(renamed));
        return RawJson.of(JsonObject.of(all));
    }

    /** Returns the content of a tool call with all blocks wrapped as the schema has it; the same when they are. */
    static List<ToolCallContent> ofSchema(List<ToolCallContent> content) {
        for (int i = 0; i < content.size(); i++) {
            if (content.get(i) instanceof ToolCallContent.Unknown) {
                return wrapped(content);
            }
        }
        return content;
    }

    private static List<ToolCallContent> wrapped(List<ToolCallContent> content) {
        List<ToolCallContent> wrapped = new ArrayList<>(content.size());
        for (ToolCallContent piece : content) {
            wrapped.add(ofSchema(piece));
        }
        return wrapped;
    }

    /** Returns a piece of the content of a tool call, wrapped. */
    static ToolCallContent ofSchema(ToolCallContent piece) {
        return piece instanceof ToolCallContent.Unknown bare && BLOCKS.contains(bare.type()) ? wrapped(bare) : piece;
    }

    private static ToolCallContent wrapped(ToolCallContent.Unknown bare) {
        try {
            ContentBlock block = bare.raw().decode(Codecs.contentBlock());
            return ToolCallContent.Content.of(block);
        } catch (JsonException e) {
            return bare;
        }
    }
}
