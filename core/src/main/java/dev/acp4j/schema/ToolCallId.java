package dev.acp4j.schema;

/**
 * Identifies a tool call, unique within its session. The agent chooses it.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#creating">Tool calls</a>
 */
public final class ToolCallId extends StringValue {
    private ToolCallId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static ToolCallId of(String value) {
        return new ToolCallId(value);
    }
}
