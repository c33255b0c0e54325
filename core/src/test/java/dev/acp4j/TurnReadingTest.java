package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Limits;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a reader of a turn gets, and that it is not kept from what is there by anything that comes behind. */
@Timeout(60)
class TurnReadingTest {
    private static final int LIMIT = 10_000;

    @RegisterExtension
    final Joined joined = new Joined();

    private final CountDownLatch allIsHere = new CountDownLatch(1);
    private final CountDownLatch firstWasRead = new CountDownLatch(1);
    private final AtomicBoolean wasReadInTime = new AtomicBoolean();

    private interface Speech {
        void give(AgentTurn turn) throws InterruptedException;
    }

    /** Says "first" and what is given, and then looks whether "first" is read before the turn ends. */
    private Agent.Builder agentThatSays(Speech after) {
        return agent(turn -> {
            turn.client().send("_hold", ofSession(turn));
            turn.message("first");
            after.give(turn);
            turn.client().call("_here", null);
            wasReadInTime.set(firstWasRead.await(20, TimeUnit.SECONDS));
        });
    }

    private static RawJson ofSession(AgentTurn turn) {
        return RawJson.parse("{\"sessionId\":\"" + turn.sessionId() + "\"}");
    }

    /** Handles nothing of the turn before all of it has come. */
    private Client.Builder clientThatHolds() {
        return client().limits(Limits.STANDARD.withQueueBytes(LIMIT, LIMIT))
                .on("_here", (agent, params) -> {
                    allIsHere.countDown();
                    return RawJson.NULL;
                })
                .onNotification("_hold", (agent, params) -> allIsHere.await());
    }

    private static String text(SessionEvent event) {
        return event instanceof SessionEvent.Chunk chunk ? chunk.text() : "";
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<String> read(Turn turn) {
        List<String> texts = new ArrayList<>();
        for (SessionEvent event : turn) {
            texts.add(text(event));
            if (text(event).equals("first")) {
                firstWasRead.countDown();
            }
        }
        return texts;
    }

    private void assertReadInTime(Speech after, Client.Builder client, String... expected) throws InterruptedException {
        Turn turn = joined.join(agentThatSays(after), client).newSession(HERE).prompt("go");

        assertThat(read(turn)).containsExactly(expected);
        assertThat(wasReadInTime).isTrue();
    }

    @Test
    void aLongPieceOfAMessageIsNotLostBehindAnEmptyOne() throws Exception {
        String piece = "0123456789".repeat(2_000);
        ContentBlock image = ContentBlock.image(new byte[] {1}, "image/png");
        Agent.Builder agent = agent(turn -> {
            turn.message(piece);
            turn.message("");
            turn.message(image);
            turn.message(piece);
            turn.message(piece);
            turn.message("");
        });
        Session session = joined.join(agent, client()).newSession(HERE);

        Turn turn = session.prompt("go");
        turn.result();
        assertThat(turn.text()).isEqualTo(piece.repeat(3));
        assertThat(session.view().messages().getLast().content())
                .containsExactly(ContentBlock.text(piece), image, ContentBlock.text(piece + piece));
    }

    @Test
    void aListenerThatIsSlowWithTheNextUpdateDoesNotKeepTheReaderFromThisOne() throws Exception {
        Client.Builder client = clientThatHolds().onEvent((session, event) -> {
            if (text(event).equals("second")) {
                await(firstWasRead);
            }
        });

        assertReadInTime(turn -> turn.message("second"), client, "first", "second");
    }

    @Test
    void anUpdateThatCannotBeReadDoesNotKeepTheReaderFromTheOneBefore() throws Exception {
        Speech broken = turn -> turn.client()
                .send(
                        "session/update",
                        RawJson.parse("{\"sessionId\":\"" + turn.sessionId()
                                + "\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\"}}"));

        assertReadInTime(broken, clientThatHolds().onProblem(problem -> {}), "first");
    }

    @Test
    void aNotificationThatTakesItsTimeDoesNotKeepTheReaderFromTheUpdateBefore() throws Exception {
        Client.Builder client = clientThatHolds().onNotification("_slow", (agent, params) -> firstWasRead.await());
        Speech slow =
                turn -> turn.client().send("_slow", RawJson.parse("{\"sessionId\":\"" + turn.sessionId() + "\"}"));

        assertReadInTime(slow, client, "first");
    }

    @Test
    void whatHadArrivedWhenTheSessionWasDetachedIsRead() throws Exception {
        Client.Builder client = clientThatHolds().onEvent((session, event) -> {
            if (text(event).equals("first")) {
                session.detach();
            }
        });

        assertReadInTime(turn -> turn.message("second"), client, "first", "second");
    }

    @Test
    void aTurnThatNobodyReadsKeepsWhatItMayAndSaysHowMuchIsMissing() throws Exception {
        int count = 2_000;
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    for (int i = 0; i < count; i++) {
                        turn.message(" " + i);
                    }
                }),
                client().limits(Limits.STANDARD.withQueueBytes(LIMIT, LIMIT)));
        Turn turn = agent.newSession(HERE).prompt("go");
        turn.result();

        long missed = 0;
        List<String> texts = new ArrayList<>();
        for (SessionEvent event : turn) {
            if (event instanceof SessionEvent.Missed some) {
                assertThat(texts).isEmpty();
                missed = some.count();
            } else {
                texts.add(text(event));
            }
        }

        assertThat(missed).isPositive();
        assertThat(missed + texts.size()).isEqualTo(count);
        assertThat(turn.text()).endsWith(String.join("", texts));
    }

    @Test
    void theResultLeavesTheEventsToBeRead() throws Exception {
        ConnectedAgent agent = joined.join(agent(turn -> turn.message("a")), client());
        Turn turn = agent.newSession(HERE).prompt("go");

        turn.result();

        assertThat(read(turn)).containsExactly("a");
    }

    @Test
    @Tag("DSP-02")
    void everythingIsReadInOrderHoweverLittleMayWait() throws Exception {
        int count = 20_000;
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    for (int i = 0; i < count; i++) {
                        turn.message(" " + i);
                    }
                }),
                client().limits(Limits.STANDARD.withQueueBytes(LIMIT, LIMIT)));
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < count; i++) {
            expected.append(' ').append(i);
        }

        Session session = agent.newSession(HERE);
        Turn turn = session.prompt("go");

        assertThat(String.join("", read(turn))).isEqualTo(expected.toString());
        assertThat(turn.text()).isEqualTo(expected.toString());
        assertThat(session.view().messages())
                .extracting(Entry.Message::text)
                .containsExactly("go", expected.toString());
    }

    @Test
    void aLatePieceBelongsToTheMessageOfItsIdAndAuthor() throws Exception {
        MessageId one = MessageId.of("1");
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    turn.message(ContentBlock.text("a"), one);
                    turn.thought(ContentBlock.text("b"), one);
                    turn.message(ContentBlock.text("c"), MessageId.of("2"));
                    turn.message(ContentBlock.text("d"), one);
                    turn.thought(ContentBlock.text("e"), one);
                }),
                client());

        Session session = agent.newSession(HERE);
        session.prompt("go").result();

        assertThat(session.view().messages().stream().map(Entry.Message::text)).containsExactly("go", "ad", "be", "c");
    }
}
