package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.fuzz.FuzzRun;
import dev.acp4j.fuzz.Mutations;
import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Gives the codecs of all records and unions values that are almost right. What they accept must come back the same
 * when it is written and read again; what they refuse they refuse with a place.
 */
final class CodecFuzzTest {
    /** A codec, and a value that it writes. */
    private record Sample(Class<?> type, Codec<Object> codec, JsonValue value) {
        static Sample of(Class<?> type, Object value) {
            Codec<Object> codec = ProtocolTypes.codec(type).orElseThrow();
            return new Sample(type, codec, RawJson.encode(value, codec).value());
        }
    }

    private static List<Sample> samples() {
        List<Sample> samples = new ArrayList<>();
        for (Class<?> record : ProtocolTypes.codedRecords()) {
            samples.add(Sample.of(record, RecordSamples.full(record)));
            samples.add(Sample.of(record, RecordSamples.minimal(record)));
        }
        for (Class<?> union : ProtocolTypes.codedUnions()) {
            Stream<Class<?>> variants = ProtocolTypes.variants(union).stream().filter(Class::isRecord);
            variants.sorted(Comparator.comparing(Class::getName))
                    .forEach(variant -> samples.add(Sample.of(union, RecordSamples.full(variant))));
        }
        return samples;
    }

    @Test
    void whatACodecAcceptsComesBackAndWhatItRefusesItRefusesWithAPlace() throws Exception {
        List<Sample> samples = samples();
        List<JsonValue> donors = samples.stream().map(Sample::value).toList();

        FuzzRun.repeat("codecs", 40_000, random -> {
            Sample sample = samples.get(random.nextInt(samples.size()));
            check(sample, new Mutations(random, donors).text(sample.value), random);
            return 1;
        });
    }

    private static void check(Sample sample, byte[] text, Random random) {
        byte[] surrounded = surrounded(text, random);
        int from = (surrounded.length - text.length) / 2;
        try {
            accept(RawJson.wrap(surrounded, from, from + text.length), sample.codec);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(sample.type + " " + new String(text, StandardCharsets.UTF_8), e);
        }
    }

    private static void accept(RawJson json, Codec<Object> codec) {
        RawJson written;
        try {
            written = RawJson.encode(json.decode(codec, "params"), codec);
        } catch (JsonException e) {
            assertThat(e.getMessage()).startsWith("params");
            assertThat(e.messageWithoutValue()).startsWith("params");
            assertThat(e.offset()).isBetween(0, json.length());
            return;
        }
        assertThat(RawJson.encode(written.decode(codec), codec)).isEqualTo(written);
    }

    /** Puts as many bytes before as behind, which change what it means if they are looked at. */
    private static byte[] surrounded(byte[] text, Random random) {
        int each = random.nextInt(4);
        byte[] all = "\"0]},e{[\\".substring(0, 2 * each).getBytes(StandardCharsets.UTF_8);
        byte[] bytes = new byte[text.length + 2 * each];
        System.arraycopy(all, 0, bytes, 0, each);
        System.arraycopy(text, 0, bytes, each, text.length);
        System.arraycopy(all, each, bytes, each + text.length, each);
        return bytes;
    }
}
