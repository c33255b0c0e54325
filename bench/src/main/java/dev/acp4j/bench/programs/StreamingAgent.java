package dev.acp4j.bench.programs;

import static dev.acp4j.bench.programs.Lines.bytes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * An agent to measure clients with: streams prepared bytes as fast as they are read, in large blocks. Appends to the
 * file of its argument the nanoseconds from each prompt to the next, which is when the client has heard all.
 */
final class StreamingAgent {
    private static final int IN_A_BLOCK = 400;

    private final Lines lines = new Lines();
    private final Path times;
    private boolean isSecond;

    private StreamingAgent(Path times) {
        this.times = times;
    }

    /** Serves standard input and output. */
    public static void main(String[] args) throws IOException {
        new StreamingAgent(Path.of(args[0])).run();
    }

    private void run() throws IOException {
        long before = 0;
        while (lines.next()) {
            String id = lines.value(FloorAgent.ID);
            if (lines.has(FloorAgent.PROMPT)) {
                long now = System.nanoTime();
                if (before != 0) {
                    Files.writeString(
                            times, (now - before) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                }
                before = System.nanoTime();
                String text = lines.value(FloorAgent.TEXT);
                if (isSecond) {
                    lines.out.write(FloorAgent.BEGIN);
                    answer(id, FloorAgent.ACCEPTED);
                    obey(text, text.startsWith("pieces ") ? FloorAgent.PIECE_2 : FloorAgent.UPDATE_2);
                    lines.out.write(FloorAgent.IDLE);
                } else {
                    obey(text, FloorAgent.UPDATE);
                    answer(id, "{\"stopReason\":\"end_turn\"}");
                }
            } else if (lines.has(FloorAgent.INITIALIZE) && lines.has(FloorAgent.VERSION_2)) {
                isSecond = true;
                answer(id, FloorAgent.INITIALIZED_2);
            } else if (lines.has(FloorAgent.INITIALIZE)) {
                answer(id, "{\"protocolVersion\":1,\"agentCapabilities\":{},\"authMethods\":[]}");
            } else if (lines.has(FloorAgent.NEW)) {
                answer(id, "{\"sessionId\":\"s1\"}");
            }
        }
    }

    private void obey(String text, byte[] update) throws IOException {
        if (text.indexOf(' ') > 0) {
            int left = Integer.parseInt(text.substring(text.indexOf(' ') + 1));
            byte[] block = bytes(new String(update, java.nio.charset.StandardCharsets.ISO_8859_1)
                    .repeat(Math.min(left, IN_A_BLOCK)));
            for (; left >= IN_A_BLOCK; left -= IN_A_BLOCK) {
                lines.out.write(block);
            }
            lines.out.write(Arrays.copyOf(block, left * update.length));
        }
    }

    private void answer(String id, String result) throws IOException {
        lines.out.write(FloorAgent.answering(id, result));
    }
}
