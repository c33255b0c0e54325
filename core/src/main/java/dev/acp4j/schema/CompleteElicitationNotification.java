package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Reports that an interaction at a web address is complete.
 *
 * @param elicitationId the id of the elicitation; a client ignores an unknown one
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#completeelicitationnotification">Elicitation</a>
 */
@Codable
public record CompleteElicitationNotification(ElicitationId elicitationId, Rest rest) implements Extensible {
    @Evolving
    public CompleteElicitationNotification {
        Objects.requireNonNull(elicitationId, "elicitationId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the notification with these members. */
    public static CompleteElicitationNotification of(ElicitationId elicitationId) {
        return new CompleteElicitationNotification(elicitationId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public CompleteElicitationNotification withMeta(Meta meta) {
        return new CompleteElicitationNotification(elicitationId, rest.withMeta(meta));
    }
}
