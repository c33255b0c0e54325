package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class OutputTailTest {
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aCharacterMayComeInPieces() {
        OutputTail tail = new OutputTail(100);
        byte[] text = bytes("grün 𝄞!");

        for (int i = 0; i < text.length; i++) {
            tail.add(Arrays.copyOfRange(text, i, i + 1));
        }

        assertThat(tail).hasToString("grün 𝄞!");
    }

    @Test
    void onlyTheEndIsKept() {
        OutputTail tail = new OutputTail(5);

        tail.add(bytes("0123456789"));
        tail.add(bytes("abc"));

        assertThat(tail.isTruncated()).isTrue();
        assertThat(tail).hasToString("89abc");
    }

    @Test
    void aPairOfSurrogatesIsNotCut() {
        OutputTail tail = new OutputTail(3);

        tail.add(bytes("a𝄞bc"));

        assertThat(tail).hasToString("bc");
    }

    @Test
    void coloursAreForTerminals() {
        OutputTail tail = new OutputTail(100);

        tail.add(bytes("\u001b[1;31mred\u001b[0m \u001b]0;title\u0007plain \u001b]8;;x\u001b\\link\r\n"));

        assertThat(tail).hasToString("red plain link\n");
        assertThat(tail.isTruncated()).isFalse();
    }

    @Test
    void whatIsWrittenOverIsNotThere() {
        OutputTail tail = new OutputTail(100);

        tail.add(bytes("10 %\r50 %\r100 %\nbell\u0007 and a last line\r"));

        assertThat(tail).hasToString("100 %\nbell and a last line");
    }

    @Test
    void bytesThatAreNoTextDoNotStopIt() {
        OutputTail tail = new OutputTail(100);

        tail.add(new byte[] {'a', (byte) 0xff, 'b'});

        assertThat(tail).hasToString("a\uFFFDb");
    }
}
