package dev.acp4j.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class StderrDrainTest {
    private final List<String> lines = new ArrayList<>();

    @Test
    @Tag("PRC-07")
    void linesComeWithoutTheirEndingsAndTheLastNeedsNone() {
        drain("one\r\ntwo\n\nthree".getBytes(UTF_8));

        assertThat(lines).containsExactly("one", "two", "", "three");
    }

    @Test
    @Tag("PRC-07")
    void badBytesAreReplaced() {
        StderrDrain drain = drain(new byte[] {'a', (byte) 0xff, 'b', '\n'});

        assertThat(lines).containsExactly("a\ufffdb");
        assertThat(drain.tail()).isEqualTo("a\ufffdb\n");
    }

    @Test
    @Tag("PRC-07")
    void longLinesAreCutBetweenCharactersAndMarked() {
        drain(("x".repeat(8191) + "€uro\n" + "y".repeat(8192) + "\n").getBytes(UTF_8));

        assertThat(lines).containsExactly("x".repeat(8191) + " … [6 more bytes]", "y".repeat(8192));
    }

    @Test
    @Tag("PRC-06")
    void theTailIsTheLast64KiBFromTheStartOfALine() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            text.append("line ").append(i).append('\n');
        }

        StderrDrain drain = drain(text.toString().getBytes(UTF_8));

        assertThat(drain.tail())
                .hasSizeBetween(65_000, 65_536)
                .startsWith("line ")
                .endsWith("line 19999\n");
        assertThat(text.toString()).endsWith(drain.tail());
    }

    @Test
    @Tag("PRC-06")
    void aTailWithoutAnyLineStartsWithAWholeCharacter() {
        StderrDrain drain = drain("€".repeat(100_000).getBytes(UTF_8));

        assertThat(drain.tail()).matches("€{21845}");
    }

    @Test
    void tailsOfEverySizeAroundTheFirstBufferAreWhole() {
        for (int size : new int[] {0, 1, 1023, 1024, 1025, 8192, 65_535, 65_536}) {
            assertThat(drain("z".repeat(size).getBytes(UTF_8)).tail()).hasSize(size);
        }
    }

    @Test
    @Tag("PRC-07")
    void aReadErrorEndsTheDrainAndKeepsWhatWasRead() {
        InputStream failing = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("on purpose");
            }

            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                return read();
            }
        };

        StderrDrain drain =
                drain(new SequenceInputStream(new ByteArrayInputStream("one\ntw".getBytes(UTF_8)), failing));

        assertThat(lines).containsExactly("one", "tw");
        assertThat(drain.tail()).isEqualTo("one\ntw");
    }

    private StderrDrain drain(byte[] bytes) {
        return drain(new ByteArrayInputStream(bytes));
    }

    private StderrDrain drain(InputStream in) {
        StderrDrain drain = new StderrDrain(in, "test", lines::add);
        drain.run();
        return drain;
    }
}
