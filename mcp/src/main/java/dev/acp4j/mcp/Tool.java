package dev.acp4j.mcp;

import dev.acp4j.json.RawJson;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A tool that a server of a session offers.
 *
 * @param server the name of the server, as the client declared it
 * @param name the server's name for the tool
 * @param modelName the name to offer to models: unique in its session, at most 64 letters, digits, {@code _} and
 *     {@code -}, and the same at each start, whatever other servers there are
 * @param title the title for people, or null
 * @param description what the tool does, as the server says, for the model; may be empty
 * @param inputSchema the JSON Schema of the arguments
 * @param annotations claims of the server about the tool, such as {@code readOnlyHint}, as they came; nothing that this
 *     library allows or asks depends on them
 * @param raw the whole definition as it came
 * @see <a href="https://modelcontextprotocol.io/specification/2025-11-25/server/tools">Tools</a>
 */
public record Tool(
        String server,
        String name,
        String modelName,
        @Nullable String title,
        String description,
        RawJson inputSchema,
        RawJson annotations,
        RawJson raw) {
    public Tool {
        Objects.requireNonNull(server, "server is null");
        Objects.requireNonNull(name, "name is null");
        Objects.requireNonNull(modelName, "modelName is null");
        Objects.requireNonNull(description, "description is null");
        Objects.requireNonNull(inputSchema, "inputSchema is null");
        Objects.requireNonNull(annotations, "annotations is null");
        Objects.requireNonNull(raw, "raw is null");
    }

    /** Reads a definition. Returns null when it has no name or no schema that is an object. */
    static @Nullable Tool of(String server, RawJson raw) {
        Members members = Members.of(raw);
        String name = members.text("name");
        RawJson schema = members.raw("inputSchema");
        if (name == null || schema == null || Members.of(schema).all().isEmpty()) {
            return null;
        }
        RawJson annotations = members.raw("annotations");
        return new Tool(
                server,
                name,
                ModelNames.of(server, name),
                members.text("title"),
                members.text("description", ""),
                schema.copy(),
                annotations == null ? RawJson.EMPTY_OBJECT : annotations.copy(),
                raw.copy());
    }

    /** Returns the name with that of its server, for people: {@code files.read}. */
    public String fullName() {
        return server + "." + name;
    }
}
