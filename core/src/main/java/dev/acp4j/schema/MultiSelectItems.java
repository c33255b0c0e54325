package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import java.util.List;
import java.util.Objects;

/**
 * What a {@link MultiSelectPropertySchema} lets choose from.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#multiselectitems">Choices</a>
 */
@Codable
@Tagged(value = "type", untagged = MultiSelectItems.Titled.class)
public sealed interface MultiSelectItems {
    /**
     * Choices to be shown as they are.
     *
     * @param values the choices
     * @param meta extension data of the implementations, empty when there is none
     */
    @Codable
    @Tag("string")
    record Plain(@Name("enum") List<String> values, Meta meta) implements MultiSelectItems {
        @Evolving
        public Plain {
            values = List.copyOf(values);
            Objects.requireNonNull(meta, "meta is null");
        }

        /** Returns these choices. */
        public static Plain of(List<String> values) {
            return new Plain(values, Meta.EMPTY);
        }

        /** Returns the same with other extension data. */
        public Plain withMeta(Meta meta) {
            return new Plain(values, meta);
        }
    }

    /**
     * Choices that each have a title.
     *
     * @param options the choices
     * @param meta extension data of the implementations, empty when there is none
     */
    @Codable
    record Titled(@Name("anyOf") List<EnumOption> options, Meta meta) implements MultiSelectItems {
        @Evolving
        public Titled {
            options = List.copyOf(options);
            Objects.requireNonNull(meta, "meta is null");
        }

        /** Returns these choices. */
        public static Titled of(List<EnumOption> options) {
            return new Titled(options, Meta.EMPTY);
        }

        /** Returns the same with other extension data. */
        public Titled withMeta(Meta meta) {
            return new Titled(options, meta);
        }
    }

    /**
     * Choices of a type that this version of the library does not know.
     *
     * @param type the type they say they are of
     * @param raw the JSON object as it came, which is what is written again
     */
    record Unknown(String type, RawJson raw) implements MultiSelectItems {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
