package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * What comes behind the name of a command.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/slash-commands#availablecommandinput">Input of commands</a>
 */
public sealed interface AvailableCommandInput {
    /**
     * Any text.
     *
     * @param hint what to show as long as nothing has been typed
     * @param rest extension data, and members that are not known here
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

        /** Returns the same with other extension data. */
        public Unstructured withMeta(Meta meta) {
            return new Unstructured(hint, rest.withMeta(meta));
        }
    }

    /**
     * Input of another sort than this version of the library knows.
     *
     * @param raw the JSON object as it came, which is what is written again
     */
    record Unknown(RawJson raw) implements AvailableCommandInput {
        public Unknown {
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
