package dev.acp4j.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An editor that has started {@code acp connect}, and writes and reads lines. */
final class RawEditor implements AutoCloseable {
    private static final String END = "(end)";

    final Process process;
    final List<String> out = new CopyOnWriteArrayList<>();
    final List<String> err = new CopyOnWriteArrayList<>();
    private final LinkedBlockingQueue<String> outLines = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> errLines = new LinkedBlockingQueue<>();

    RawEditor(AcpRun.Builder command) throws IOException {
        process = command.start();
        collect(process.inputReader(StandardCharsets.UTF_8), out, outLines);
        collect(process.errorReader(StandardCharsets.UTF_8), err, errLines);
    }

    private static void collect(BufferedReader from, List<String> all, LinkedBlockingQueue<String> next) {
        Thread unused = Thread.startVirtualThread(() -> {
            try (from) {
                for (String line = from.readLine(); line != null; line = from.readLine()) {
                    all.add(line);
                    next.add(line);
                }
            } catch (IOException e) {
                // It has ended.
            } finally {
                next.add(END);
            }
        });
    }

    void send(String json) {
        try {
            process.getOutputStream().write((json + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException("acp has ended: " + err, e);
        }
    }

    void request(String id, String method, String params) {
        send("{\"jsonrpc\":\"2.0\",\"id\":\"" + id + "\",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    /** Initializes and opens a session; returns its id. */
    String open(String capabilities) throws InterruptedException {
        request("init", "initialize", "{\"protocolVersion\":1,\"clientCapabilities\":" + capabilities + "}");
        assertThat(await("\"init\"")).contains("\"result\"");
        return newSession("/");
    }

    String newSession(String cwd) throws InterruptedException {
        request("new", "session/new", "{\"cwd\":\"" + cwd + "\",\"mcpServers\":[]}");
        String answer = await("\"new\"");
        assertThat(answer).contains("\"sessionId\":\"");
        return answer.replaceFirst(".*\"sessionId\":\"([^\"]+)\".*", "$1");
    }

    void prompt(String id, String session, String text) {
        request(
                id,
                "session/prompt",
                "{\"sessionId\":\"" + session + "\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}");
    }

    /** Returns the next line of standard output that contains a text. */
    String await(String part) throws InterruptedException {
        return await(outLines, part);
    }

    /** Waits for lines of standard output with these texts, in any order. */
    void awaitAll(String... parts) throws InterruptedException {
        Set<String> missing = new HashSet<>(List.of(parts));
        while (!missing.isEmpty()) {
            String line = await(outLines, "");
            missing.removeIf(line::contains);
        }
    }

    /** Returns the next line of standard error that contains a text. */
    String awaitErr(String part) throws InterruptedException {
        return await(errLines, part);
    }

    private String await(LinkedBlockingQueue<String> lines, String part) throws InterruptedException {
        while (true) {
            String line = lines.poll(60, TimeUnit.SECONDS);
            assertThat(line)
                    .as("a line with %s; out: %s; err: %s", part, out, err)
                    .isNotNull()
                    .isNotEqualTo(END);
            if (line.contains(part)) {
                return line;
            }
        }
    }

    /** Waits for its end by itself, and returns the exit code. */
    int awaitExit() throws InterruptedException {
        assertThat(process.waitFor(60, TimeUnit.SECONDS))
                .as("out: %s; err: %s", out, err)
                .isTrue();
        return process.exitValue();
    }

    /** Ends its input, and returns the exit code. */
    int end() throws IOException, InterruptedException {
        process.getOutputStream().close();
        return awaitExit();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
