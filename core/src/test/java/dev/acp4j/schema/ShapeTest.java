package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The unions that have no member to tell their variants apart. */
final class ShapeTest {
    @Test
    void resourceWithATextIsText() {
        ResourceContents contents = roundTrip(
                "{\"text\":\"hi\",\"uri\":\"file:///a\",\"mimeType\":\"text/plain\"}", ResourceContentsCodec.INSTANCE);

        assertThat(contents)
                .isEqualTo(ResourceContents.Text.builder("hi", "file:///a")
                        .mimeType("text/plain")
                        .build());
    }

    @Test
    void resourceWithABlobIsBytes() {
        ResourceContents contents =
                roundTrip("{\"blob\":\"AAE=\",\"uri\":\"file:///a\"}", ResourceContentsCodec.INSTANCE);

        assertThat(contents).isEqualTo(ResourceContents.blob("file:///a", new byte[] {0, 1}));
        assertThat(((ResourceContents.Blob) contents).bytes()).containsExactly(0, 1);
    }

    @Test
    void resourceWhoseTextIsNullGoesByItsBlob() {
        ResourceContents contents =
                decode("{\"uri\":\"a\",\"text\":null,\"blob\":\"AA==\"}", ResourceContentsCodec.INSTANCE);

        assertThat(contents).isInstanceOf(ResourceContents.Blob.class);
    }

    @Test
    @Tag("SCH-02")
    void resourceOfAnotherShapeIsKept() {
        ResourceContents contents = roundTrip("{\"uri\":\"a\",\"ref\":[1,2]}", ResourceContentsCodec.INSTANCE);

        assertThat(contents).isInstanceOf(ResourceContents.Unknown.class);
    }

    @Test
    @Tag("SCH-03")
    void resourceWithAMalformedTextIsAnError() {
        assertThatThrownBy(() -> decode("{\"text\":7,\"uri\":\"a\"}", ResourceContentsCodec.INSTANCE))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("text");
    }

    @Test
    void inputWithAHintIsText() {
        assertThat(roundTrip("{\"hint\":\"what\"}", AvailableCommandInputCodec.INSTANCE))
                .isEqualTo(AvailableCommandInput.Unstructured.of("what"));
    }

    @Test
    @Tag("SCH-02")
    void inputOfAnotherShapeIsKept() {
        assertThat(roundTrip("{\"fields\":[]}", AvailableCommandInputCodec.INSTANCE))
                .isInstanceOf(AvailableCommandInput.Unknown.class);
    }

    @Test
    void valuesMayStandInAPlainList() {
        SessionConfigSelectOptions options =
                roundTrip("[{\"value\":\"a\",\"name\":\"A\"}]", SessionConfigSelectOptionsCodec.INSTANCE);

        assertThat(options).isInstanceOf(SessionConfigSelectOptions.Ungrouped.class);
        assertThat(options.options()).containsExactly(SessionConfigSelectOption.of(SessionConfigValueId.of("a"), "A"));
    }

    @Test
    void valuesMayStandInGroups() {
        SessionConfigSelectOptions options = roundTrip(
                "[{\"group\":\"g\",\"name\":\"G\",\"options\":[{\"value\":\"a\",\"name\":\"A\"}]},"
                        + "{\"group\":\"h\",\"name\":\"H\",\"options\":[{\"value\":\"b\",\"name\":\"B\"}]}]",
                SessionConfigSelectOptionsCodec.INSTANCE);

        assertThat(options).isInstanceOf(SessionConfigSelectOptions.Grouped.class);
        assertThat(options.options())
                .extracting(option -> option.value().value())
                .containsExactly("a", "b");
    }

    @Test
    void noValuesAreAPlainList() {
        assertThat(roundTrip("[]", SessionConfigSelectOptionsCodec.INSTANCE))
                .isEqualTo(SessionConfigSelectOptions.of(List.of()));
    }

    @Test
    void valuesAndGroupsDoNotMix() {
        assertThatThrownBy(() -> decode(
                        "[{\"group\":\"g\",\"name\":\"G\",\"options\":[]},{\"value\":\"a\",\"name\":\"A\"}]",
                        SessionConfigSelectOptionsCodec.INSTANCE))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("group");
    }

    @Test
    @Tag("CBK-11")
    void contentOfAFormTellsItsTypeByItself() {
        assertThat(content("\"a\"")).isEqualTo(ElicitationContentValue.of("a"));
        assertThat(content("true")).isEqualTo(ElicitationContentValue.of(true));
        assertThat(content("1.5")).isEqualTo(ElicitationContentValue.of(1.5));
        assertThat(content("[\"a\",\"b\"]")).isEqualTo(ElicitationContentValue.of(List.of("a", "b")));
        assertThat(content("[]")).isEqualTo(ElicitationContentValue.of(List.of()));
    }

    @Test
    @Tag("SCH-11")
    void wholeNumbersOfAFormAreExact() {
        assertThat(content("9223372036854775807")).isEqualTo(ElicitationContentValue.of(Long.MAX_VALUE));
        assertThat(content("9007199254740993")).isEqualTo(ElicitationContentValue.of(9007199254740993L));
    }

    @Test
    void numbersOfAFormThatAreTooLongAreDecimal() {
        assertThat(decode("9223372036854775808", ElicitationContentValueCodec.INSTANCE))
                .isEqualTo(ElicitationContentValue.of(0x1p63));
    }

    @Test
    void otherContentOfAFormIsKept() {
        assertThat(content("{\"a\":1}")).isInstanceOf(ElicitationContentValue.Unknown.class);
        assertThat(content("[\"a\",1]")).isInstanceOf(ElicitationContentValue.Unknown.class);
        assertThat(content("null")).isInstanceOf(ElicitationContentValue.Unknown.class);
    }

    private static ElicitationContentValue content(String json) {
        return roundTrip(json, ElicitationContentValueCodec.INSTANCE);
    }

    private static <T> T decode(String json, Codec<T> codec) {
        return RawJson.parse(json).decode(codec);
    }

    private static <T> T roundTrip(String json, Codec<T> codec) {
        T value = decode(json, codec);
        assertThat(RawJson.encode(value, codec)).hasToString(json);
        return value;
    }
}
