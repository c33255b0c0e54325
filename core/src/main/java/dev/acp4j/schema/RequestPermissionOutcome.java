package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.Objects;

/**
 * The outcome of a permission request.
 *
 * <p>Only {@link Selected} can permit anything, and only if the option with its id was offered and allows the
 * operation. {@link Unknown} is never a permission.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission">Requesting permission</a>
 */
@Codable
@Tagged("outcome")
public sealed interface RequestPermissionOutcome {
    /** Returns the outcome of a request whose turn was cancelled before a decision. */
    static Cancelled cancelled() {
        return new Cancelled(Rest.NONE);
    }

    /** Returns the selection of this option. */
    static Selected selected(PermissionOptionId optionId) {
        return new Selected(optionId, Rest.NONE);
    }

    /**
     * The turn was cancelled before a decision. A client that cancels a turn answers all open requests with this.
     *
     * @param rest extension data and unknown members
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

        /** Returns a copy with other extension data. */
        public Cancelled withMeta(Meta meta) {
            return new Cancelled(rest.withMeta(meta));
        }
    }

    /**
     * An option was chosen, by the user or by a policy.
     *
     * @param optionId the option, one of those in the request
     * @param rest extension data and unknown members
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

        /** Returns a copy with other extension data. */
        public Selected withMeta(Meta meta) {
            return new Selected(optionId, rest.withMeta(meta));
        }
    }

    /**
     * An outcome unknown to this version of the library. It does not permit the operation.
     *
     * @param outcome the unknown value of this member
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String outcome, RawJson raw) implements RequestPermissionOutcome {
        public Unknown {
            Objects.requireNonNull(outcome, "outcome is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
