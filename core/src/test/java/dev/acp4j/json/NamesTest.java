package dev.acp4j.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NamesTest {
    @Test
    void findsEachOfItsNamesAndNoOther() {
        String[] names = new String[255];
        for (int i = 0; i < names.length; i++) {
            names[i] = Integer.toString(i * 7919 % 997, 36);
        }

        Names table = Names.of(names);

        assertThat(table.size()).isEqualTo(255);
        for (int i = 0; i < names.length; i++) {
            assertThat(table.get(i)).isEqualTo(names[i]);
            assertThat(table.indexOf(names[i])).isEqualTo(i);
            assertThat(inText(table, "\"" + names[i] + "\"")).isEqualTo(i);
            assertThat(inText(table, "\"" + names[i] + "!\"")).isEqualTo(JsonReader.UNKNOWN);
        }
    }

    @Test
    void findsNamesThatDifferInOneByte() {
        Random random = new Random(3);
        for (int i = 0; i < 2_000; i++) {
            byte[] name = new byte[1 + random.nextInt(12)];
            for (int j = 0; j < name.length; j++) {
                name[j] = (byte) ('a' + random.nextInt(3));
            }
            byte[] other = name.clone();
            int at = random.nextInt(other.length);
            other[at] = (byte) (other[at] == 'a' ? 'b' : 'a');

            Names table = Names.of(text(name), text(other));

            assertThat(inText(table, "\"" + text(name) + "\"")).isZero();
            assertThat(inText(table, "\"" + text(other) + "\"")).isEqualTo(1);
        }
    }

    @Test
    void namesMayNeedEscapes() {
        Names table = Names.of("", "a\"b", "\n", "é", "\ud800", "😀");

        assertThat(inText(table, "\"\"")).isZero();
        assertThat(inText(table, "\"a\\\"b\"")).isEqualTo(1);
        assertThat(inText(table, "\"a\\u0022b\"")).isEqualTo(1);
        assertThat(inText(table, "\"\\n\"")).isEqualTo(2);
        assertThat(inText(table, "\"\\u000a\"")).isEqualTo(2);
        assertThat(inText(table, "\"\\u00E9\"")).isEqualTo(3);
        assertThat(inText(table, "\"é\"")).isEqualTo(3);
        assertThat(inText(table, "\"\\ud800\"")).isEqualTo(4);
        assertThat(inText(table, "\"\\ud83d\\ude00\"")).isEqualTo(5);
        assertThat(inText(table, "\"?\"")).isEqualTo(JsonReader.UNKNOWN);
        for (int i = 0; i < table.size(); i++) {
            JsonWriter out = new JsonWriter();
            out.beginObject();
            out.name(table, i);
            out.string(table, i);
            out.endObject();

            JsonValue written = out.toRawJson().value();

            assertThat(written)
                    .isInstanceOfSatisfying(
                            JsonObject.class,
                            object -> assertThat(object.members()).hasSize(1));
            assertThat(((JsonObject) written).get(table.get(i))).contains(JsonString.of(table.get(i)));
        }
    }

    @Test
    void anEmptyTableKnowsNothing() {
        assertThat(Names.of().indexOf("a")).isEqualTo(JsonReader.UNKNOWN);
        assertThat(inText(Names.of(), "\"a\"")).isEqualTo(JsonReader.UNKNOWN);
    }

    @Test
    void namesAreDifferentAndFew() {
        assertThatThrownBy(() -> Names.of("a", "b", "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the name a is a duplicate");
        assertThatThrownBy(() -> Names.of(new String[256])).isInstanceOf(IllegalArgumentException.class);
    }

    /** Looks the name up as a member and as a value. */
    private static int inText(Names names, String name) {
        JsonReader member = reader("{" + name + ":0}");
        member.beginObject();
        int index = member.member(names);

        assertThat(reader(name).constant(names)).isEqualTo(index);
        return index;
    }

    private static JsonReader reader(String text) {
        return RawJson.parse(text).reader();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
