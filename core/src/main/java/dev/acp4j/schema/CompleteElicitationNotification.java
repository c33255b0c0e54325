package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Says that what a user was sent to a web address for is over.
 *
 * @param elicitationId the request it was asked for with; a client ignores one it does not know
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public CompleteElicitationNotification withMeta(Meta meta) {
        return new CompleteElicitationNotification(elicitationId, rest.withMeta(meta));
    }
}
