package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * The client supports {@link SessionUpdate.PlanUpdate} and {@link SessionUpdate.PlanRemoved}.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/plan-operations">Plan operations</a>
 */
@Codable
@In(1)
@Draft
@Unstable
public record PlanCapabilities(Rest rest) implements Extensible {
    @Evolving
    public PlanCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance. */
    public static PlanCapabilities of() {
        return new PlanCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public PlanCapabilities withMeta(Meta meta) {
        return new PlanCapabilities(rest.withMeta(meta));
    }
}
