package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Brings the answers of the peer to the calls that they belong to. A part of {@link Dispatcher}. */
final class Answers {
    private final Connection connection;
    private final Dispatcher dispatcher;

    Answers(Connection connection, Dispatcher dispatcher) {
        this.connection = connection;
        this.dispatcher = dispatcher;
    }

    void answer(int bytes, Envelope message) throws InterruptedException {
        Call call = connection.state().calls.answered(Objects.requireNonNull(message.id));
        if (call == null) {
            dispatcher.problem(
                    Problem.Kind.UNKNOWN_RESPONSE, "an answer to no request of ours: id " + message.id, null);
            return;
        }
        try {
            handOver(call, bytes, message);
        } catch (Throwable e) {
            // This ends the connection, which knows the call no more.
            call.fail(connection.closed(call.method()));
            complete(call);
            throw e;
        }
    }

    private void handOver(Call call, int bytes, Envelope message) throws InterruptedException {
        if (message.error == null) {
            call.succeed(Objects.requireNonNull(message.result));
        } else {
            call.fail(Envelope.peerError(call.method(), message.error, connection::withoutSecrets));
        }
        String lane = call.lane().isEmpty() ? message.lane : call.lane();
        boolean first = connection.state().lanes.isIdle(Dispatcher.CONNECTION_LANE);
        if (first && connection.state().lanes.isIdle(lane) && isOnlyWaitedFor(call)) {
            complete(call);
        } else {
            dispatcher.enqueue(first ? lane : Dispatcher.CONNECTION_LANE, new AnswerItem(bytes, call, lane, first));
        }
    }

    /** Whether nobody but its caller is told of an answer, so that the reading thread may do it. */
    private boolean isOnlyWaitedFor(Call call) {
        return !call.hasListener() && !connection.measurements().areTaken();
    }

    /** Hands a call its outcome, through its lane; never waits for room. */
    void handOver(Call call, String lane) {
        try {
            dispatcher.enqueue(lane, new AnswerItem(0, call, lane, true));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            complete(call);
        } catch (OutOfMemoryError e) {
            complete(call);
        }
    }

    void complete(Call call) {
        if (!connection.state().calls.beginTelling(call)) {
            return;
        }
        if (call.passed != null) {
            dispatcher.problem(call.passed);
        }
        try {
            call.announce();
        } catch (Throwable e) {
            dispatcher.problem(Problem.Kind.NOTIFICATION_FAILED, call.method() + ", its answer: " + e.getMessage(), e);
        } finally {
            if (connection.state().calls.complete(call)) {
                connection.measurements().called(call);
            }
        }
    }

    /** Completes a call; first in the connection's lane, then in the lane of its session. */
    private final class AnswerItem extends LaneItem {
        private final Call call;
        private final String session;
        private final boolean last;

        AnswerItem(int bytes, Call call, String session, boolean last) {
            super(connection.state(), Kind.ANSWER, bytes);
            this.call = call;
            this.session = session;
            this.last = last;
        }

        @Override
        Call call() {
            return call;
        }

        @Override
        @Nullable
        Runnable run() {
            if (last || session.isEmpty()) {
                complete(call);
            } else {
                handOver(call, session);
            }
            return null;
        }
    }

    void broken(RawJson frame, Envelope message) {
        dispatcher.problem(Problem.Kind.MALFORMED, "an answer is broken: " + message.problem, null);
        Call call = message.id == null ? null : connection.state().calls.answered(message.id);
        if (call != null) {
            call.fail(new MalformedMessageException(
                    call.method() + ": the answer is broken: " + message.problem, frame, null));
            handOver(call, call.lane());
        }
    }
}
