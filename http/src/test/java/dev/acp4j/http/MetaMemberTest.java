package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.util.Random;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetaMemberTest {
    private static final RawJson CURSOR = RawJson.string("e-1");

    @ParameterizedTest
    @Tag("DUR-02")
    @Tag("DUR-03")
    @CsvSource(delimiter = '|', textBlock = """
                    {"params":{}} | {"params":{"_meta":{"acp/cursor":"e-1"}}}
                    {"params":{"a":1.0e3}} | {"params":{"_meta":{"acp/cursor":"e-1"},"a":1.0e3}}
                    { "params" : { "a" : "\\u00e9" } , "x":[1] } | { "params" : {"_meta":{"acp/cursor":"e-1"}, "a" : "\\u00e9" } , "x":[1] }
                    {"params":{"_meta":null,"b":2}} | {"params":{"_meta":{"acp/cursor":"e-1"},"b":2}}
                    {"params":{"b":2,"_meta":{}}} | {"params":{"b":2,"_meta":{"acp/cursor":"e-1"}}}
                    {"params":{"_meta":{"k":[{}]}}} | {"params":{"_meta":{"acp/cursor":"e-1","k":[{}]}}}
                    {"params":{"_meta":{"k":1,"acp/cursor":"other"}}} | {"params":{"_meta":{"k":1,"acp/cursor":"e-1"}}}
                    {"params":{"_meta":7}} | {"params":{"_meta":{"acp/cursor":"e-1"}}}
                    {"params":[1]} | {"params":[1]}
                    {"method":"m"} | {"method":"m"}
                    {"id":1,"result":{"x":{"_meta":{}}}} | {"id":1,"result":{"_meta":{"acp/cursor":"e-1"},"x":{"_meta":{}}}}
                    {"id":1,"result":null} | {"id":1,"result":null}
                    {"id":1,"result":"a"} | {"id":1,"result":"a"}
                    {"id":1,"error":{"code":1,"message":"m","data":{}}} | {"id":1,"error":{"code":1,"message":"m","data":{}}}
                    """)
    void theMemberIsPutInAndNoOtherByteChanges(String before, String after) {
        assertThat(MetaMember.put(RawJson.parse(before), Wire.CURSOR, CURSOR)).hasToString(after);
    }

    @Test
    @Tag("DUR-03")
    void ofMessagesOfAnyFormNothingElseChanges() {
        Pattern whole = Pattern.compile("\"_meta\":\\{\"acp/cursor\":\"e-1\"},?");
        Pattern part = Pattern.compile("\"acp/cursor\":\"e-1\",?");
        int changed = 0;
        for (int seed = 0; seed < 5000; seed++) {
            Random random = new Random(seed);
            boolean hasMeta = random.nextBoolean();
            String body = object(random, 4, hasMeta);
            String text = gap(random) + "{" + gap(random) + "\"jsonrpc\":\"2.0\"," + gap(random)
                    + (random.nextBoolean() ? "\"params\"" : "\"result\"") + gap(random) + ":" + gap(random) + body
                    + gap(random) + ",\"x\":" + value(random, 2) + "}";
            RawJson message = RawJson.parse(text);

            RawJson put = MetaMember.put(message, Wire.CURSOR, CURSOR);

            changed += put.equals(message) ? 0 : 1;
            assertThat((hasMeta ? part : whole).matcher(put.toString()).replaceFirst(""))
                    .as("seed " + seed)
                    .isEqualTo(message.toString());
            assertThat(put.value()).isNotNull();
        }
        assertThat(changed).isEqualTo(5000);
    }

    private static String gap(Random random) {
        return random.nextInt(4) == 0 ? " \t\n\r ".substring(random.nextInt(5)) : "";
    }

    private static String object(Random random, int depth, boolean hasMeta) {
        StringJoiner members = new StringJoiner("," + gap(random), "{" + gap(random), gap(random) + "}");
        int count = random.nextInt(4);
        for (int i = 0; i < count; i++) {
            members.add("\"a\\u0062" + i + "\"" + gap(random) + ":" + value(random, depth - 1));
        }
        if (hasMeta) {
            members.add("\"_meta\"" + gap(random) + ":" + object(random, depth - 1, false));
        }
        return members.toString();
    }

    private static String value(Random random, int depth) {
        return switch (random.nextInt(depth <= 0 ? 5 : 7)) {
            case 0 -> "-0.10e+5";
            case 1 -> "\"}{\\\"_meta\\\":\\u00E9\\/\"";
            case 2 -> "null";
            case 3 -> "123456789012345678901234567890";
            case 4 -> "true";
            case 5 -> "[" + gap(random) + value(random, depth - 1) + "," + value(random, depth - 1) + "]";
            default -> object(random, depth - 1, false);
        };
    }
}
