package dev.acp4j.schema;

import dev.acp4j.schema.codec.In;
import java.util.List;

/** The types of commands that a user can enter. */
@In(2)
@Unstable
public final class CommandType extends StringValue {
    /** A command that the user types, followed by input. */
    public static final CommandType COMMAND = new CommandType("command");

    private CommandType(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static CommandType of(String value) {
        return new CommandType(value);
    }

    /** Returns the constants. */
    public static List<CommandType> known() {
        return StringValueCodec.COMMAND_TYPE.known();
    }
}
