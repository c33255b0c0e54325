package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class EventParserTest {
    private static final class Heard implements EventParser.Listener {
        final List<String> events = new ArrayList<>();

        @Override
        public void event(String id, byte[] data) {
            events.add(id + "|" + new String(data, StandardCharsets.UTF_8));
        }

        @Override
        public void oversized(String id, byte[] head) {
            events.add(id + "|oversized " + head.length);
        }

        @Override
        public void place(String id) {
            events.add("place " + id);
        }

        @Override
        public void retry(long millis) {
            events.add("retry " + millis);
        }
    }

    private static List<String> parse(String text, int mostBytes, int step) throws InterruptedException {
        Heard heard = new Heard();
        EventParser parser = new EventParser(mostBytes, heard);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int at = 0; at < bytes.length; at += step) {
            parser.take(bytes, at, Math.min(bytes.length, at + step));
        }
        return heard.events;
    }

    @Test
    @Tag("HTC-13")
    void eventsAreReadWhateverTheirLineEndsAndWhereverTheyAreCut() throws Exception {
        String text = String.join(
                "",
                "\uFEFF: hello\n\n",
                "id: 1\ndata: {\"a\":1}\n\n",
                "event: x\r\ndata:{\"b\":\"ü\"}\r\nid:2\r\n\r\n",
                "data: one\rdata: two\r\r",
                "retry: 1500\nretry: x\nid\ndata\n\n",
                "id: 3\n\n: comment\n\nid: 3\n\n",
                "id: a\0b\ndata: last\n\n",
                "data: no end\n");
        List<String> expected =
                List.of("1|{\"a\":1}", "2|{\"b\":\"ü\"}", "2|one\ntwo", "retry 1500", "|", "place 3", "3|last");

        for (int step = 1; step <= text.length(); step++) {
            assertThat(parse(text, 1000, step))
                    .as("in pieces of %d bytes", step)
                    .isEqualTo(expected);
        }
    }

    @Test
    @Tag("HTC-14")
    void anEventThatIsTooLargeIsSkippedAndTheNextOneRead() throws Exception {
        String text = String.join("", "id: 1\ndata: ", "x".repeat(20_000), "\n\n", "id: 2\ndata: ok\n\n");

        for (int step : new int[] {1, 100, 30_000}) {
            assertThat(parse(text, 5000, step)).containsExactly("1|oversized 1024", "2|ok");
        }
    }
}
