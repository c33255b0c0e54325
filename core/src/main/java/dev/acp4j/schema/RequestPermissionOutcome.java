package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.Objects;

/**
 * What came of a permission request.
 *
 * <p>Only {@link Selected} can permit anything, and only if the option with its id is one that was offered and allows
 * the operation. {@link Unknown} is never a permission.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission">Requesting permission</a>
 */
@Codable
@Tagged("outcome")
public sealed interface RequestPermissionOutcome {
    /** Returns the outcome of a request that was not decided because the turn was cancelled. */
    static Cancelled cancelled() {
        return new Cancelled(Rest.NONE);
    }

    /** Returns the outcome of a request that was decided for this option. */
    static Selected selected(PermissionOptionId optionId) {
        return new Selected(optionId, Rest.NONE);
    }

    /**
     * The turn was cancelled before anything was decided. A client that cancels a turn gives this answer to all
     * requests that are still open.
     *
     * @param rest extension data, and members that are not known here
     * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation">Cancellation</a>
     */
    @Codable
    @Tag("cancelled")
    record Cancelled(Rest rest) implements RequestPermissionOutcome, Extensible {
        @Evolving
        public Cancelled {
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the outcome. */
        public static Cancelled of() {
            return new Cancelled(Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public Cancelled withMeta(Meta meta) {
            return new Cancelled(rest.withMeta(meta));
        }
    }

    /**
     * An option was chosen, by the user or by a policy.
     *
     * @param optionId the option, one of those in the request
     * @param rest extension data, and members that are not known here
     */
    @Codable
    @Tag("selected")
    record Selected(PermissionOptionId optionId, Rest rest) implements RequestPermissionOutcome, Extensible {
        @Evolving
        public Selected {
            Objects.requireNonNull(optionId, "optionId is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the choice of this option. */
        public static Selected of(PermissionOptionId optionId) {
            return new Selected(optionId, Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public Selected withMeta(Meta meta) {
            return new Selected(optionId, rest.withMeta(meta));
        }
    }

    /**
     * An outcome that this version of the library does not know. It does not permit the operation.
     *
     * @param outcome what it calls itself
     * @param raw the JSON object as it came, which is what is written again
     */
    record Unknown(String outcome, RawJson raw) implements RequestPermissionOutcome {
        public Unknown {
            Objects.requireNonNull(outcome, "outcome is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
