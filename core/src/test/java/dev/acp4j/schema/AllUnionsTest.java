package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads and writes all unions whose variants a member tells apart. */
final class AllUnionsTest {
    /** Members that some unions want in every variant, and others that mean something to a language of scripts. */
    private static final String REST =
            "\"id\":\"i\", \"name\" : \"n\",\"constructor\":{\"__proto__\": [1.50,1e2]},\"big\":12345678901234567890";

    /**
     * A variant, as it is written.
     *
     * @param tag the member that tells which it is; empty for the variant without it
     */
    record Variant(Class<?> union, Class<?> type, Optional<String> tag, ObjectNode json) {
        /** Returns whether a draft adds it to a stable union. Then it is unknown if anything is wrong in it. */
        boolean isAddedByDraft() {
            Version version = ProtocolTypes.first(union);
            return ProtocolTypes.isDraft(type, version) && !ProtocolTypes.isDraft(union, version);
        }

        Object read(JsonNode json) {
            return RawJson.parse(json.toString()).decode(codec(union));
        }

        @Override
        public String toString() {
            return type.getName();
        }
    }

    static Stream<Variant> variants() {
        return ProtocolTypes.codedUnions().stream()
                .flatMap(union -> ProtocolTypes.variants(union).stream()
                        .filter(type -> ProtocolTypes.codec(type).isPresent())
                        .map(type -> variant(union, type)));
    }

    static Stream<Variant> taggedVariants() {
        return variants().filter(variant -> variant.tag().isPresent());
    }

    static Stream<Variant> taggedUnions() {
        List<Variant> all = taggedVariants().toList();
        return all.stream()
                .filter(variant -> all.stream()
                        .filter(other -> other.union() == variant.union())
                        .findFirst()
                        .equals(Optional.of(variant)));
    }

    private static Variant variant(Class<?> union, Class<?> type) {
        Object full = RecordSamples.full(type);
        ObjectNode json = (ObjectNode) SchemaCase.tree(RawJson.encode(full, codec(union)));
        JsonNode alone = SchemaCase.tree(RawJson.encode(full, codec(type)));
        String first = json.fieldNames().next();
        return new Variant(union, type, alone.has(first) ? Optional.empty() : Optional.of(first), json);
    }

    private static Codec<Object> codec(Class<?> type) {
        return ProtocolTypes.codec(type).orElseThrow();
    }

    @Test
    void thereAreManyOfThem() {
        assertThat(taggedUnions()).hasSizeGreaterThan(9);
        assertThat(variants()).hasSizeGreaterThan(40);
    }

    @ParameterizedTest
    @MethodSource("variants")
    void eachVariantComesBack(Variant variant) {
        assertThat(variant.read(variant.json())).isEqualTo(RecordSamples.full(variant.type()));
    }

    @ParameterizedTest
    @MethodSource("taggedVariants")
    void tagMayBeTheLastMember(Variant variant) {
        ObjectNode json = variant.json().deepCopy();
        json.set(variant.tag().orElseThrow(), json.remove(variant.tag().orElseThrow()));

        assertThat(variant.read(json)).isEqualTo(RecordSamples.full(variant.type()));
    }

    @ParameterizedTest
    @MethodSource("taggedVariants")
    void repeatedTagWithAnotherValueIsAnError(Variant variant) {
        String tag = variant.tag().orElseThrow();
        RawJson json = RawJson.parse(with(variant, tag, "\"_mine\""));

        if (variant.isAddedByDraft()) {
            assertThat(json.decode(codec(variant.union())).getClass().getSimpleName())
                    .isEqualTo("Unknown");
        } else {
            assertThatThrownBy(() -> json.decode(codec(variant.union()), "params.x"))
                    .hasMessage("params.x: the member \"" + tag + "\" is repeated with another value");
        }
    }

    @ParameterizedTest
    @MethodSource("taggedVariants")
    void repeatedTagWithTheSameValueIsRead(Variant variant) throws Exception {
        String tag = variant.tag().orElseThrow();
        String twice = with(variant, tag, variant.json().get(tag).toString());

        assertThat(RawJson.parse(twice).decode(codec(variant.union()))).isEqualTo(RecordSamples.full(variant.type()));
    }

