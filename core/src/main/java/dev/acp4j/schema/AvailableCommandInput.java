package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * The input after the name of a command.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/slash-commands#availablecommandinput">Input of commands</a>
 */
public sealed interface AvailableCommandInput {
    /**
     * Any text.
     *
     * @param hint the text to show while the input is empty
     * @param rest extension data and unknown members
     */
    @Codable
    record Unstructured(String hint, Rest rest) implements AvailableCommandInput, Extensible {
        @Evolving
        public Unstructured {
            Objects.requireNonNull(hint, "hint is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns input that is any text. */
        public static Unstructured of(String hint) {
            return new Unstructured(hint, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Unstructured withMeta(Meta meta) {
            return new Unstructured(hint, rest.withMeta(meta));
        }
    }

    /**
     * Input of a type unknown to this version of the library.
     *
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(RawJson raw) implements AvailableCommandInput {
        public Unknown {
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
