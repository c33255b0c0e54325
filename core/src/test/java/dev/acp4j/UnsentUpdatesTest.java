package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.acp4j.rpc.Limits;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.Version;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What could not be sent is not taken for known, where clients of version 1 get only what they do not know. */
@Timeout(20)
class UnsentUpdatesTest {
    private static final MessageId SAID = MessageId.of("m");

    @RegisterExtension
    private final Joined joined = new Joined();

    private static SessionUpdate whole(String text) {
        return SessionUpdate.AgentMessage.builder(SAID)
                .content(List.of(ContentBlock.text(text)))
                .build();
    }

    @Test
    void aPieceThatWasTooLargeIsInTheWholeMessageThatFollows() throws Exception {
        ConnectedAgent connected = joined.join(
                Joined.agent(turn -> {
                            turn.message(ContentBlock.text("One "), SAID);
                            String large = "x".repeat(20_000);
                            assertThatIllegalArgumentException()
                                    .isThrownBy(() -> turn.message(ContentBlock.text(large), SAID));
                            assertThatIllegalArgumentException().isThrownBy(() -> turn.update(whole("One " + large)));
                            turn.update(whole("One two"));
                        })
                        .limits(Limits.STANDARD.withMessageBytes(10_000))
                        .protocol(Version.V1, Version.V2),
                Joined.client());
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(session.view().timeline().entries(Entry.Message.class))
                .last()
                .extracting(Entry.Message::text)
                .isEqualTo("One two");
    }

    @Test
    void whatACancelledTurnDidNotSayIsInTheWholeMessageThatFollows() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        ConnectedAgent connected = joined.join(
                Joined.agent(turn -> {
                            if (turn.text().equals("First")) {
                                AgentTurn.OnCancel unused = turn.onCancel(cancelled::countDown);
                                turn.message(ContentBlock.text("One "), SAID);
                                begun.countDown();
                                awaitUninterruptibly(cancelled);
                                assertThatExceptionOfType(CancellationException.class)
                                        .isThrownBy(() -> turn.message(ContentBlock.text("two "), SAID));
                            } else {
                                turn.update(whole("One two three"));
                            }
                        })
                        .protocol(Version.V1, Version.V2),
                Joined.client());
        Session session = connected.newSession(Joined.HERE);
        Turn first = session.prompt("First");
        begun.await();
        first.cancel();
        TurnResult unused = first.result();

        TurnResult second = session.prompt("Second").result();

        assertThat(second.stopReason()).isEqualTo(StopReason.END_TURN);
        assertThat(session.view().timeline().entries(Entry.Message.class))
                .extracting(Entry.Message::text)
                .contains("One two three");
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aPieceOfAToolCallIsNotLostWithALaterOneThatWasTooLarge() throws Exception {
        ToolCallId id = ToolCallId.of("t");
        ToolCallContent large = ToolCallContent.terminal(TerminalId.of("x".repeat(20_000)));
        ConnectedAgent connected = joined.join(
                Joined.agent(turn -> {
                            turn.update(ToolCall.builder(id, "Make").build());
                            turn.update(piece(id, ToolCallContent.text("one")));
                            turn.update(piece(id, ToolCallContent.text("two")));
                            assertThatIllegalArgumentException().isThrownBy(() -> turn.update(piece(id, large)));
                        })
                        .limits(Limits.STANDARD.withMessageBytes(10_000))
                        .protocol(Version.V1, Version.V2),
                Joined.client());
        Session session = connected.newSession(Joined.HERE);

        TurnResult result = session.prompt("Go").result();

        assertThat(result.stopReason()).isEqualTo(StopReason.END_TURN);
        assertThat(session.view().toolCalls().getFirst().content())
                .containsExactly(ToolCallContent.text("one"), ToolCallContent.text("two"));
    }

    private static SessionUpdate piece(ToolCallId id, ToolCallContent content) {
        return SessionUpdate.ToolCallContentChunk.of(id, content);
    }
}
