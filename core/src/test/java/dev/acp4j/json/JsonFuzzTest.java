package dev.acp4j.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Holds the reader and the writer against Jackson, with random documents and with broken ones. Takes
 * {@code -Dacp4j.fuzz.iterations=N} and {@code -Dacp4j.fuzz.seed=N}; a failure names the seed that repeats it in one
 * iteration.
 */
class JsonFuzzTest {
    private static final int ITERATIONS = Integer.getInteger("acp4j.fuzz.iterations", 4_000);
    private static final long SEED = Long.getLong("acp4j.fuzz.seed", 1);

    private interface Check {
        void check(RandomJson random);
    }

    private static void repeat(Check check) {
        for (long seed = SEED; seed < SEED + ITERATIONS; seed++) {
            try {
                check.check(new RandomJson(new Random(seed)));
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("-Dacp4j.fuzz.iterations=1 -Dacp4j.fuzz.seed=" + seed, e);
            }
        }
    }

    @Test
    void aDocumentHasTheValuesJacksonSees() {
        repeat(random -> {
            byte[] document = random.document();

            JsonValue value = RawJson.parse(document).value();

            assertThat(value).isEqualTo(JacksonOracle.read(document));
        });
    }

    @Test
    @Tag("FRM-09")
    void aBrokenDocumentIsAcceptedOrRefusedAsByJackson() {
        repeat(random -> {
            byte[] document = random.broken(random.document());
            JsonValue expected = JacksonOracle.read(document);

            JsonValue value = valueOrNull(document);

            if (!JacksonOracle.DIFFERENT.equals(expected)) {
                assertThat(value).as(() -> show(document)).isEqualTo(expected);
            }
        });
    }

    @Test
    void aCursorAndASkipAgreeOnEveryBrokenDocument() {
        repeat(random -> {
            byte[] document = random.broken(random.document());
            byte[] all = random.surrounded(document);
            int from = (all.length - document.length) / 2;
            JsonReader in = new JsonReader(all, from, from + document.length, "root");
            @Nullable JsonValue walked;
            try {
                walked = JsonValue.CODEC.decode(in);
                in.end();
            } catch (JsonException e) {
                walked = null;
                assertThat(e.getMessage()).startsWith("root");
                assertThat(e.messageWithoutValue()).startsWith("root");
                assertThat(e.offset()).isBetween(0, document.length);
            }

            assertThat(walked).isEqualTo(valueOrNull(document));
        });
    }

    @Test
    @Tag("FRM-19")
    void whatIsWrittenIsReadByJacksonAsTheSame() {
        repeat(random -> {
            JsonValue value = RawJson.parse(random.document()).value();

            RawJson written = RawJson.of(value);

            assertThat(written.value()).isEqualTo(value);
            assertThat(JacksonOracle.read(written.copy().bytes())).isEqualTo(value);
            assertThat(written.toString().codePoints())
                    .noneMatch(c -> c < ' ' || c == 0x85 || c == 0x2028 || c == 0x2029);
        });
    }

    @Test
    @Tag("FRM-19")
    void compactingChangesNoValue() {
        repeat(random -> {
            RawJson raw = RawJson.parse(random.document());
            JsonWriter out = new JsonWriter();

            RawJson compact = raw.compact();
            out.raw(raw);

            assertThat(compact.value()).isEqualTo(raw.value());
            assertThat(compact.length()).isLessThanOrEqualTo(raw.length());
            assertThat(out.toRawJson().value()).isEqualTo(raw.value());
            assertThat(out.toRawJson().toString()).doesNotContain("\n", "\r");
            assertThat(out.toRawJson().compact()).isEqualTo(compact);
        });
    }

    @Test
    void goingBackAnywhereGivesTheSameAgain() {
        repeat(random -> {
            RawJson raw = RawJson.parse(random.document());
            JsonReader in = raw.reader();
            JsonValue value = RestlessTree.read(in, random.random());
            in.end();

            assertThat(value).isEqualTo(raw.value());
        });
    }

    private static @Nullable JsonValue valueOrNull(byte[] document) {
        try {
            return RawJson.parse(document).value();
        } catch (JsonException e) {
            assertThat(e.getMessage()).isNotBlank();
            return null;
        }
    }

    private static String show(byte[] document) {
        return new String(document, StandardCharsets.UTF_8) + " " + Arrays.toString(document);
    }
}
