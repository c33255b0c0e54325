package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.acp4j.rpc.Problem;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an agent can say in a turn that was cancelled or has ended, and what it need not say itself. */
@Timeout(60)
class EndsOfTurnsTest {
    @RegisterExtension
    final Joined joined = new Joined();

    private final BlockingQueue<String> results = new LinkedBlockingQueue<>();
    private final CountDownLatch running = new CountDownLatch(1);

    private String result() throws InterruptedException {
        return String.valueOf(results.poll(20, TimeUnit.SECONDS));
    }

    /** Prompts, and cancels the turn when its handler runs. */
    private Turn cancelledWhileItRuns(Session session) throws InterruptedException {
        Turn turn = session.prompt("go");
        running.await();
        turn.cancel();
        return turn;
    }

    /** Waits, whatever interrupts. */
    private static void awaitWhateverInterrupts(CountDownLatch latch) {
        boolean over = false;
        while (!over) {
            try {
                latch.await();
                over = true;
            } catch (InterruptedException e) {
                // What it stands for, a read of a socket, does not end by that.
            }
        }
    }

    // ---- saying

    @Test
    void whatSendsUpdatesCanBePassedAsACallback() throws Exception {
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    Consumer<String> onText = turn::message;
                    List.of("a", "b").forEach(onText);
                }),
                client());

        assertThat(connection.newSession(HERE).prompt("go").text()).isEqualTo("ab");
    }

    @Test
    void nothingIsSaidInATurnThatHasEnded() throws Exception {
        BlockingQueue<AgentTurn> turns = new LinkedBlockingQueue<>();
        ConnectedAgent connection = joined.join(agent(turns::add), client());
        Session session = connection.newSession(HERE);
        session.prompt("go").result();
        AgentTurn ended = turns.take();

        assertThatThrownBy(() -> ended.message("late"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has ended; between turns use AgentTurn.session()");
        assertThatThrownBy(() -> ended.title("late")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> ended.requestPermission(
                        ToolCallUpdate.builder(ToolCallId.of("t")).build(),
                        List.of(PermissionOption.of(
                                PermissionOptionId.of("y"), "Yes", PermissionOptionKind.ALLOW_ONCE))))
                .isInstanceOf(IllegalStateException.class);
        ended.session().message("between turns");
        session.prompt("go").result();

        assertThat(session.view().messages())
                .extracting(Entry.Message::text)
                .containsExactlyInAnyOrder("go", "between turns", "go");
    }

    @Test
    void aCancelledTurnSaysNoMoreButHowItsToolCallsEnded() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    ToolCallHandle call =
                            turn.toolCall("Build", ToolKind.EXECUTE).start();
                    running.countDown();
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        call.fail("stopped");
                        try {
                            turn.message("late");
                        } catch (CancellationException expected) {
                            results.add(String.valueOf(expected.getMessage()));
                        }
                    }
                }),
                client());
        Session session = connection.newSession(HERE);
        Turn turn = cancelledWhileItRuns(session);

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(result()).isEqualTo("the turn was cancelled: its agent says no more in it");
        assertThat(turn.text()).isEmpty();
        assertThat(session.view().toolCalls())
                .singleElement()
                .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED));
    }

    // ---- cancelling

    @Test
    void onCancelEndsWorkThatAnInterruptDoesNotEnd() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    turn.onCancel(closed::countDown);
                    turn.onCancel(() -> results.add("second"));
                    running.countDown();
                    awaitWhateverInterrupts(closed);
                }),
                client());
        Turn turn = cancelledWhileItRuns(connection.newSession(HERE));

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(result()).isEqualTo("second");
        assertThat(results).isEmpty();
    }

    @Test
    void onCancelRunsAtOnceInATurnThatIsCancelledAlready() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    running.countDown();
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        turn.onCancel(closed::countDown);
                        awaitWhateverInterrupts(closed);
                    }
                }),
                client());
        Turn turn = cancelledWhileItRuns(connection.newSession(HERE));

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
    }

    @Test
    void onCancelRunsWhenTheConnectionEnds() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    turn.onCancel(closed::countDown);
                    running.countDown();
                    awaitWhateverInterrupts(closed);
                    results.add("over");
                }),
                client());
        Turn unused = connection.newSession(HERE).prompt("go");
        running.await();

        connection.close();

        assertThat(result()).isEqualTo("over");
    }

    @Test
    void whatOnCancelThrowsIsReported() throws Exception {
        BlockingQueue<Problem> problems = new LinkedBlockingQueue<>();
        CountDownLatch never = new CountDownLatch(1);
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                            turn.onCancel(() -> {
                                throw new IllegalStateException("no stream");
                            });
                            running.countDown();
                            never.await();
                        })
                        .onProblem(problems::add),
                client());
        Turn unused = cancelledWhileItRuns(connection.newSession(HERE));

        assertThat(problems.poll(20, TimeUnit.SECONDS).detail()).contains("cancelling a turn", "no stream");
    }

    @Test
    void whatOnCancelAddedCanBeTakenBack() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    for (int i = 0; i < 200; i++) {
                        AgentTurn.OnCancel closing = turn.onCancel(() -> results.add("a stream that has ended"));
                        turn.message(".");
                        closing.close();
                    }
                    turn.onCancel(closed::countDown);
                    running.countDown();
                    awaitWhateverInterrupts(closed);
                }),
                client());
        Turn turn = cancelledWhileItRuns(connection.newSession(HERE));

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(results).isEmpty();
    }

    @Test
    void aCancelledRequestCancelsItsTurn() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    turn.onCancel(closed::countDown);
                    running.countDown();
                    awaitWhateverInterrupts(closed);
                    results.add("cancelled: " + turn.isCancelled());
                }),
                client());
        SessionId session = connection.newSession(HERE).id();
        Thread prompting = Thread.ofPlatform().start(() -> {
            try {
                connection.call(AgentMethods.PROMPT, PromptRequest.of(session, List.of(ContentBlock.text("go"))));
            } catch (InterruptedException e) {
                // So it sends $/cancel_request.
            }
        });
        running.await();

        prompting.interrupt();

        assertThat(result()).isEqualTo("cancelled: true");
    }

    @Test
    void aQuestionOfAnotherThreadEndsWithItsTurn() throws Exception {
        Semaphore asked = new Semaphore(0);
        Semaphore withdrawn = new Semaphore(0);
        CountDownLatch never = new CountDownLatch(1);
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    Thread other = Thread.ofPlatform().start(() -> {
                        try {
                            results.add("allowed: " + turn.ask("Delete build/?"));
                        } catch (InterruptedException | CancellationException e) {
                            // The latter when the client withdraws the question before its cancellation comes.
                            results.add("withdrawn, interrupted: "
                                    + Thread.currentThread().isInterrupted());
                        }
                    });
                    asked.acquire();
                    if (turn.text().equals("wait")) {
                        running.countDown();
                        other.join();
                    }
                }),
                client().onPermission(question -> {
                    asked.release();
                    try {
                        never.await();
                    } finally {
                        withdrawn.release();
                    }
                    return question.cancelled();
                }));
        Session session = connection.newSession(HERE);

        session.prompt("return").result();

        assertThat(result()).isEqualTo("withdrawn, interrupted: false");
        withdrawn.acquire();
        Turn turn = session.prompt("wait");
        running.await();
        turn.cancel();
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(result()).isEqualTo("withdrawn, interrupted: false");
    }

    @Test
    void aWaitThatBeginsAfterTheCancellationEndsToo() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    running.countDown();
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        Thread other = Thread.ofPlatform().start(() -> {
                            try {
                                results.add(turn.files().readText(HERE.resolve("a")));
                            } catch (InterruptedException late) {
                                results.add("interrupted");
                            }
                        });
                        other.join();
                    }
                }),
                client().onReadTextFile((session, request) -> {
                    never.await();
                    return "text";
                }));
        Turn turn = cancelledWhileItRuns(connection.newSession(HERE));

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(result()).isEqualTo("interrupted");
    }

    @Test
    void aToolCallThatIsLeftInACancelledTurnIsShownAsCancelled() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    try (ToolCallHandle call = turn.toolCall("Build", ToolKind.EXECUTE)) {
                        call.start();
                        running.countDown();
                        never.await();
                    }
                }),
                client());
        Session session = connection.newSession(HERE);
        Turn turn = cancelledWhileItRuns(session);

        turn.result();
        assertThat(session.view().toolCalls())
                .singleElement()
                .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.CANCELLED));
    }

    @Test
    void filesAndTerminalsOfATurnEndWithIt() throws Exception {
        BlockingQueue<AgentTurn> turns = new LinkedBlockingQueue<>();
        ConnectedAgent connection =
                joined.join(agent(turns::add), client().onReadTextFile((session, request) -> "text"));
        connection.newSession(HERE).prompt("go").result();
        AgentTurn ended = turns.take();

        assertThatThrownBy(() -> ended.files().readText(HERE.resolve("a")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has ended");
        assertThatThrownBy(() -> ended.stop(StopReason.REFUSAL)).isInstanceOf(IllegalStateException.class);
        assertThat(ended.session().files().readText(HERE.resolve("a"))).isEqualTo("text");
    }

    @Test
    void progressIsGoneWhenTheToolCallHasEnded() throws Exception {
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    try (ToolCallHandle call =
                            turn.toolCall("Build", ToolKind.EXECUTE).start()) {
                        call.progress("1 of 2").text("a.c").progress("2 of 2").text("b.c");
                        turn.message("shown");
                        running.await();
                        call.complete();
                    }
                }),
                client());
        Session session = connection.newSession(HERE);
        Turn turn = session.prompt("go");
        for (SessionEvent event : turn) {
            if (event instanceof SessionEvent.Message) {
                assertThat(texts(session)).containsExactly("a.c", "b.c", "2 of 2");
                running.countDown();
            }
        }

        assertThat(texts(session)).containsExactly("a.c", "b.c");
    }

    private static List<String> texts(Session session) {
        return session.view().toolCalls().getFirst().content().stream()
                .map(content -> ((ContentBlock.Text) ((ToolCallContent.Content) content).content()).text())
                .toList();
    }

    // ---- what ends by itself

    @Test
    void anExceptionFailsTheToolCallThatItLeaves() throws Exception {
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    try (ToolCallHandle call =
                            turn.toolCall("Build", ToolKind.EXECUTE).start()) {
                        call.text("compiling");
                        throw new IllegalStateException("no compiler");
                    } catch (IllegalStateException e) {
                        turn.message("failed");
                    }
                }),
                client());
        Session session = connection.newSession(HERE);

        session.prompt("go").result();

        assertThat(session.view().toolCalls())
                .singleElement()
                .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED));
    }

    @Test
    void aToolCallThatHasCompletedStaysSo() throws Exception {
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    try (ToolCallHandle call = turn.toolCall("Build", ToolKind.EXECUTE)) {
                        call.complete();
                    }
                }),
                client());
        Session session = connection.newSession(HERE);

        session.prompt("go").result();

        assertThat(session.view().toolCalls())
                .singleElement()
                .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED));
    }

    @Test
    void tasksOfAPlanAreTickedOff() throws Exception {
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    PlanHandle plan = turn.plan("Read", "Change");
                    plan.next();
                    plan.next();
                    plan.add("Test");
                    turn.message(String.valueOf(plan.entries().size()));
                }),
                client());
        Session session = connection.newSession(HERE);

        assertThat(session.prompt("go").text()).isEqualTo("3");
        assertThat(session.view().plans().getFirst().entries())
                .extracting(PlanEntry::content, PlanEntry::status)
                .containsExactly(
                        tuple("Read", PlanEntryStatus.COMPLETED),
                        tuple("Change", PlanEntryStatus.IN_PROGRESS),
                        tuple("Test", PlanEntryStatus.PENDING));
    }

    @Test
    void aQuestionThatIsDismissedIsNoAnswer() throws Exception {
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    try {
                        results.add("answered " + turn.ask("Keep it?"));
                    } catch (CancellationException e) {
                        results.add(String.valueOf(e.getMessage()));
                    }
                }),
                client().onPermission(PermissionQuestion::cancelled));
        Session session = connection.newSession(HERE);

        session.prompt("go").result();

        assertThat(result()).isEqualTo("nobody answered: Keep it?");
        assertThat(session.view().toolCalls().getFirst().status()).isEqualTo(ToolCallStatus.FAILED);
    }

    @Test
    void aQuestionIsAskedInOneLine() throws Exception {
        ConnectedAgent connection = joined.join(
                agent(turn -> turn.message(turn.ask("Delete build?") + " " + turn.ask("Delete src?"))),
                client().onPermission(question ->
                        question.title().contains("build") ? question.allowOnce() : question.rejectOnce()));
        Session session = connection.newSession(HERE);

        assertThat(session.prompt("go").text()).isEqualTo("true false");
        assertThat(session.view().toolCalls())
                .extracting(Entry.ToolCall::title, Entry.ToolCall::status)
                .containsExactly(
                        tuple("Delete build?", ToolCallStatus.COMPLETED),
                        tuple("Delete src?", ToolCallStatus.COMPLETED));
    }
}
