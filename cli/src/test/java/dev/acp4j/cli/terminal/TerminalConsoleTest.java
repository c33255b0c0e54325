package dev.acp4j.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.tap.Poll;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who gets the keys: the message, the question, or the turn. */
@Timeout(60)
@SuppressWarnings("NullAway.Init")
class TerminalConsoleTest {
    private PipedOutputStream keys;
    private TerminalConsole console;
    private Shown shown;

    @BeforeEach
    void open() throws Exception {
        keys = new PipedOutputStream();
        shown = new Shown();
        Terminal terminal = TerminalBuilder.builder()
                .system(false)
                .streams(new PipedInputStream(keys), shown)
                .type("xterm")
                .encoding(StandardCharsets.UTF_8)
                .build();
        terminal.enterRawMode();
        console = new TerminalConsole(terminal, false, (reader, line, candidates) -> {}, null);
    }

    @AfterEach
    void close() throws Exception {
        console.close();
        keys.close();
    }

    @Test
    void aQuestionThatIsWithdrawnAtOnceEndsNoMessage() throws Exception {
        FutureTask<Input> message = reading();
        press("hal");
        shown.await("hal");

        for (int i = 0; i < 1000; i++) {
            withdrawnQuestion();
        }
        press("lo\r");

        assertThat(message.get()).isEqualTo(new Input.Line("hallo"));
    }

    @Test
    void theEndOfTheAgentIsNoticedWhileAQuestionTakesTheKeys() throws Exception {
        for (int i = 0; i < 200; i++) {
            AtomicBoolean isGone = new AtomicBoolean();
            FutureTask<Input> message = new FutureTask<>(() -> console.read("> ", "", isGone::get));
            Thread reader = Thread.ofPlatform().daemon().start(message);
            Thread question = Thread.ofPlatform().start(this::withdrawnQuestion);

            isGone.set(true);
            reader.interrupt();

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(message::get)
                    .withCauseInstanceOf(InterruptedException.class);
            question.join();
        }
    }

    private void withdrawnQuestion() {
        // The thread of a question is interrupted when the agent withdraws it: here, before it has the keys.
        Thread.currentThread().interrupt();
        try {
            console.questionBegins();
        } catch (InterruptedException e) {
            // Withdrawn.
        } finally {
            console.questionEnds();
        }
        boolean unused = Thread.interrupted();
    }

    @Test
    void whatIsPutBackAfterACancelledReadBeginsTheNextMessage() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        FutureTask<Input> cancelled = new FutureTask<>(() -> console.read("> ", "", () -> false));
        Thread reader = Thread.ofPlatform().daemon().start(() -> {
            cancelled.run();
            ended.countDown();
        });
        press("half");
        shown.await("half");
        reader.interrupt();
        ended.await();

        boolean isPutBack = console.putBack("not taken");
        FutureTask<Input> next = reading();
        press("!\r");

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(cancelled::get)
                .withCauseInstanceOf(InterruptedException.class);
        assertThat(isPutBack).isTrue();
        assertThat(next.get()).isEqualTo(new Input.Line("not taken!"));
    }

    @Test
    void whatIsPutBackAfterATurnFollowsWhatWasTypedDuringIt() throws Exception {
        console.turnBegins(() -> {}, line -> false);
        press("ahead");
        // Nothing reports that a key was read.
        assertThat(Poll.until(() -> console.typedAhead().equals(List.of("ahead"))))
                .isTrue();
        console.turnEnds();

        boolean isPutBack = console.putBack("not taken");
        FutureTask<Input> next = reading();
        press("!\r");

        assertThat(isPutBack).isTrue();
        assertThat(next.get()).isEqualTo(new Input.Line("ahead not taken!"));
    }

    @Test
    void keysBetweenTwoFieldsOfAQuestionGoToTheNextField() throws Exception {
        CountDownLatch typed = new CountDownLatch(1);
        console.turnBegins(() -> {}, line -> {
            typed.countDown();
            return false;
        });
        console.questionBegins();
        press("Ada\r36\rnext\r");

        Input name = console.ask("name: ");
        Input age = console.ask("age: ");
        console.questionEnds();
        typed.await();
        console.turnEnds();

        assertThat(name).isEqualTo(new Input.Line("Ada"));
        assertThat(age).isEqualTo(new Input.Line("36"));
        assertThat(console.read("> ", "", () -> false)).isEqualTo(new Input.Line("next"));
    }

    private FutureTask<Input> reading() {
        FutureTask<Input> task = new FutureTask<>(() -> console.read("> ", "", () -> false));
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private void press(String text) throws IOException {
        keys.write(text.getBytes(StandardCharsets.UTF_8));
        keys.flush();
    }

    /** What the terminal shows; the lock guards it. */
    private static final class Shown extends OutputStream {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition more = lock.newCondition();

        @GuardedBy("lock")
        private final StringBuilder text = new StringBuilder();

        @Override
        public void write(int b) {
            lock.lock();
            try {
                text.append((char) b);
                more.signalAll();
            } finally {
                lock.unlock();
            }
        }

        void await(String wanted) throws InterruptedException {
            lock.lock();
            try {
                while (text.indexOf(wanted) < 0) {
                    more.await();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
