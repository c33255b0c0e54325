package dev.acp4j.http;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A server with a store in a process of its own, which can be killed. Its agent says 50 numbers, and 50 more after
 * {@link #goOn}, and never ends its turn; to the prompt {@code again} it says just that.
 */
final class StoredServer implements AutoCloseable {
    static final String TOKEN = "a-token-that-is-long-enough";
    private static final int HALF = 50;

    private final Process process;
    private final BufferedReader out;
    private final URI uri;

    /** Starts one that clients call by a name. */
    StoredServer(Path folder, String host) throws IOException {
        process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StoredServer.class.getName(),
                        folder.toString(),
                        host))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        out = process.inputReader(StandardCharsets.UTF_8);
        uri = URI.create(out.readLine());
    }

    URI uri() {
        return uri;
    }

    /** Has the agent go on. Returns when all it says is with the server. */
    void goOn() throws IOException {
        process.outputWriter(StandardCharsets.UTF_8).append('\n').flush();
        if (!"said".equals(out.readLine())) {
            throw new IOException("the server has ended");
        }
    }

    /** Ends it in the middle of whatever it does. */
    void kill() throws InterruptedException {
        int unused = process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Serves. */
    public static void main(String[] args) throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        Agent agent = Agent.builder("counter", "1.0")
                .onResumeSession(session -> {})
                .onPrompt(turn -> say(turn, released))
                .build();
        HttpServer server = Http.on(0)
                .tokens(BearerTokens.of("me", TOKEN))
                .allowedHosts(args[1])
                .store(StreamStore.in(Path.of(args[0])));
        try (RunningServer running = server.start(client -> agent.connect(new Telling(client)))) {
            System.out.println(running.uri());
            int unused = new InputStreamReader(System.in, StandardCharsets.UTF_8).read();
            released.countDown();
            running.awaitClosed();
        }
    }

    private static void say(AgentTurn turn, CountDownLatch released) throws InterruptedException {
        if (turn.text().equals("again")) {
            turn.message("again");
            return;
        }
        for (int i = 0; i < HALF; i++) {
            turn.message("<" + i + ">");
        }
        released.await();
        for (int i = HALF; i < 2 * HALF; i++) {
            turn.message("<" + i + ">");
        }
        new CountDownLatch(1).await();
    }

    /** Says when the last number is written. */
    private record Telling(Transport client) implements Transport {
        @Override
        public Transport.Reader reader() {
            return client.reader();
        }

        @Override
        public Transport.Writer writer() {
            return new TellingWriter(client.writer());
        }

        @Override
        public boolean holdsCarrier() {
            return client.holdsCarrier();
        }

        @Override
        public void close() {
            client.close();
        }
    }

    private record TellingWriter(Transport.Writer writer) implements Transport.Writer {
        @Override
        public void write(Message message) throws IOException {
            writer.write(message);
            if (message.raw().toString().contains("<" + (2 * HALF - 1) + ">")) {
                System.out.println("said");
            }
        }

        @Override
        public void flush() throws IOException {
            writer.flush();
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }
}
