package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Required;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A command that a user can enter at the beginning of a prompt, as {@code /name}.
 *
 * @param name the name, without the slash
 * @param description what it does
 * @param input the input after the name, or null for none
 * @param type the type of command, present in version 2 only; {@link CommandType#COMMAND} in version 1
 * @param rest extension data and unknown members
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

    /** Returns a builder with the required members. */
    public static AvailableCommandBuilder builder(String name, String description) {
        return new AvailableCommandBuilder(name, description);
    }

    /** Returns a command without input. */
    public static AvailableCommand of(String name, String description) {
        return new AvailableCommand(name, description, null, CommandType.COMMAND, Rest.NONE);
    }

    /** Returns a builder initialized from this record. */
    public AvailableCommandBuilder toBuilder() {
        return new AvailableCommandBuilder(this);
    }
}
