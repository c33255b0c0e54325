package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import org.junit.jupiter.api.Test;

/** What an object has besides the members that are known. */
final class RestTest {
    private static SessionMode read(String json) {
        return RawJson.parse(json).decode(SessionModeCodec.INSTANCE);
    }

    private static String write(SessionMode mode) {
        return RawJson.encode(mode, SessionModeCodec.INSTANCE).toString();
    }

    @Test
    void whatHasNothingMoreSharesOneValue() {
        assertThat(read("{\"id\":\"a\",\"name\":\"A\"}").rest()).isSameAs(Rest.NONE);
        assertThat(read("{\"id\":\"a\",\"name\":\"A\",\"_meta\":{}}").rest()).isSameAs(Rest.NONE);
        assertThat(read("{\"id\":\"a\",\"name\":\"A\",\"_meta\":7}").rest()).isSameAs(Rest.NONE);
        assertThat(Rest.of(Meta.EMPTY)).isSameAs(Rest.NONE);
        assertThat(Rest.NONE.isEmpty()).isTrue();
    }

    @Test
    void unknownMembersStayInTheirOrderAndAsTheyCame() {
        SessionMode mode = read("{\"z\":1.50,\"id\":\"a\",\"b\":[ 1 ],\"_meta\":{\"k\":1},\"name\":\"A\",\"a\":null}");

        assertThat(mode.rest().names()).containsExactly("z", "b", "a");
        assertThat(mode.rest().get("b")).contains(RawJson.parse("[ 1 ]"));
        assertThat(mode.rest().get("id")).isEmpty();
        assertThat(mode.meta().get("k")).contains(RawJson.number(1));
        assertThat(write(mode))
                .isEqualTo("{\"id\":\"a\",\"name\":\"A\",\"_meta\":{\"k\":1},\"z\":1.50,\"b\":[ 1 ],\"a\":null}");
    }

    @Test
    void unknownMembersCountForEqualityAndAreShownByNameOnly() {
        SessionMode one = read("{\"id\":\"a\",\"name\":\"A\",\"token\":\"t0p\",\"_meta\":{\"k\":\"s3cret\"}}");

        assertThat(one).isEqualTo(read("{\"id\":\"a\",\"name\":\"A\",\"token\":\"t0p\",\"_meta\":{\"k\":\"s3cret\"}}"));
        assertThat(one)
                .isNotEqualTo(read("{\"id\":\"a\",\"name\":\"A\",\"token\":\"x\",\"_meta\":{\"k\":\"s3cret\"}}"));
        assertThat(one.toString())
                .contains("rest=[_meta, token]")
                .doesNotContain("t0p")
                .doesNotContain("s3cret");
    }

    @Test
    void otherMetadataLeavesUnknownMembersAlone() {
        SessionMode mode = read("{\"id\":\"a\",\"name\":\"A\",\"x\":1,\"_meta\":{\"k\":1}}");

        SessionMode changed = mode.toBuilder().meta(Meta.EMPTY).build();

        assertThat(write(changed)).isEqualTo("{\"id\":\"a\",\"name\":\"A\",\"x\":1}");
    }

    @Test
    void unknownMemberNeverSpeaksForAKnownOneOrForTheTag() {
        Rest forged = Rest.builder()
                .add("type", RawJson.string("image"))
                .add("text", RawJson.string("forged"))
                .add("more", RawJson.NULL)
                .build();
        ContentBlock text = new ContentBlock.Text("t", null, forged);

        assertThat(RawJson.encode(text, ContentBlockCodec.INSTANCE))
                .hasToString("{\"type\":\"text\",\"text\":\"t\",\"more\":null}");
    }
}
