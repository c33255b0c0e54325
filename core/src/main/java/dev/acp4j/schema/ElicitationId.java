package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Names a request for user input that is answered at a web address, so that the agent can say later when it is over.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationid">Elicitation</a>
 */
@StringValue
public record ElicitationId(String value) {
    public ElicitationId {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the id with this text. */
    public static ElicitationId of(String value) {
        return new ElicitationId(value);
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ElicitationId that && value.equals(that.value);
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
