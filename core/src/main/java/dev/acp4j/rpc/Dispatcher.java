package dev.acp4j.rpc;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Sends each message that was read to where it belongs. {@link #dispatch} runs on the reading thread, so it only sorts:
 * it marks cancellations, finds the call of an answer and puts everything else into a lane. Handlers run on
 * {@link Workers}, but for the request that opens the conversation.
 */
final class Dispatcher {
    static final String CONNECTION_LANE = "";

    private static final int PROBLEMS_AT_ONCE = 100;
    private static final int DETAIL_CHARS = 200;
    private static final int DETAIL_BYTES_READ = 4096;

    private final Connection connection;
    private final Handler handler;
    private final @Nullable Consumer<Problem> onProblem;
    private final boolean answerNoise;
    private final AtomicInteger problemsWaiting = new AtomicInteger();
    private final Answers answers;

    /** Made when there is noise; for the reading thread. */
    private @Nullable UnaryOperator<String> noiseRedaction;

    Dispatcher(Connection connection, Handler handler, @Nullable Consumer<Problem> onProblem, boolean answerNoise) {
        this.connection = connection;
        this.handler = handler;
        this.onProblem = onProblem;
        this.answerNoise = answerNoise;
        this.answers = new Answers(connection, this);
    }

    Answers answers() {
        return answers;
    }

    void dispatch(RawJson frame, Envelope message) throws InterruptedException {
        switch (message.kind) {
            case NOTIFICATION -> notification(frame, message);
            case REQUEST -> request(frame.length(), message);
            case RESPONSE -> answers.answer(frame.length(), message);
            case BAD_RESPONSE -> answers.broken(frame, message);
            case INVALID -> invalid(frame, message);
        }
    }

    // ---- requests and notifications

    private void notification(RawJson frame, Envelope message) throws InterruptedException {
        if (message.method.equals(Frames.CANCEL_REQUEST)) {
            cancel(message.params());
        } else {
            Connection next = handler.forwardsTo(message.method);
            if (next != null) {
                forward(frame, message, next);
                return;
            }
        }
        RawJson params = message.params();
        handler.arrived(message.method, params);
        // The handler sees cancellations too; most ignore them.
        enqueue(message.lane, new NotificationItem(frame.length(), message.method, params));
    }

    /** Passes a message on at once, unless something before it is still being handled or there is no room. */
    private void forward(RawJson frame, Envelope message, Connection next) throws InterruptedException {
        boolean mayPass = frame.length() <= next.limits().messageBytes()
                && connection.state().lanes.isIdle(message.lane)
                && next.outbox().offer(frame);
        if (!mayPass) {
            enqueue(message.lane, new ForwardItem(frame, message.method, next));
        }
    }

    private void request(int bytes, Envelope message) throws InterruptedException {
        RequestId id = Objects.requireNonNull(message.id);
        IncomingRequest request = new IncomingRequest(id, message.method, message.params(), bytes);
        RpcError refusal = connection.state().requests.admit(request);
        if (refusal != null) {
            RawJson unused = request.takeParams();
            enqueue(message.lane, new RefusalItem(connection, request, refusal));
        } else if (handler.opens(message.method)) {
            if (connection.state().lanes.awaitRest()) {
                new RequestItem(connection, handler, request).open();
            }
        } else {
            enqueue(message.lane, new RequestItem(connection, handler, request));
        }
    }

    private void cancel(@Nullable RawJson params) {
        if (params == null) {
            return;
        }
        try {
            JsonReader in = params.reader("params");
            in.beginObject();
            int member;
            while ((member = in.member(Frames.CANCEL_MEMBERS)) != JsonReader.END) {
                if (member == Frames.REQUEST_ID) {
                    connection.state().requests.cancel(RequestId.CODEC.decode(in));
                } else {
                    in.skip();
                }
            }
        } catch (JsonException e) {
            problem(Problem.Kind.MALFORMED, Frames.CANCEL_REQUEST + ": " + e.messageWithoutValue(), null);
        }
    }

    void enqueue(String lane, LaneItem item) throws InterruptedException {
        work(connection.state().lanes.enqueue(lane, item));
    }

    private void work(@Nullable Lane lane) {
        if (lane == null) {
            return;
        }
        try {
            connection.machine().runHandlers(connection.name(), () -> runAll(lane));
        } catch (Throwable e) {
            // The lane gets no thread.
            connection.fail(e);
            throw e;
        }
    }

    private void runAll(Lane lane) {
        try {
            runItems(lane);
        } catch (Throwable e) {
            // The lane has lost its thread, and what waits in it would wait for ever.
            connection.fail(e);
        }
    }

    private void runItems(Lane lane) {
        Runnable rest = null;
        int items = 0;
        LaneItem item;
        while ((item = connection.state().lanes.next(lane)) != null) {
            runBeside(rest);
            rest = runContained(item);
            items++;
        }
        if (rest != null && items == 1) {
            // A request was all there was: this thread has handled nothing else, and another would have to be woken.
            rest.run();
        } else {
            runBeside(rest);
        }
    }

    /** Runs on a thread of its own what an item of a lane left to be done. */
    void runBeside(@Nullable Runnable rest) {
        if (rest != null) {
            try {
                connection.machine().runHandlers(connection.name(), rest);
            } catch (Throwable e) {
                // No memory for a thread; what is owed an answer gets one.
                rest.run();
            }
        }
    }

    /** Whatever a listener throws, the lane goes on. */
    private @Nullable Runnable runContained(LaneItem item) {
        try {
            return item.runAsCurrent();
        } catch (OutOfMemoryError e) {
            connection.fail(e);
            return null;
        } catch (Throwable e) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            return null;
        }
    }

    private class NotificationItem extends LaneItem {
        private final String method;
        private final @Nullable RawJson params;

        NotificationItem(int bytes, String method, @Nullable RawJson params) {
            super(connection.state(), Kind.NOTIFICATION, bytes + Limits.BYTES_BESIDE);
            this.method = method;
            this.params = params;
        }

        void handle() throws Exception {
            handler.notification(method, params);
        }

        @Override
        boolean isLike(LaneItem other) {
            return getClass() == other.getClass() && method.equals(((NotificationItem) other).method);
        }

        @Override
        @Nullable
        final Runnable run() {
            try {
                handle();
            } catch (InterruptedException e) {
                problem(Problem.Kind.NOTIFICATION_FAILED, method + ": interrupted", e);
            } catch (OutOfMemoryError e) {
                // What it said is lost.
                connection.fail(e);
            } catch (Throwable e) {
                problem(Problem.Kind.NOTIFICATION_FAILED, method + ": " + e.getMessage(), e);
            }
            return null;
        }
    }

    /** Passes a notification on when its turn has come. */
    private final class ForwardItem extends NotificationItem {
        private final RawJson frame;
        private final Connection next;

        ForwardItem(RawJson frame, String method, Connection next) {
            super(frame.length(), method, null);
            this.frame = frame;
            this.next = next;
        }

        @Override
        void handle() throws InterruptedException {
            next.put(super.method, frame);
        }
    }

    // ---- what is not a message

    private void invalid(RawJson frame, Envelope message) throws InterruptedException {
        boolean noise = message.errorCode == RpcError.PARSE_ERROR;
        String detail = noise ? shown(frame) : message.problem;
        if (noise) {
            connection.watchedFrames().noise(detail);
        }
        problem(noise ? Problem.Kind.NOISE : Problem.Kind.MALFORMED, detail, null);
        // The received text is not quoted: it may hold secrets.
        RpcError error = new RpcError(message.errorCode, noise ? "Parse error" : message.problem);
        if (message.answerable) {
            refuse(message, error);
        } else if (answerNoise) {
            // Only if there is room: garbage must not fill the memory.
            boolean unused = connection.outbox().offer(Frames.answer(RequestId.NULL, null, error));
        }
    }

    /** Refuses what is a request in all but its contents: whoever asked is told, however full the outbox is. */
    private void refuse(Envelope message, RpcError error) throws InterruptedException {
        RequestId id = Objects.requireNonNull(message.id);
        IncomingRequest request = new IncomingRequest(id, message.method, null, 0);
        enqueue(message.lane, new RefusalItem(connection, request, error));
    }

    /** A message was skipped. If its beginning tells whom it concerns, that one is told. */
    void tooLarge(MessageTooLargeException e, Envelope head) throws InterruptedException {
        problem(Problem.Kind.TOO_LARGE, String.valueOf(e.getMessage()), e);
        RequestId id = head.id;
        if (id == null) {
            return;
        }
        if (!head.method.isEmpty() || head.inParams) {
            refuse(head, RpcError.invalidRequest(String.valueOf(e.getMessage())));
            return;
        }
        Call call = connection.state().calls.answered(id);
        if (call != null) {
            call.fail(new MalformedMessageException(
                    call.method() + ": the answer is larger than " + e.limit() + " bytes", null, e));
            answers.handOver(call, call.lane());
        }
    }

    /** Returns the beginning of a line that was no message; cut when the secrets are out, as half of one is none. */
    private String shown(RawJson line) {
        int read = Math.min(line.length(), DETAIL_BYTES_READ);
        UnaryOperator<String> redaction = noiseRedaction;
        if (redaction == null) {
            redaction = Redaction.lines(connection::withoutSecrets);
            noiseRedaction = redaction;
        }
        String text = redaction.apply(new String(line.bytes(), line.from(), read, StandardCharsets.UTF_8));
        return text.length() > DETAIL_CHARS ? text.substring(0, DETAIL_CHARS) + "…" : text;
    }

    void problem(Problem.Kind kind, String detail, @Nullable Throwable cause) {
        problem(new Problem(kind, detail, cause));
    }

    /**
     * Reports a problem, in the connection's lane. A flood of them is cut: nobody reads it, and it must not fill
     * memory.
     */
    void problem(Problem problem) {
        if (problemsWaiting.incrementAndGet() > PROBLEMS_AT_ONCE) {
            problemsWaiting.decrementAndGet();
            return;
        }
        try {
            enqueue(CONNECTION_LANE, new ProblemItem(problem));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class ProblemItem extends LaneItem {
        private final Problem problem;

        ProblemItem(Problem problem) {
            super(connection.state(), Kind.REPORT, 0);
            this.problem = problem;
        }

        @Override
        @Nullable
        Runnable run() {
            problemsWaiting.decrementAndGet();
            if (onProblem != null) {
                onProblem.accept(problem);
            }
            return null;
        }
    }
}
