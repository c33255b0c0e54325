package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.Objects;

/**
 * The first entry of a conversation that the agent sends again, itself included.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v2/session-setup#current-state-synchronization">Current
 *     state</a>
 */
@Codable
@Tagged("type")
@In(2)
@Unstable
public sealed interface ReplayFrom {
    /** Returns the start of the conversation: all that the agent has kept of it. */
    static Start start() {
        return new Start(Rest.NONE);
    }

    /**
     * The start of the conversation.
     *
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("start")
    record Start(Rest rest) implements ReplayFrom, Extensible {
        @Evolving
        public Start {
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a copy with other extension data. */
        public Start withMeta(Meta meta) {
            return new Start(rest.withMeta(meta));
        }
    }

    /**
     * A position of a type unknown to this version of the library.
     *
     * @param type the unknown value of this member
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String type, RawJson raw) implements ReplayFrom {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
