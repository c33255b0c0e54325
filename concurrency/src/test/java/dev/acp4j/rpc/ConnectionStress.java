package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Parts of a connection, each touched by two threads at the same moment on real processors. */
public final class ConnectionStress {
    private static final Message MESSAGE = Message.parse("{\"method\":\"m\"}");
    private static final RequestId ID = RequestId.of(1);
    private static final Connection CONNECTION =
            Connection.builder(MemoryTransport.pair().left(), Played.silent()).start();

    private ConnectionStress() {}

    private static ConnectionState state() {
        return new ConnectionState(Limits.STANDARD, new Machine(Time.SYSTEM));
    }

    private static Call call(ConnectionState state) {
        Call call = new Call(CONNECTION, Message.request(ID, "m", null), null);
        state.register(call);
        return call;
    }

    /** A request that is in flight. */
    private static IncomingRequest request(ConnectionState state) {
        IncomingRequest request = new IncomingRequest(CONNECTION, Message.request(ID, "m", null));
        state.admit(request);
        return request;
    }

    /** A handler looks whether it is cancelled, without a lock. */
    @State
    @JCStressTest(Mode.Termination)
    @Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE)
    @Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "the handler never sees it")
    public static class CancellationIsSeen {
        private final ConnectionState state = state();
        private final IncomingRequest request = request(state);

        @Actor
        public void handler() {
            while (!request.isCancelled()) {
                // looks
            }
        }

        @Signal
        public void reader() {
            state.cancel(ID);
        }
    }

    /** What a handler's threads look at, to know whether they still work for it. */
    @State
    @JCStressTest(Mode.Termination)
    @Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE)
    @Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "its threads never see that the handler is done")
    public static class EndOfWorkIsSeen {
        private final Work work = new Work(state());

        @Actor
        public void threadOfHandler() {
            while (!work.isDone()) {
                // looks
            }
        }

        @Signal
        public void handler() {
            work.end();
        }
    }

    /** A cancellation comes when the handler is about to begin. */
    @State
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN, desc = "the handler is not interrupted")
    public static class CancellationMeetsHandler {
        private final ConnectionState state = state();
        private final IncomingRequest request = request(state);
        private final Thread thread = Thread.ofVirtual().unstarted(() -> {});

        @Actor
        public void handler() {
            state.handledBy(request, thread);
        }

        @Actor
        public void reader() {
            state.cancel(ID);
        }

        @Arbiter
        public void interrupted(Z_Result result) {
            result.r1 = thread.isInterrupted();
        }
    }

    /** An answer comes when the connection ends: one of the two takes the call. */
    @State
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN, desc = "both take the call, or nobody")
    public static class AnswerMeetsEnd {
        private final ConnectionState state = state();

        public AnswerMeetsEnd() {
            call(state);
        }

        @Actor
        public void reader(II_Result result) {
            result.r1 = state.answered(ID) == null ? 0 : 1;
        }

        @Actor
        public void ending(II_Result result) {
            while (state.takeOpen() != null) {
                result.r2++;
                state.placed();
            }
        }
    }

    /** An outcome is told once. */
    @State
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN, desc = "told twice, or never")
    public static class OneTells {
        private final ConnectionState state = state();
        private final Call call = call(state);

        @Actor
        public void one(II_Result result) {
            result.r1 = state.beginDelivery(call) ? 1 : 0;
        }

        @Actor
        public void other(II_Result result) {
            result.r2 = state.beginDelivery(call) ? 1 : 0;
        }
    }

    /** The outcome of a call is written without a lock before the call is said to be done. */
    @State
    @JCStressTest
    @Outcome(
            id = {"false, 0", "false, 1", "true, 1"},
            expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN, desc = "a call that is done has no outcome")
    public static class OutcomeOfCall {
        private final ConnectionState state = state();
        private final Call call = call(state);
        private final RpcException failure = new RequestTimeoutException("m", Duration.ZERO);

        @Actor
        public void lane() {
            call.fail(failure);
            state.finish(call);
        }

        @Actor
        public void caller(ZI_Result result) {
            result.r1 = state.isOver(call);
            result.r2 = failure.equals(call.failure()) ? 1 : 0;
        }
    }

    /** What is put before the outbox closes is written, and nothing else. */
    @State
    @JCStressTest
    @Outcome(
            id = {"true, 1", "false, 0"},
            expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN, desc = "a message that was taken is lost, or one that was refused is written")
    public static class PutMeetsClose {
        private final Written written = new Written();
        private final Outbox outbox = written.outbox();

        @Actor
        public void sender(ZI_Result result) {
            result.r1 = outbox.force(MESSAGE);
        }

        @Actor
        public void closer() {
            outbox.close();
        }

        @Arbiter
        public void writer(ZI_Result result) {
            outbox.run();
            result.r2 = written.flushed;
        }
    }

    /** The writing thread waits for messages while one is put. */
    @State
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN, desc = "the message is not written, or not flushed")
    public static class PutMeetsWriter {
        private final Written written = new Written();
        private final Outbox outbox = written.outbox();

        @Actor
        public void sender() {
            outbox.force(MESSAGE);
        }

        @Actor
        public void writer(I_Result result) {
            written.onWrite = outbox::close; // so that this returns
            outbox.run();
            result.r1 = written.flushed;
        }
    }

    /** A message comes to a lane when the thread of the lane has nothing more to do and leaves. */
    @State
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN, desc = "the message waits, and nobody comes")
    public static class MessageMeetsIdleLane {
        private final ConnectionState state = state();
        private final ConnectionState.Lane first = Objects.requireNonNull(enqueue());
        private ConnectionState.@Nullable Lane second;

        private ConnectionState.@Nullable Lane enqueue() {
            try {
                return state.enqueue("session", new Notification(state));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private int run(ConnectionState.Lane lane) {
            int handled = 0;
            while (state.next(lane) != null) {
                handled++;
            }
            return handled;
        }

        @Actor
        public void thread(I_Result result) {
            result.r1 = run(first);
        }

        @Actor
        public void reader(I_Result result) {
            second = enqueue();
        }

        @Arbiter
        public void secondThread(I_Result result) {
            if (second != null) {
                result.r1 += run(second);
            }
        }
    }

    private static final class Notification extends Work.InLane {
        Notification(ConnectionState owner) {
            super(owner, Kind.NOTIFICATION, 1);
        }

        @Override
        @Nullable
        Runnable run() {
            return null;
        }
    }

    /** Counts what reaches the other side. */
    private static final class Written implements Transport.Writer {
        private int waiting;
        int flushed;
        Runnable onWrite = () -> {};

        Outbox outbox() {
            return new Outbox(
                    this, new RecentMessages(), 1000, new Machine(Time.SYSTEM), new Crowding(), failure -> {});
        }

        @Override
        public void write(Message message) {
            waiting++;
            onWrite.run();
        }

        @Override
        public void flush() {
            flushed += waiting;
            waiting = 0;
        }

        @Override
        public void close() {}
    }

    /** Two threads write messages, and one writer is kept between messages for whoever comes first. */
    @State
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN, desc = "both wrote into one buffer")
    public static class TwoWriteMessages {
        private @Nullable Message first;
        private @Nullable Message second;

        @Actor
        public void first() {
            first = Message.notification("first", null, RawJson.CODEC);
        }

        @Actor
        public void second() {
            second = Message.notification("the second", null, RawJson.CODEC);
        }

        @Arbiter
        public void compare(I_Result result) {
            result.r1 = count(first, "{\"jsonrpc\":\"2.0\",\"method\":\"first\"}")
                    + count(second, "{\"jsonrpc\":\"2.0\",\"method\":\"the second\"}");
        }

        private static int count(@Nullable Message message, String text) {
            return message != null && message.toString().equals(text) ? 1 : 0;
        }
    }

    /** A writer waits for room in memory while the reader takes what is there, and then waits for more. */
    @State
    @JCStressTest
    @Outcome(id = "5", expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN, desc = "a message is lost")
    public static class WaitingForRoomMeetsReading {
        private final MemoryTransport.Pair pair = MemoryTransport.pair(2 * MESSAGE.length());

        public WaitingForRoomMeetsReading() {
            write(2);
        }

        @Actor
        public void writer() {
            write(3);
        }

        @Actor
        public void reader(I_Result result) {
            try {
                for (int i = 0; i < 5; i++) {
                    result.r1 += pair.right().reader().read() == null ? 0 : 1;
                }
            } catch (Exception e) {
                result.r1 = -1;
            }
        }

        private void write(int messages) {
            try {
                for (int i = 0; i < messages; i++) {
                    pair.left().writer().write(MESSAGE);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The reader and the writer remember their messages, without a lock. */
    @State
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN, desc = "a message is forgotten")
    public static class RememberingBothWays {
        private final RecentMessages frames = new RecentMessages();

        @Actor
        public void reader() {
            frames.received(MESSAGE);
        }

        @Actor
        public void writer() {
            frames.sent(MESSAGE);
        }

        @Arbiter
        public void explainer(I_Result result) {
            result.r1 = frames.list().size();
        }
    }

    /** Somebody explains a failure while the reader goes on. */
    @State
    @JCStressTest
    @Outcome(
            id = {"0, 0", "1, 1"},
            expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN, desc = "half a message")
    public static class RememberingAndListing {
        private final RecentMessages frames = new RecentMessages();

        @Actor
        public void reader() {
            frames.received(MESSAGE);
        }

        @Actor
        public void explainer(II_Result result) {
            for (Message.Summary frame : frames.list()) {
                result.r1++;
                result.r2 += "m".equals(frame.method()) && frame.bytes() == MESSAGE.length() ? 1 : 0;
            }
        }
    }
}
