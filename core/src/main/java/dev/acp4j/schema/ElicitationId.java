package dev.acp4j.schema;

/**
 * Identifies a request for user input at a web address, so that the agent can report its completion later.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationid">Elicitation</a>
 */
public final class ElicitationId extends StringValue {
    private ElicitationId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static ElicitationId of(String value) {
        return new ElicitationId(value);
    }
}
