package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A request to a server with a handshake whose questions are answered by another request, by several threads. */
@Timeout(60)
class RelayedCallTest {
    private static final Face.Notices NOBODY = (method, params) -> {};
    private static final RawJson ANSWER = RawJson.parse("{\"action\":\"accept\"}");
    private static final RawJson RESULT = RawJson.parse("{\"content\":[]}");

    private static <T> FutureTask<T> start(FutureTask<T> task) {
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private static Members question(String name) {
        return Members.NONE.with("message", RawJson.string(name));
    }

    @Tag("MCX-18")
    @Test
    void aRequestThatEndsWhileItsServerAsksIsAnsweredAndSoIsTheQuestion() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        RelayedCall call = new RelayedCall(
                () -> {
                    answered.await();
                    return RESULT;
                },
                NOBODY);
        call.start();
        FutureTask<RawJson> first = start(new FutureTask<>(() -> call.ask(question("first"))));
        assertThat(call.await().question()).isEqualTo(question("first"));
        FutureTask<RawJson> second = start(new FutureTask<>(() -> call.ask(question("second"))));

        call.reply(ANSWER, NOBODY);
        assertThat(first.get()).isEqualTo(ANSWER);
        assertThat(call.await().question()).isEqualTo(question("second"));
        answered.countDown();

        assertThat(second.get()).isEqualTo(Questions.CANCEL);
        assertThat(call.await().result()).isEqualTo(RESULT);
        assertThat(call.ask(question("late"))).isEqualTo(Questions.CANCEL);
    }

    @Tag("MCX-18")
    @Test
    void whileTheUserIsAskedNothingIsReportedButWhatMustNotBeLostComesToTheNextRequest() throws Exception {
        List<String> before = new ArrayList<>();
        List<String> after = new ArrayList<>();
        CountDownLatch answered = new CountDownLatch(1);
        RelayedCall call = new RelayedCall(
                () -> {
                    answered.await();
                    return RESULT;
                },
                (method, params) -> before.add(method));
        call.start();
        assertThat(call.report("first", RawJson.EMPTY_OBJECT)).isTrue();
        FutureTask<RawJson> asked = start(new FutureTask<>(() -> call.ask(question("who"))));
        assertThat(call.await().question()).isNotNull();

        assertThat(call.report("logged", RawJson.EMPTY_OBJECT)).isFalse();
        call.reportInAnyCase("completed", RawJson.EMPTY_OBJECT);
        call.reply(ANSWER, (method, params) -> after.add(method));
        assertThat(asked.get()).isEqualTo(ANSWER);
        call.reportInAnyCase("last", RawJson.EMPTY_OBJECT);
        answered.countDown();

        assertThat(call.await().result()).isEqualTo(RESULT);
        assertThat(before).containsExactly("first");
        assertThat(after).containsExactly("completed", "last");
    }

    @Tag("MCX-18")
    @Test
    void anAnswerThatComesWhileTheRequestIsCancelledLeavesNobodyWaiting() throws Exception {
        List<RawJson> got = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            RelayedCall call = new RelayedCall(
                    () -> {
                        new CountDownLatch(1).await();
                        return RESULT;
                    },
                    NOBODY);
            call.start();
            FutureTask<RawJson> asked = start(new FutureTask<>(() -> call.ask(question("who"))));
            assertThat(call.await().question()).isNotNull();

            CyclicBarrier together = new CyclicBarrier(2);
            FutureTask<Integer> cancelling = start(new FutureTask<>(() -> {
                int unused = together.await();
                call.cancel();
                return 0;
            }));
            int unused = together.await();
            call.reply(ANSWER, NOBODY);

            assertThatThrownBy(call::await).isInstanceOf(RpcError.class);
            got.add(asked.get());
            int done = cancelling.get();
            assertThat(done).isZero();
        }
        assertThat(got).allMatch(reply -> reply.equals(ANSWER) || reply.equals(Questions.CANCEL));
    }
}
