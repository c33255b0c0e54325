package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.CreateTerminalResponse;
import dev.acp4j.schema.KillTerminalRequest;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputRequest;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.WaitForTerminalExitRequest;
import dev.acp4j.schema.WaitForTerminalExitResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an agent's turn can still do, and what it leaves behind, when it was cancelled. */
@Timeout(60)
class CancelledWorkTest {
    private static final Path HERE = Path.of("").toAbsolutePath();

    private final List<AutoCloseable> open = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable closeable : open) {
            closeable.close();
        }
    }

    private Session join(Agent.PromptHandler onPrompt, Client.Builder client) throws InterruptedException {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        open.add(Agent.builder("a", "1").onPrompt(onPrompt).build().connect(pair.left()));
        ConnectedAgent connection = client.connect(pair.right());
        open.add(connection);
        return connection.newSession(HERE);
    }

    /** A client whose terminals start, cancelled or not. */
    private static final class Unstoppable implements Client.TerminalHandler {
        final CountDownLatch asked = new CountDownLatch(1);
        final CompletableFuture<TerminalId> released = new CompletableFuture<>();

        @Override
        public CreateTerminalResponse create(Session session, CreateTerminalRequest request) {
            asked.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // The agent no longer wants it, but it is there.
            }
            return CreateTerminalResponse.of(TerminalId.of("late"));
        }

        @Override
        public TerminalOutputResponse output(Session session, TerminalOutputRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public WaitForTerminalExitResponse waitForExit(Session session, WaitForTerminalExitRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void kill(Session session, KillTerminalRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void release(Session session, ReleaseTerminalRequest request) {
            released.complete(request.terminalId());
        }

        @Override
        public void sessionEnded(Session session) {}
    }

    @Test
    void aTerminalThatStartsAfterItsTurnWasCancelledIsReleased() throws Exception {
        Unstoppable terminals = new Unstoppable();
        Session session = join(
                turn -> turn.terminals().start(HERE, "make", List.of()),
                Client.builder("c", "1").terminals(terminals));

        Turn turn = session.prompt("build");
        terminals.asked.await();
        turn.cancel();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(terminals.released.get(20, TimeUnit.SECONDS)).isEqualTo(TerminalId.of("late"));
    }

    @Test
    @Tag("CAN-23")
    void theLastStatusOfAToolCallCanBeSentWhileTheThreadIsInterrupted() throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        Session session = join(
                turn -> {
                    ToolCallHandle tool =
                            turn.toolCall("Build", ToolKind.EXECUTE).start();
                    working.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    tool.location(HERE);
                    tool.fail("cancelled");
                },
                Client.builder("c", "1"));

        Turn turn = session.prompt("build");
        working.await();
        turn.cancel();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(session.view().toolCalls())
                .singleElement()
                .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED));
    }
}
