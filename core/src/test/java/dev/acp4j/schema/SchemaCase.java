package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.ProtocolSchema.Alternative;
import java.util.List;
import java.util.Optional;

/**
 * One form that a value of a definition may have, and the codec that must read it.
 *
 * @param release whose schema it is
 * @param definition the name in the schema
 * @param index which of its alternatives this is
 */
record SchemaCase(
        Release release,
        String definition,
        int index,
        Alternative alternative,
        Codec<Object> codec,
        SchemaSamples samples) {
    /** One member of such a form. */
    record Member(SchemaCase of, String name) {
        JsonNode type() {
            return of.alternative.member(name);
        }

        boolean isRequired() {
            return of.alternative.required().contains(name);
        }

        boolean isList() {
            return type().has("items");
        }

        boolean isLenient() {
            return of.alternative.isLenient(name);
        }

        /** Returns whether a draft adds it to an object of the stable schema. Then it is kept if it is wrong. */
        boolean isAddedByDraft() {
            return of.stableAlternative()
                    .filter(stable -> !stable.members().containsKey(name))
                    .isPresent();
        }

        /** Returns a full value in which this member is another one. */
        ObjectNode with(JsonNode value) {
            ObjectNode object = of.fullObject();
            object.set(name, value);
            return object;
        }

        ObjectNode without() {
            ObjectNode object = of.fullObject();
            object.remove(name);
            return object;
        }

        /** Checks that a value is wrong for this member, and is forgiven or not as the schema says. */
        void isWrong(JsonNode value) {
            if (isAddedByDraft()) {
                isKept(with(value));
            } else if (of.isAddedByDraft() && !isLenient()) {
                assertThat(of.decode(with(value)).getClass().getSimpleName()).isEqualTo("Unknown");
                assertThat(of.roundTrip(with(value))).isEqualTo(with(value));
            } else if (isLenient()) {
                JsonNode absent = isRequired() ? with(ProtocolSchema.JSON.createArrayNode()) : without();
                assertThat(of.roundTrip(with(value))).isEqualTo(of.roundTrip(absent));
            } else {
                assertThat(of.failure(with(value))).hasMessageStartingWith(name);
            }
        }

        /** Checks that the member of an object is unknown and written again. */
        void isKept(JsonNode json) {
            Extensible read = (Extensible) of.decode(json);
            assertThat(read.rest().names()).as("%s", this).contains(name);
            assertThat(of.roundTrip(json)).isEqualTo(json);
        }

        void isRight(JsonNode value) {
            assertThat(of.roundTrip(with(value))).isEqualTo(with(value));
        }

        @Override
        public String toString() {
            return of + "." + name;
        }
    }

    Version version() {
        return release.version();
    }

    /**
     * Returns whether a draft adds this as a variant to a union of the stable schema. Then it is unknown if it is
     * wrong.
     */
    boolean isAddedByDraft() {
        return isOfStableDefinition() && stableAlternative().isEmpty();
    }

    private boolean isOfStableDefinition() {
        return release.hasDrafts() && release.stable().schema().has(definition);
    }

    /** Returns the same in the stable schema, if that has it and this is of the one with drafts. */
    private Optional<Alternative> stableAlternative() {
        return isOfStableDefinition()
                ? release.stable().schema().alternatives(definition).stream()
                        .filter(stable -> stable.other() == alternative.other()
                                && stable.constants().equals(alternative.constants()))
                        .findFirst()
                : Optional.empty();
    }

    List<Member> members() {
        return alternative.ordinaryMembers().stream()
                .map(name -> new Member(this, name))
                .toList();
    }

    JsonNode full() {
        return samples.full(alternative);
    }

    JsonNode minimal() {
        return samples.minimal(alternative);
    }

    /** Returns a full value in which each object has members more. */
    JsonNode fullWithUnknownMembers() {
        return samples.withUnknownMembers().full(alternative);
    }

    /** Returns the least value in which each object has members more. */
    JsonNode minimalWithUnknownMembers() {
        return samples.withUnknownMembers().minimal(alternative);
    }

    ObjectNode fullObject() {
        return (ObjectNode) full();
    }

    Object decode(JsonNode json) {
        return RawJson.parse(json.toString()).decode(codec);
    }

    JsonNode roundTrip(JsonNode json) {
        try {
            return tree(RawJson.encode(decode(json), codec));
        } catch (JsonException e) {
            throw new AssertionError(json.toString(), e);
        }
    }

    JsonException failure(JsonNode json) {
        JsonException failure = catchThrowableOfType(JsonException.class, () -> decode(json));
        assertThat(failure).as("%s must be refused", json).isNotNull();
        return failure;
    }

    static JsonNode tree(RawJson json) {
        try {
            return ProtocolSchema.JSON.readTree(json.toString());
        } catch (JsonProcessingException e) {
            throw new AssertionError(json.toString(), e);
        }
    }

    @Override
    public String toString() {
        return release + " " + definition + (index == 0 ? "" : "#" + index);
    }
}
