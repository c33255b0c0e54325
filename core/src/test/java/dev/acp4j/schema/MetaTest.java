package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.acp4j.json.RawJson;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("SCH-09")
final class MetaTest {
    private static final String PARENT = "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01";

    @Test
    void keepsWhatItDoesNotKnowAsItCame() {
        String object = "{\"a\" : 1.50,\"__proto__\":{\"b\":12345678901234567890},\"é\":null}";

        Meta meta = Meta.of(RawJson.parse(object));

        assertThat(meta.raw()).hasToString(object);
        assertThat(meta.get("a")).contains(RawJson.parse("1.50"));
        assertThat(meta.get("é")).contains(RawJson.NULL);
        assertThat(meta.get("zzz")).isEmpty();
    }

    @Test
    void readsTraceKeys() {
        Meta meta =
                Meta.of(Meta.TRACEPARENT, PARENT).with(Meta.TRACESTATE, "a=b").with(Meta.BAGGAGE, "c=d");

        assertThat(meta).hasToString("{\"traceparent\":\"" + PARENT + "\",\"tracestate\":\"a=b\",\"baggage\":\"c=d\"}");
        assertThat(meta.get(Meta.TRACEPARENT)).contains(PARENT);
        assertThat(meta.get(Meta.TRACESTATE)).contains("a=b");
        assertThat(meta.get(Meta.BAGGAGE)).contains("c=d");
    }

    @Test
    void typedKeyIsEmptyForAValueOfAnotherType() {
        Meta meta = Meta.of(RawJson.parse("{\"traceparent\":7,\"tracestate\":null}"));

        assertThat(meta.get(Meta.TRACEPARENT)).isEmpty();
        assertThat(meta.get(Meta.TRACESTATE)).isEmpty();
        assertThat(meta.get(Meta.BAGGAGE)).isEmpty();
    }

    @Test
    void withPutsAMemberInItsOldPlace() {
        Meta meta = Meta.of(RawJson.parse("{\"a\":1,\"b\":2,\"c\":3}"));

        assertThat(meta.with("b", RawJson.parse("[]"))).hasToString("{\"a\":1,\"b\":[],\"c\":3}");
        assertThat(meta.with("d", RawJson.NULL)).hasToString("{\"a\":1,\"b\":2,\"c\":3,\"d\":null}");
        assertThat(meta.without("b")).hasToString("{\"a\":1,\"c\":3}");
        assertThat(meta).hasToString("{\"a\":1,\"b\":2,\"c\":3}");
    }

    @Test
    void lastOfTwoMembersWithOneNameCounts() {
        Meta meta = Meta.of(RawJson.parse("{\"a\":1,\"b\":2,\"a\":3}"));

        assertThat(meta.get("a")).contains(RawJson.number(3));
        assertThat(meta.with("a", RawJson.number(4))).hasToString("{\"a\":4,\"b\":2}");
    }

    @Test
    void withoutMembersItIsEmpty() {
        assertThat(Meta.of(RawJson.parse("{ }"))).isSameAs(Meta.EMPTY);
        assertThat(Meta.of("a", RawJson.NULL).without("a")).isEqualTo(Meta.EMPTY);
        assertThat(Meta.EMPTY.isEmpty()).isTrue();
        assertThat(Meta.of("a", RawJson.NULL).isEmpty()).isFalse();
    }

    @Test
    void isAnObject() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Meta.of(RawJson.parse("[1]")))
                .withMessage("_meta is an object, got [1]");
    }

    @Test
    void membersThatAreEqualAreEqual() {
        assertThat(Meta.of("a", RawJson.number(1)))
                .isEqualTo(Meta.of(RawJson.parse("{\"a\":1}")))
                .hasSameHashCodeAs(Meta.of(RawJson.parse("{\"a\":1}")))
                .isNotEqualTo(Meta.EMPTY);
    }
}
