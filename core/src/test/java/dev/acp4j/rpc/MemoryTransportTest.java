package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MemoryTransportTest {
    @Test
    void aFullQueueHoldsTheWriterBackUntilThereIsRoom() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair(10);
        CountDownLatch first = new CountDownLatch(1);
        FutureTask<@Nullable Void> writing = run(() -> {
            send(pair.left(), "\"12345678\"");
            first.countDown();
            send(pair.left(), "2");
            return null;
        });

        first.await();
        assertThat(writing.isDone()).isFalse();
        assertThat(text(pair.right().reader().read())).isEqualTo("\"12345678\"");

        writing.get(30, TimeUnit.SECONDS);
        assertThat(text(pair.right().reader().read())).isEqualTo("2");
    }

    @Test
    void whatWasTakenAndNotReadIsDroppedWhenItIsClosed() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        ReferenceQueue<Message> dropped = new ReferenceQueue<>();
        PhantomReference<Message> second = writeTwo(pair.left(), dropped);
        assertThat(text(pair.right().reader().read())).isEqualTo("1");

        pair.right().close();

        assertThat(pair.right().reader().read()).isNull();
        System.gc();
        assertThat(dropped.remove(10_000)).isSameAs(second);
        assertThat(pair.right().reader().read()).isNull();
    }

    private static PhantomReference<Message> writeTwo(Transport to, ReferenceQueue<Message> dropped)
            throws IOException {
        send(to, "1");
        Message second = Message.parse("2");
        to.writer().write(second);
        return new PhantomReference<>(second, dropped);
    }

    @Test
    void itIsNotReadyWhenItIsClosed() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        send(pair.left(), "1");
        assertThat(pair.right().reader().isReady()).isTrue();

        pair.right().close();

        assertThat(pair.right().reader().isReady()).isFalse();
    }

    @Test
    void readingSeesAnInterruptAlsoWhenMessagesAreThere() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        send(pair.left(), "1");
        send(pair.left(), "2");
        assertThat(text(pair.right().reader().read())).isEqualTo("1");

        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> pair.right().reader().read()).isInstanceOf(InterruptedException.class);
        assertThat(text(pair.right().reader().read())).isEqualTo("2");
    }

    @Test
    void aMessageLargerThanTheQueuePassesWhenItIsAlone() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair(1);

        send(pair.left(), "\"larger\"");

        assertThat(text(pair.right().reader().read())).isEqualTo("\"larger\"");
    }

    @Test
    void messagesAreHandedOverWithoutACopy() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Message message = Message.parse("{}");

        pair.left().writer().write(message);

        assertThat(pair.right().reader().read()).isSameAs(message);
    }

    @Test
    void interruptingABlockedWriterEndsTheWrite() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair(1);
        send(pair.left(), "1");
        FutureTask<Boolean> writing = new FutureTask<>(() -> {
            assertThatThrownBy(() -> send(pair.left(), "2")).isInstanceOf(InterruptedIOException.class);
            return Thread.currentThread().isInterrupted();
        });
        Thread writer = Thread.ofPlatform().start(writing);

        writer.interrupt();

        assertThat(writing.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void theQueueMustHoldSomething() {
        assertThatThrownBy(() -> MemoryTransport.pair(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("positive");
    }

    private static void send(Transport to, String message) throws IOException {
        to.writer().write(Message.parse(message));
        to.writer().flush();
    }

    private static String text(@Nullable Message message) {
        return message == null ? "(end of stream)" : message.toString();
    }

    private static <T extends @Nullable Object> FutureTask<T> run(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread.ofPlatform().daemon().name("transport-test").start(future);
        return future;
    }
}