    private static String with(Variant variant, String member, String value) {
        return variant.json().toString().replaceFirst("}$", ",\"" + member + "\":" + value + "}");
    }

    @ParameterizedTest
    @MethodSource("taggedVariants")
    @Tag("SCH-03")
    void knownTagWithAMalformedPayloadIsAnError(Variant variant) {
        String tag = variant.tag().orElseThrow();
        ObjectNode bare = ProtocolSchema.JSON.createObjectNode();
        bare.set(tag, variant.json().get(tag));

        // A variant without required members is right without any.
        if (RecordSamples.requiresSomething(variant.type())) {
            if (variant.isAddedByDraft()) {
                assertThat(variant.read(bare).getClass().getSimpleName()).isEqualTo("Unknown");
            } else {
                assertThatThrownBy(() -> variant.read(bare)).isInstanceOf(JsonException.class);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("taggedUnions")
    @Tag("SCH-02")
    void unknownVariantIsKeptByteForByte(Variant variant) {
        String tag = variant.tag().orElseThrow();
        RawJson json = RawJson.parse("{ " + REST + ", \"" + tag + "\" :\"_m\\u0069ne\" }");

        Object unknown = json.decode(codec(variant.union()));

        assertThat(unknown.getClass().getSimpleName()).isEqualTo("Unknown");
        assertThat(unknown).extracting(tag).isEqualTo("_mine");
        assertThat(RawJson.encode(unknown, codec(variant.union()))).isEqualTo(json);
    }

    @ParameterizedTest
    @MethodSource("taggedUnions")
    void tagIsAString(Variant variant) {
        String tag = variant.tag().orElseThrow();
        RawJson json = RawJson.parse("{" + REST + ",\"" + tag + "\":7}");

        assertThatThrownBy(() -> json.decode(codec(variant.union()), "params.x"))
                .hasMessage("params.x." + tag + ": expected a string, got 7");
    }

    @ParameterizedTest
    @MethodSource("taggedUnions")
    @Tag("SCH-17")
    void withoutATagItIsTheVariantThatHasNoneOrAnError(Variant variant) {
        Optional<Variant> untagged = variants()
                .filter(other -> other.union() == variant.union() && other.tag().isEmpty())
                .findFirst();

        if (untagged.isPresent()) {
            ObjectNode json = untagged.get().json().deepCopy();
            json.putNull(variant.tag().orElseThrow());
            assertThat(variant.read(json))
                    .isEqualTo(RecordSamples.full(untagged.get().type()));
        } else {
            assertThatThrownBy(() -> RawJson.parse("{" + REST + "}").decode(codec(variant.union()), "params.x"))
                    .hasMessage("params.x: required member \"" + variant.tag().orElseThrow() + "\" is missing");
        }
    }

    @Test
    @Tag("SCH-17")
    void serverWithoutATypeRunsAsAProgram() {
        String json = "{\"name\":\"n\",\"command\":\"/c\",\"args\":[],\"env\":[]}";

        McpServer server = RawJson.parse(json).decode(McpServerCodec.INSTANCE);

        assertThat(server).isInstanceOf(McpServer.Stdio.class);
        assertThat(RawJson.encode(server, McpServerCodec.INSTANCE)).hasToString(json);
        assertThat(RawJson.parse("{\"type\":\"stdio\"," + json.substring(1)).decode(McpServerCodec.INSTANCE))
                .isEqualTo(server);
    }

    @Test
    @Tag("CBK-03")
    void unknownOutcomeOfAPermissionRequestIsNeitherOfTheOthers() {
        RequestPermissionOutcome outcome = RawJson.parse("{\"outcome\":\"SELECTED\",\"optionId\":\"allow\"}")
                .decode(RequestPermissionOutcomeCodec.INSTANCE);

        assertThat(outcome).isInstanceOf(RequestPermissionOutcome.Unknown.class);
    }
}
