package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Required;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A command that a user can give at the beginning of a prompt, as {@code /name}.
 *
 * @param name the name, without the slash
 * @param description what it does
 * @param input what comes behind the name, or null for nothing
 * @param type the sort of command, which only version 2 says; {@link CommandType#COMMAND} in version 1
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/slash-commands#availablecommand">Available commands</a>
 */
@Codable
public record AvailableCommand(
        String name,
        String description,
        @DefaultOnError @Nullable AvailableCommandInput input,

        @Unstable @In(2) @DefaultTo(value = "COMMAND", written = true) @Required(2)
        CommandType type,

        Rest rest)
        implements Extensible {
    @Evolving
    @Unstable
    public AvailableCommand {
        Objects.requireNonNull(name, "name is null");
        Objects.requireNonNull(description, "description is null");
        Objects.requireNonNull(type, "type is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts an available command with the members it must have. */
    public static AvailableCommandBuilder builder(String name, String description) {
        return new AvailableCommandBuilder(name, description);
    }

    /** Returns a command that is given without anything behind its name. */
    public static AvailableCommand of(String name, String description) {
        return new AvailableCommand(name, description, null, CommandType.COMMAND, Rest.NONE);
    }

    /** Returns a builder that starts from this. */
    public AvailableCommandBuilder toBuilder() {
        return new AvailableCommandBuilder(this);
    }
}
