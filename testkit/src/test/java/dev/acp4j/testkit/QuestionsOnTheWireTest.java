package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.StopReason;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an agent reads as the answer to its question for permission when that is withdrawn. */
@Timeout(60)
@ExtendWith(LeakRule.class)
class QuestionsOnTheWireTest {
    private static final String CANCELLED = "\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}}";

    @RegisterExtension
    final PlayedAgent played = new PlayedAgent();

    /** Counts the users that are being asked. */
    private final Semaphore asked = new Semaphore(0);

    private Turn promptedBy(Client.PermissionHandler user) throws Exception {
        played.connect(Client.builder("client", "1").onPermission(user), "{}");
        Session session = played.open("");
        return session.prompt("go");
    }

    private void asks(int id) throws Exception {
        played.peer.request(
                id,
                "session/request_permission",
                "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"c\"},"
                        + "\"options\":[{\"optionId\":\"yes\",\"name\":\"Yes\",\"kind\":\"allow_once\"}]}");
    }

    private String received() throws Exception {
        return RawJson.of(played.peer.receive()).toString();
    }

    private static String cancelled(int id) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + CANCELLED;
    }

    @Test
    @Tag("CAN-24")
    @Tag("CBK-05")
    void everyQuestionThatIsOpenWhenTheTurnIsCancelledIsAnsweredWithCancelled() throws Exception {
        Turn turn = promptedBy(request -> {
            asked.release();
            new CountDownLatch(1).await();
            return request.allowOnce();
        });
        JsonObject prompt = played.peer.expect("session/prompt");
        asks(10);
        asks(11);
        asked.acquire(2);

        turn.cancel();

        played.peer.expect("session/cancel");
        assertThat(List.of(received(), received())).containsExactlyInAnyOrder(cancelled(10), cancelled(11));
        played.peer.answer(prompt, "{\"stopReason\":\"cancelled\"}");
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
    }

    @Test
    @Tag("CAN-24")
    void aUserWhoAllowsWhenTheTurnIsCancelledAlreadyIsNotHeard() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        Turn turn = promptedBy(request -> {
            asked.release();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
            return request.allowOnce();
        });
        JsonObject prompt = played.peer.expect("session/prompt");
        asks(10);
        asked.acquire();

        turn.cancel();

        played.peer.expect("session/cancel");
        assertThat(received()).isEqualTo(cancelled(10));
        assertThat(interrupted).isTrue();
        played.peer.answer(prompt, "{\"stopReason\":\"cancelled\"}");
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
    }

    @Test
    @Tag("CAN-24")
    void aQuestionAfterTheCancellationIsAnsweredWithoutAsking() throws Exception {
        Turn turn = promptedBy(request -> {
            asked.release();
            return request.allowOnce();
        });
        JsonObject prompt = played.peer.expect("session/prompt");
        turn.cancel();
        played.peer.expect("session/cancel");

        asks(10);

        assertThat(received()).isEqualTo(cancelled(10));
        assertThat(asked.tryAcquire()).isFalse();
        played.peer.answer(prompt, "{\"stopReason\":\"cancelled\"}");
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
    }

    @Test
    @Tag("CBK-05")
    void aQuestionThatTheAgentWithdrawsIsAnsweredWithCancelledAndNotWithAnError() throws Exception {
        Turn turn = promptedBy(request -> {
            asked.release();
            new CountDownLatch(1).await();
            return request.allowOnce();
        });
        JsonObject prompt = played.peer.expect("session/prompt");
        asks(10);
        asked.acquire();

        played.peer.notification("$/cancel_request", "{\"requestId\":10}");

        assertThat(received()).isEqualTo(cancelled(10));
        played.peer.answer(prompt, "{\"stopReason\":\"end_turn\"}");
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
    }
}
