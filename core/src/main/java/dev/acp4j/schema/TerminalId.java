package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Names a terminal that runs a command for the agent. The client chooses it, and it holds until the terminal is
 * released.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals">Terminals</a>
 */
@StringValue
public record TerminalId(String value) {
    public TerminalId {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the id with this text. */
    public static TerminalId of(String value) {
        return new TerminalId(value);
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TerminalId that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    /** Returns the text on the wire. */
    @Override
    public String toString() {
        return value;
    }
}
