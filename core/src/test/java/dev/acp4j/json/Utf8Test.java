package dev.acp4j.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class Utf8Test {
    @Test
    void everyCharacterBeyondAsciiIsOneSequence() {
        for (int point = 0x80; point <= Character.MAX_CODE_POINT; point++) {
            if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                continue;
            }
            byte[] bytes = Character.toString(point).getBytes(StandardCharsets.UTF_8);

            assertThat(Utf8.sequenceEnd(bytes, 0, bytes.length)).isEqualTo(bytes.length);
            assertThat(Utf8.sequenceEnd(bytes, 0, bytes.length - 1)).isEqualTo(-1);
        }
    }

    @Test
    @Tag("FRM-09")
    void agreesWithTheJdkOnAllPairsOfBytes() {
        for (int first = 0x80; first <= 0xff; first++) {
            for (int second = 0; second <= 0xff; second++) {
                // Followed by continuations, as far as the lead byte asks for them.
                int length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
                byte[] bytes = {(byte) first, (byte) second, (byte) 0x80, (byte) 0xbf};

                boolean valid = Utf8.sequenceEnd(bytes, 0, length) == length;

                assertThat(valid).as("%02x %02x", first, second).isEqualTo(jdkAccepts(bytes, length));
            }
        }
    }

    @Test
    void everyContinuationIsLookedAt() {
        for (int wrong = 1; wrong < 4; wrong++) {
            for (int with : new int[] {0x00, 0x22, 0x7f, 0xc0, 0xff}) {
                byte[] bytes = "😀".getBytes(StandardCharsets.UTF_8);
                bytes[wrong] = (byte) with;

                assertThat(Utf8.sequenceEnd(bytes, 0, 4)).isEqualTo(-1);
            }
        }
    }

    private static boolean jdkAccepts(byte[] bytes, int length) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
