package dev.acp4j.mcp;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A prompt that a server of a session offers, which agents can offer as a slash command.
 *
 * @param server the name of the server, as the client declared it
 * @param name the server's name for the prompt
 * @param title the title for people, or null
 * @param description what it is for; may be empty
 * @param arguments what it can be given
 * @see <a href="https://modelcontextprotocol.io/specification/2025-11-25/server/prompts">Prompts</a>
 */
public record Prompt(String server, String name, @Nullable String title, String description, List<Argument> arguments) {
    public Prompt {
        Objects.requireNonNull(server, "server is null");
        Objects.requireNonNull(name, "name is null");
        Objects.requireNonNull(description, "description is null");
        arguments = List.copyOf(arguments);
    }

    /**
     * An argument of a prompt.
     *
     * @param name its name
     * @param description what it is; may be empty
     * @param isRequired whether the prompt needs it
     */
    public record Argument(String name, String description, boolean isRequired) {}

    /**
     * A message of a prompt that was filled in.
     *
     * @param role whose message it is
     * @param content what it says
     */
    public record Message(Role role, ContentBlock content) {}

    static @Nullable Prompt of(String server, RawJson raw) {
        Members members = Members.of(raw);
        String name = members.text("name");
        if (name == null) {
            return null;
        }
        List<Argument> arguments = new ArrayList<>();
        for (RawJson argument : members.list("arguments")) {
            Members of = Members.of(argument);
            arguments.add(new Argument(of.text("name", ""), of.text("description", ""), of.isTrue("required")));
        }
        return new Prompt(server, name, members.text("title"), members.text("description", ""), arguments);
    }

    static List<Message> messages(RawJson result) {
        List<Message> messages = new ArrayList<>();
        for (RawJson message : Members.of(result).list("messages")) {
            Members of = Members.of(message);
            RawJson content = of.raw("content");
            if (content != null) {
                messages.add(new Message(Role.of(of.text("role", "user")), ToolResult.block(content)));
            }
        }
        return messages;
    }
}
