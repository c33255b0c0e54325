package dev.acp4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Version;
import dev.acp4j.testkit.TestAgent;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An agent between an editor and another agent, each of which speaks either version of the protocol. */
@Timeout(60)
class OrchestratingAgentTest {
    private static final Path HERE = Path.of("").toAbsolutePath();

    static Stream<Arguments> versions() {
        return Stream.of(Version.values())
                .flatMap(outer -> Stream.of(Version.values()).map(inner -> Arguments.of(outer, inner)));
    }

    private interface Play {
        void play(ConnectedAgent orchestrator) throws InterruptedException;
    }

    private static void join(Agent worker, Client.Builder editor, Play play) throws InterruptedException {
        MemoryTransport.Pair inner = MemoryTransport.pair();
        MemoryTransport.Pair outer = MemoryTransport.pair();
        OrchestratingAgent example = new OrchestratingAgent();
        try (ConnectedClient working = worker.connect(inner.left());
                ConnectedAgent used = example.client().connect(inner.right());
                ConnectedClient served = example.agent(used).build().connect(outer.left());
                ConnectedAgent orchestrator = editor.connect(outer.right())) {
            assertThat(List.of(working.isOpen(), served.isOpen())).doesNotContain(false);
            play.play(orchestrator);
        }
    }

    @ParameterizedTest
    @MethodSource("versions")
    void eachTaskIsDoneByTheWorkerAndItsQuestionIsAnsweredByTheUser(Version outer, Version inner) throws Exception {
        Queue<String> asked = new ConcurrentLinkedQueue<>();
        Client.Builder editor = Client.builder("editor", "1").protocol(outer).onPermission(question -> {
            asked.add(question.title());
            return question.allowOnce();
        });

        join(TestAgent.builder().protocol(inner).build(), editor, orchestrator -> {
            Session session = orchestrator.newSession(HERE);
            String said = session.prompt("say one\nask Deploy").text();

            assertThat(said).isEqualTo("one\nallowed\n");
            assertThat(session.view().toolCalls())
                    .extracting(call -> call.title() + " " + call.status())
                    .containsExactly("say one completed", "ask Deploy completed");
            assertThat(orchestrator.protocolVersion()).isEqualTo(outer.number());
        });

        assertThat(asked).containsExactly("ask Deploy");
    }

    @ParameterizedTest
    @MethodSource("versions")
    void cancellingTheTurnCancelsTheTurnOfTheWorker(Version outer, Version inner) throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        Agent worker = Agent.builder("worker", "1")
                .protocol(inner)
                .onPrompt(turn -> {
                    turn.onCancel(cancelled::countDown);
                    working.countDown();
                    new CountDownLatch(1).await();
                })
                .build();
        Client.Builder editor =
                Client.builder("editor", "1").protocol(outer).onPermission(PermissionQuestion::allowOnce);

        join(worker, editor, orchestrator -> {
            var turn = orchestrator.newSession(HERE).prompt("go");
            working.await();
            turn.cancel();

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
            cancelled.await();
        });
    }
}
