package dev.acp4j.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class NumbersTest {
    @Test
    @Tag("FRM-25")
    @Tag("SCH-11")
    void integersOf64BitsAreExact() {
        for (long value :
                new long[] {0, 1, -1, 9_007_199_254_740_993L, 999_999_999_999_999_999L, Long.MAX_VALUE, Long.MIN_VALUE
                }) {
            assertThat(reader(Long.toString(value)).int64()).isEqualTo(value);
            assertThat(RawJson.number(value)).hasToString(Long.toString(value));
        }
        assertThat(reader("-0").int64()).isZero();
    }

    @Test
    void integersBeyondTheirRangeAreRefusedWithTheRange() {
        assertThatThrownBy(() -> reader("9223372036854775808").int64())
                .hasMessage(
                        "expected an integer from -9223372036854775808 to 9223372036854775807, got 9223372036854775808");
        assertThatThrownBy(() -> reader("-9223372036854775809").int64())
                .hasMessageEndingWith("got -9223372036854775809");
        assertThatThrownBy(() -> reader("2147483648").int32())
                .hasMessage("expected an integer from -2147483648 to 2147483647, got 2147483648");
        assertThatThrownBy(() -> reader("-2147483649").int32()).isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> reader("-1").uint32()).hasMessage("expected an integer from 0 to 4294967295, got -1");
        assertThatThrownBy(() -> reader("4294967296").uint32()).isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> reader("1" + "0".repeat(100)).int64())
                .hasMessageEndingWith("got 1" + "0".repeat(39) + "…");

        assertThat(reader("2147483647").int32()).isEqualTo(Integer.MAX_VALUE);
        assertThat(reader("-2147483648").int32()).isEqualTo(Integer.MIN_VALUE);
        assertThat(reader("4294967295").uint32()).isEqualTo(4_294_967_295L);
    }

    @Test
    void aWholeNumberIsAnIntegerHoweverItIsSpelled() {
        assertThat(reader("1.0").int32()).isEqualTo(1);
        assertThat(reader("1e3").int64()).isEqualTo(1000);
        assertThat(reader("120E-1").uint32()).isEqualTo(12);
        assertThat(reader("-0.0").int64()).isZero();
        assertThat(reader("0e999999999").int64()).isZero();
        assertThat(reader("9223372036854775807.0").int64()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void fractionsAreNotIntegers() {
        for (String text :
                new String[] {"1.5", "1e-1", "1e19", "1e999999999", "1e-999999999", "1e99999999999", "0.1e-99999999999"
                }) {
            assertThatThrownBy(() -> reader(text).int64()).hasMessage("expected an integer, got " + text);
        }
        assertThatThrownBy(() -> reader("true").int64()).hasMessage("expected an integer, got true");
        assertThatThrownBy(() -> reader("1.").int64()).isInstanceOf(JsonException.class);
    }

    @Test
    void doublesAreTheNearestOnes() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            String text = literal(random, i);

            double value = reader(text).number();

            assertThat(value).as(text).isEqualTo(Double.parseDouble(text));
            assertThat(new JsonNumber(text).doubleValue()).isEqualTo(value);
        }
    }

    @Test
    void integersAreThoseOfBigDecimal() {
        Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            String text =
                    random.nextBoolean() ? literal(random, i) : random.nextInt(2000) + "e" + (random.nextInt(24) - 4);

            assertThat(int64OrNull(text)).as(text).isEqualTo(exactOrNull(new BigDecimal(text)));
        }
    }

    private static @Nullable Long int64OrNull(String text) {
        try {
            return reader(text).int64();
        } catch (JsonException e) {
            return null;
        }
    }

    private static @Nullable Long exactOrNull(BigDecimal value) {
        try {
            return value.longValueExact();
        } catch (ArithmeticException e) {
            return null;
        }
    }

    private static String literal(Random random, int i) {
        double any = Double.longBitsToDouble(random.nextLong());
        return switch (i % 4) {
            case 0 -> Double.isFinite(any) ? Double.toString(any) : "0";
            case 1 -> Long.toString(random.nextLong() >> random.nextInt(64));
            case 2 ->
                BigDecimal.valueOf(random.nextLong() >> random.nextInt(64), random.nextInt(18))
                        .toPlainString();
            default -> new BigInteger(random.nextInt(200), random) + "." + Math.abs((long) random.nextInt());
        };
    }

    @Test
    void zeroKeepsItsSign() {
        assertThat(1 / reader("-0").number()).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(1 / reader("-0.000").number()).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(1 / reader("0.0").number()).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(RawJson.encode(-0.0, doubles())).hasToString("-0.0");
    }

    @Test
    void aNumberNoDoubleCanHoldIsRefused() {
        assertThatThrownBy(() -> reader("1e999").number())
                .hasMessage("expected a number in the range of a double, got 1e999");
        assertThatThrownBy(() -> reader("-1e999").number()).isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> reader("\"1\"").number()).hasMessage("expected a number, got \"1\"");
        assertThat(reader("1e-999").number()).isZero();
    }

    @Test
    void doublesAreWrittenSoThatTheyComeBack() {
        Random random = new Random(2);
        for (int i = 0; i < 20_000; i++) {
            double value = i % 2 == 0 ? Double.longBitsToDouble(random.nextLong()) : random.nextInt() / 8.0;
            if (Double.isFinite(value)) {
                RawJson written = RawJson.encode(value, doubles());

                assertThat(RawJson.parse(written.toString()).decode(doubles())).isEqualTo(value);
            }
        }
        assertThat(RawJson.encode(0.045, doubles())).hasToString("0.045");
        assertThat(RawJson.encode(1.0, doubles())).hasToString("1");
        assertThat(RawJson.encode(1e300, doubles())).hasToString("1.0E300");
        assertThat(RawJson.encode(9007199254740992.0, doubles())).hasToString("9.007199254740992E15");
    }

    @Test
    void whatIsNotANumberIsNotWritten() {
        assertThatThrownBy(() -> RawJson.encode(Double.NaN, doubles())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RawJson.encode(Double.NEGATIVE_INFINITY, doubles()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("JSON has no -Infinity");
    }

    private static JsonReader reader(String text) {
        return new JsonReader(text.getBytes(StandardCharsets.US_ASCII), 0, text.length());
    }

    private static Codec<Double> doubles() {
        return new Codec<>() {
            @Override
            public Double decode(JsonReader in) {
                return in.number();
            }

            @Override
            public void encode(Double value, JsonWriter out) {
                out.number(value);
            }
        };
    }
}
