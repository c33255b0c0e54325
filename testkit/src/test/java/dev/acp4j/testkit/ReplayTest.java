package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Session;
import dev.acp4j.schema.SessionId;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.TraceFile;
import dev.acp4j.trace.Tracer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@ExtendWith(LeakRule.class)
class ReplayTest {
    private static final Path HERE = Path.of("").toAbsolutePath();
    private static final String PROMPT = "say hello \nask Edit\nread /a";

    @TempDir
    private Path temp;

    private static Client.Builder client() {
        return Client.builder("test", "1")
                .onPermission(request -> request.allowOnce())
                .onReadTextFile((session, request) -> "content of " + request.path());
    }

    private static String converse(ConnectedAgent agent) throws InterruptedException {
        Session session = agent.newSession(HERE);
        return session.prompt(PROMPT).text();
    }

    private List<TraceEvent> record() throws Exception {
        Path file = temp.resolve("a.trace");
        try (TraceFile trace = TraceFile.create(file, "test");
                Transports ends = Transports.joined();
                ConnectedClient served = TestAgent.create().connect(ends.agent());
                ConnectedAgent agent = client().trace(Tracer.of(trace)).connect(ends.client())) {
            assertThat(served.isOpen()).isTrue();
            assertThat(converse(agent)).isEqualTo("hello allowedcontent of /a");
        }
        return TraceFile.read(file);
    }

    private static FutureTask<Void> play(Replay replay) {
        FutureTask<Void> playing = new FutureTask<>(() -> {
            replay.run();
            return null;
        });
        Thread.ofVirtual().start(playing);
        return playing;
    }

    @Test
    @Tag("TST-05")
    void aRecordedAgentIsPlayedToAClient() throws Exception {
        List<TraceEvent> events = record();

        try (Transports ends = Transports.joined()) {
            FutureTask<Void> playing = play(Replay.of(events, "agent", ends.agent()));
            try (ConnectedAgent agent = client().connect(ends.client())) {
                assertThat(converse(agent)).as(ends.wire().toString()).isEqualTo("hello allowedcontent of /a");
                playing.get(20, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    @Tag("TST-05")
    void aRecordedClientIsPlayedToAnAgentThatNamesItsSessionsOtherwise() throws Exception {
        List<TraceEvent> events = record();
        List<String> prompts = Collections.synchronizedList(new ArrayList<>());

        try (Transports ends = Transports.joined();
                ConnectedClient served = TestAgent.builder()
                        .sessionIds(() -> SessionId.of("other"))
                        .build()
                        .connect(ends.agent())) {
            Replay replay = Replay.of(events, "client", ends.client());
            FutureTask<Void> playing = play(replay);
            playing.get(20, TimeUnit.SECONDS);

            assertThat(served.session(SessionId.of("other"))).isPresent();
            prompts.addAll(replay.wire().messages());
        }

        assertThat(prompts)
                .anySatisfy(line -> assertThat(line)
                        .startsWith("--> ")
                        .contains("session/prompt")
                        .contains("\"other\""));
    }

    @Test
    void aPeerThatDoesSomethingElseIsToldWithTheWire() throws Exception {
        // Without what the agent says by itself: the client may be gone before that can be sent.
        List<TraceEvent> events = record().stream()
                .filter(event -> event.type() != TraceEvent.Type.NOTIFICATION)
                .toList();

        try (Transports ends = Transports.joined()) {
            FutureTask<Void> playing = play(Replay.of(events, "agent", ends.agent()));
            try (ConnectedAgent agent = client().connect(ends.client())) {
                agent.newSession(HERE);
            }
            assertThatThrownBy(() -> playing.get(20, TimeUnit.SECONDS))
                    .rootCause()
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("expected request session/prompt, got the end of the stream")
                    .hasMessageContaining("the wire:");
        }
    }

    @Test
    void aPeerThatHasGoneIsToldWithTheWire() throws Exception {
        List<TraceEvent> events = record();

        try (Transports ends = Transports.joined()) {
            ends.agent().close();
            FutureTask<Void> playing = play(Replay.of(events, "client", ends.client()));

            assertThatThrownBy(() -> playing.get(20, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("could not send request initialize: the other side has closed")
                    .hasMessageContaining("the wire:");
        }
    }
}
