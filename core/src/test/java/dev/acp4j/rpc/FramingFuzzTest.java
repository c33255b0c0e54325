package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.fuzz.FuzzRun;
import dev.acp4j.fuzz.Mutations;
import dev.acp4j.fuzz.WildPeer;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Streams of lines that are almost messages come in pieces of any size: no line is lost, torn or misread. */
class FramingFuzzTest {
    private static final int LINES = 20;
    private static final int LIMIT = 300;
    private static final String TOO_LARGE = "(too large)";
    private static final String[] ENDS = {"\n", "\r\n", "\n\n", "\n \t\r\n"};

    private static final List<JsonValue> MESSAGES = List.of(
            WildPeer.message(
                    "id", "7", "method", "\"session/prompt\"", "params", "{\"sessionId\":\"s\",\"prompt\":[]}"),
            WildPeer.message("method", "\"session/cancel\"", "params", "{\"sessionId\":\"s\"}"),
            WildPeer.message("id", "\"a\"", "result", "{\"sessionId\":\"s\"}"),
            WildPeer.message("id", "8", "error", "{\"code\":-32603,\"message\":\"m\",\"data\":[1]}"),
            WildPeer.message("id", "null", "method", "\"_x\""));

    @Test
    void everyLineIsReadAsItStands() throws Exception {
        FuzzRun.repeat("framing", 40_000, random -> {
            byte[] stream = stream(random);
            assertThat(read(stream, random))
                    .as(() -> new String(stream, StandardCharsets.UTF_8))
                    .isEqualTo(lines(stream));
            return LINES;
        });
    }

    @Test
    void everyLineIsSortedAndRefusedOnlyWithTheRightError() throws Exception {
        FuzzRun.repeat("envelope", 40_000, random -> {
            byte[] line = line(random);
            Message message = Message.parse(RawJson.wrap(line, 0, line.length));
            if (message.kind() == Message.Kind.INVALID || message.kind() == Message.Kind.NOISE) {
                assertThat(message.kind())
                        .as(() -> new String(line, StandardCharsets.UTF_8))
                        .isEqualTo(isJson(line) ? Message.Kind.INVALID : Message.Kind.NOISE);
                assertThat(message.problem()).isNotBlank();
            } else {
                assertThat(isJson(line)).isTrue();
            }
            return 1;
        });
    }

    private static boolean isJson(byte[] line) {
        try {
            JsonValue unused = RawJson.parse(line).value();
            return true;
        } catch (JsonException e) {
            return false;
        }
    }

    private static byte[] line(Random random) {
        return new Mutations(random, MESSAGES).text(MESSAGES.get(random.nextInt(MESSAGES.size())));
    }

    private static byte[] stream(Random random) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        if (random.nextInt(10) == 0) {
            stream.writeBytes(new byte[] {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF});
        }
        for (int i = 0; i < LINES; i++) {
            stream.writeBytes(line(random));
            boolean last = i == LINES - 1 && random.nextBoolean();
            stream.writeBytes((last ? "" : ENDS[random.nextInt(ENDS.length)]).getBytes(StandardCharsets.UTF_8));
        }
        return stream.toByteArray();
    }

    private static List<String> read(byte[] stream, Random random) throws IOException, InterruptedException {
        Transport.Reader reader = StreamTransport.of(new Pieces(stream, random), OutputStream.nullOutputStream(), LIMIT)
                .reader();
        List<String> lines = new ArrayList<>();
        while (true) {
            Message message = reader.read();
            if (message == null) {
                return lines;
            }
            RawJson line = message.raw();
            lines.add(
                    message.kind() == Message.Kind.OVERSIZED
                            ? TOO_LARGE
                            : new String(line.bytes(), line.from(), line.length(), StandardCharsets.ISO_8859_1));
        }
    }

    /** Splits a stream in the simplest way there is. */
    private static List<String> lines(byte[] stream) {
        String text = new String(stream, StandardCharsets.ISO_8859_1);
        List<String> lines = new ArrayList<>();
        for (String part : (text.startsWith("\u00ef\u00bb\u00bf") ? text.substring(3) : text).split("\n", -1)) {
            String line = part.endsWith("\r") ? part.substring(0, part.length() - 1) : part;
            if (line.length() > LIMIT) {
                lines.add(TOO_LARGE);
            } else if (!line.chars().allMatch(c -> c == ' ' || c == '\t' || c == '\r')) {
                lines.add(line);
            }
        }
        return lines;
    }

    /** Bytes that come as few or as many at a time as it happens. */
    private static final class Pieces extends InputStream {
        private final byte[] bytes;
        private final Random random;
        private int at;

        Pieces(byte[] bytes, Random random) {
            this.bytes = bytes;
            this.random = random;
        }

        @Override
        public int read() {
            return at == bytes.length ? -1 : bytes[at++] & 0xFF;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) {
            if (at == bytes.length) {
                return -1;
            }
            int most = random.nextInt(4) == 0 ? 3 : 500;
            int count = Math.min(Math.min(length, bytes.length - at), 1 + random.nextInt(most));
            System.arraycopy(bytes, at, buffer, offset, count);
            at += count;
            return count;
        }
    }
}
