package dev.acp4j.schema;

/**
 * Identifies a terminal that runs a command for the agent. In version 1 the client chooses it, and it is valid until
 * the terminal is released; in version 2 the agent chooses it, unique within its session.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals">Terminals</a>
 */
public final class TerminalId extends StringValue {
    private TerminalId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static TerminalId of(String value) {
        return new TerminalId(value);
    }
}
