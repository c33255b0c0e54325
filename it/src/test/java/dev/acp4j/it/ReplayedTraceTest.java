package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.agent.ReferenceAgent;
import dev.acp4j.process.Launch;
import dev.acp4j.testkit.Replay;
import dev.acp4j.testkit.Transports;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.TraceFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code acp trace} has recorded of the built-in agent is played again, both ways. */
@Timeout(120)
class ReplayedTraceTest {
    private static final String PROMPT = "/replace retry again";

    @TempDir
    private Path temp;

    private Path work;
    private List<TraceEvent> recorded;
    private String answer;

    private Client.Builder client() {
        return Client.builder("test", "1")
                .onPermission(request -> request.allowOnce())
                .onReadTextFile((session, request) -> Files.readString(Path.of(request.path())))
                .onWriteTextFile((session, request) -> Files.writeString(Path.of(request.path()), request.content()));
    }

    private static Launch java(String... arguments) {
        return Launch.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.acp4j.cli.Acp")
                .withArguments(arguments);
    }

    @BeforeEach
    void record() throws Exception {
        work = Files.createDirectory(temp.resolve("work"));
        Files.writeString(work.resolve("a.c"), "int retry = 3;\n");
        Path file = temp.resolve("a.trace.jsonl");
        Launch agent = java("agent");
        Launch traced = java("trace", "-o", file.toString(), "--", agent.command())
                .withArguments(agent.arguments().toArray(new String[0]));
        try (ConnectedAgent connection = client().connect(traced)) {
            answer = connection.newSession(work).prompt(PROMPT).text();
        }
        recorded = TraceFile.read(file);
        Files.writeString(work.resolve("a.c"), "int retry = 3;\n");
    }

    @Test
    @Tag("TST-05")
    void asTheAgent() throws Exception {
        try (Transports ends = Transports.joined()) {
            FutureTask<Void> playing = play(Replay.of(recorded, "agent", ends.agent()));
            try (ConnectedAgent agent = client().connect(ends.client())) {
                String text = agent.newSession(work).prompt(PROMPT).text();

                assertThat(text).isEqualTo(answer).contains("Replaced 1 place");
                playing.get(20, TimeUnit.SECONDS);
            }
        }
        assertThat(work.resolve("a.c")).content().isEqualTo("int again = 3;\n");
    }

    @Test
    @Tag("TST-05")
    void asTheClient() throws Exception {
        try (Transports ends = Transports.joined();
                ConnectedClient served = ReferenceAgent.create().connect(ends.agent())) {
            Replay replay = Replay.of(recorded, "client", ends.client());

            play(replay).get(60, TimeUnit.SECONDS);

            assertThat(served.isOpen()).isTrue();
            assertThat(replay.wire().messages())
                    .anySatisfy(line -> assertThat(line).contains("Replaced 1 place"));
        }
    }

    private static FutureTask<Void> play(Replay replay) {
        FutureTask<Void> playing = new FutureTask<>(() -> {
            replay.run();
            return null;
        });
        Thread.ofVirtual().start(playing);
        return playing;
    }
}
