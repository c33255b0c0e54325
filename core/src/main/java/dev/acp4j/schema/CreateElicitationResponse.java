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
 * What the user did when asked for something.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#createelicitationresponse">Elicitation</a>
 */
@Codable
@Tagged("action")
public sealed interface CreateElicitationResponse {
    /** Returns that the user agreed, and filled in the form like this. */
    static Accept accept(Map<String, ElicitationContentValue> content) {
        return new Accept(content, Rest.NONE);
    }

    /** Returns that the user refused. */
    static Decline decline() {
        return new Decline(Rest.NONE);
    }

    /** Returns that the user did not decide. */
    static Cancel cancel() {
        return new Cancel(Rest.NONE);
    }

    /**
     * The user agreed.
     *
     * @param content what was filled in, by the names of the fields; empty when there was no form
     * @param rest extension data, and members that are not known here
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

        /** Starts an answer without content. */
        public static CreateElicitationResponseAcceptBuilder builder() {
            return new CreateElicitationResponseAcceptBuilder();
        }

        /** Returns a builder that starts from this. */
        public CreateElicitationResponseAcceptBuilder toBuilder() {
            return new CreateElicitationResponseAcceptBuilder(this);
        }
    }

    /**
     * The user refused.
     *
     * @param rest extension data, and members that are not known here
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

        /** Returns the same with other extension data. */
        public Decline withMeta(Meta meta) {
            return new Decline(rest.withMeta(meta));
        }
    }

    /**
     * The user did not decide: closed the form, or the turn was cancelled.
     *
     * @param rest extension data, and members that are not known here
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

        /** Returns the same with other extension data. */
        public Cancel withMeta(Meta meta) {
            return new Cancel(rest.withMeta(meta));
        }
    }

    /**
     * An action that this version of the library does not know. It must not be taken for one of the others.
     *
     * @param action what it calls itself
     * @param raw the JSON object as it came, which is what is written again
     */
    record Unknown(String action, RawJson raw) implements CreateElicitationResponse {
        public Unknown {
            Objects.requireNonNull(action, "action is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
