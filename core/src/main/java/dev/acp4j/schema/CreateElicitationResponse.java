package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.MapCodec;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.Map;
import java.util.Objects;

/**
 * The user's response to an elicitation.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#createelicitationresponse">Elicitation</a>
 */
@Codable
@Tagged("action")
public sealed interface CreateElicitationResponse {
    /** Returns an acceptance with the content of the form. */
    static Accept accept(Map<String, ElicitationContentValue> content) {
        return new Accept(content, Rest.NONE);
    }

    /** Returns a refusal by the user. */
    static Decline decline() {
        return new Decline(Rest.NONE);
    }

    /** Returns a response without a decision of the user. */
    static Cancel cancel() {
        return new Cancel(Rest.NONE);
    }

    /**
     * The user agreed.
     *
     * @param content the input by name of the field; empty if there was no form
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("accept")
    record Accept(@OptionalMember Map<String, ElicitationContentValue> content, Rest rest)
            implements CreateElicitationResponse, Extensible {
        @Evolving
        public Accept {
            content = MapCodec.copyOf(content);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder of a response without content. */
        public static CreateElicitationResponseAcceptBuilder builder() {
            return new CreateElicitationResponseAcceptBuilder();
        }

        /** Returns a builder initialized from this record. */
        public CreateElicitationResponseAcceptBuilder toBuilder() {
            return new CreateElicitationResponseAcceptBuilder(this);
        }
    }

    /**
     * The user refused.
     *
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("decline")
    record Decline(Rest rest) implements CreateElicitationResponse, Extensible {
        @Evolving
        public Decline {
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the answer. */
        public static Decline of() {
            return new Decline(Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Decline withMeta(Meta meta) {
            return new Decline(rest.withMeta(meta));
        }
    }

    /**
     * The user did not decide: closed the form, or the turn was cancelled.
     *
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("cancel")
    record Cancel(Rest rest) implements CreateElicitationResponse, Extensible {
        @Evolving
        public Cancel {
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the answer. */
        public static Cancel of() {
            return new Cancel(Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Cancel withMeta(Meta meta) {
            return new Cancel(rest.withMeta(meta));
        }
    }

    /**
     * An action unknown to this version of the library. It must not be treated as a known action.
     *
     * @param action the unknown value of this member
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String action, RawJson raw) implements CreateElicitationResponse {
        public Unknown {
            Objects.requireNonNull(action, "action is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
