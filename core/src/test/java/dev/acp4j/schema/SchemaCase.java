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

/**
 * One form that a value of a definition may have, and the codec that must read it.
 *
 * @param version whose schema it is
 * @param definition the name in the schema
 * @param index which of its alternatives this is
 */
record SchemaCase(
        Version version,
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
            if (isLenient()) {
                JsonNode absent = isRequired() ? with(ProtocolSchema.JSON.createArrayNode()) : without();
                assertThat(of.roundTrip(with(value))).isEqualTo(of.roundTrip(absent));
            } else {
                assertThat(of.failure(with(value))).hasMessageStartingWith(name);
            }
        }

        void isRight(JsonNode value) {
            assertThat(of.roundTrip(with(value))).isEqualTo(with(value));
        }

        @Override
        public String toString() {
            return of + "." + name;
        }
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
        return version + " " + definition + (index == 0 ? "" : "#" + index);
    }
}
