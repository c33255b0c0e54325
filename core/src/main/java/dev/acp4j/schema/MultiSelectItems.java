package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Name;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.List;
import java.util.Objects;

/**
 * The choices of a {@link MultiSelectPropertySchema}.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#multiselectitems">Choices</a>
 */
@Codable
@Tagged(value = "type", untagged = MultiSelectItems.Titled.class)
public sealed interface MultiSelectItems {
    /**
     * Choices shown by value.
     *
     * @param values the choices
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("string")
    record Plain(@Name("enum") List<String> values, Rest rest) implements MultiSelectItems, Extensible {
        @Evolving
        public Plain {
            values = List.copyOf(values);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns these choices. */
        public static Plain of(List<String> values) {
            return new Plain(values, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Plain withMeta(Meta meta) {
            return new Plain(values, rest.withMeta(meta));
        }
    }

    /**
     * Choices with titles.
     *
     * @param options the choices
     * @param rest extension data and unknown members
     */
    @Codable
    record Titled(@Name("anyOf") List<EnumOption> options, Rest rest) implements MultiSelectItems, Extensible {
        @Evolving
        public Titled {
            options = List.copyOf(options);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns these choices. */
        public static Titled of(List<EnumOption> options) {
            return new Titled(options, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Titled withMeta(Meta meta) {
            return new Titled(options, rest.withMeta(meta));
        }
    }

    /**
     * Choices of a type unknown to this version of the library.
     *
     * @param type the unknown type
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String type, RawJson raw) implements MultiSelectItems {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
