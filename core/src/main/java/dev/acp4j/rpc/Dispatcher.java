package dev.acp4j.rpc;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages and sends each to where it belongs. {@link #run} is the body of the reading thread: it hands every
 * message to the {@link Handler}, finds the call of an answer, marks cancellations, and puts what is left to do into a
 * lane. Lanes run where {@link Machine#runHandlers} says.
 *
 * <p>When there are interceptors, the reading thread only reads, and a lane of its own, the intake, does all that.
 */
final class Dispatcher implements Runnable {
    static final String CONNECTION_LANE = "";

    private static final int PROBLEMS_AT_ONCE = 100;
    private static final int DETAIL_CHARS = 200;
    private static final int DETAIL_BYTES_READ = 4096;

    private final Connection connection;
    private final ConnectionState state;
    private final Transport.Reader reader;
    private final Handler handler;
    private final @Nullable Consumer<Problem> onProblem;
    private final boolean answerNoise;
    private final Set<String> envelopes;
    private final MessageParser opener = new MessageParser();

    private volatile @Nullable Thread readingThread;
    private static final int LONGEST_BURST = 64;

    private final AtomicInteger problemsWaiting = new AtomicInteger();
    final Interceptors.@Nullable Incoming intake;

    /** Steps to be ended before the reading thread waits for the next message. Only that thread touches them. */
    private final List<Step> endedSteps = new ArrayList<>();

    /** How many messages may be received before these steps are ended, if the transport always has one more at hand. */
    private int untilEnd = LONGEST_BURST;

    /** Made when there is noise; for the reading thread. */
    private @Nullable UnaryOperator<String> noiseRedaction;

    Dispatcher(Connection connection, Connection.Builder builder, Handler handler) {
        this.connection = connection;
        this.state = connection.state;
        this.reader = builder.transport.reader();
        this.handler = handler;
        this.onProblem = builder.onProblem;
        this.answerNoise = builder.answerNoise;
        this.envelopes = builder.envelopes;
        this.intake = builder.hasInterceptors() ? new Interceptors.Incoming(connection, this, builder.incoming) : null;
    }

    // ---- reading

    /** Whether the calling thread is the one that reads. */
    boolean isReading() {
        return Thread.currentThread().equals(readingThread);
    }

    /** Returns when the input and with it the connection have ended. */
    @Override
    public void run() {
        readingThread = Thread.currentThread();
        Throwable failure = readAll();
        readingThread = null;
        endSteps();
        if (intake != null) {
            // What was read before the end is still received, unless an interceptor waits for what does not come any
            // more.
            state.awaitIntake(connection.limits().drainTime());
        }
        connection.ending.end(failure, true);
    }

    /** Returns at the end of input, with what failed, or null. */
    private @Nullable Throwable readAll() {
        try {
            while (readOne()) {
                // one message after another until the end
            }
            return null;
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            return e;
        }
    }

    private boolean readOne() throws IOException, InterruptedException {
        if (!endedSteps.isEmpty() && (--untilEnd < 0 || !reader.isReady())) {
            endSteps();
        }
        Message message = reader.read();
        if (message == null) {
            return false;
        }
        connection.recentMessages.received(message);
        int limit = connection.limits().messageBytes();
        if (message.length() > limit) {
            message = Message.oversized(Message.head(message.raw()), limit);
        }
        if (message.kind().isCall() && envelopes.contains(message.method())) {
            message = opener.open(message);
        }
        if (message.kind() == Message.Kind.NOTIFICATION && message.method().equals(Message.CANCEL_REQUEST)) {
            cancel(message.params());
        }
        if (intake == null) {
            receive(message);
        } else {
            intake.receive(message);
        }
        return true;
    }

    /**
     * Ends a step that has no place in a lane, soon: one call wakes the waiting thread for many messages. The reading
     * thread calls it.
     */
    void endSoon(Step step) {
        if (intake == null) {
            endedSteps.add(step);
        } else {
            state.finish(step);
        }
    }

    /** Wakes the threads for which messages have been received. The reading thread calls it before it waits. */
    void endSteps() {
        for (Step step : endedSteps) {
            state.finish(step);
        }
        endedSteps.clear();
        untilEnd = LONGEST_BURST;
    }

    /** Hands a message to where it belongs, in the order of the wire. */
    void receive(Message message) throws InterruptedException {
        switch (message.kind()) {
            case NOTIFICATION -> notification(message);
            case REQUEST -> request(message);
            case RESULT, ERROR -> answer(message);
            case INVALID_RESPONSE -> invalidResponse(message);
            case INVALID, NOISE -> invalid(message);
            case OVERSIZED -> oversized(message);
        }
    }

    // ---- requests and notifications

    private void notification(Message message) throws InterruptedException {
        if (intake != null && message.method().equals(Message.CANCEL_REQUEST)) {
            // When it was read, its request had perhaps not passed the interceptors.
            cancel(message.params());
        }
        Handler.Delivery delivery;
        try {
            delivery = handler.notification(message);
        } catch (RuntimeException e) {
            problem(Problem.Kind.NOTIFICATION_FAILED, message.method() + ": " + e.getMessage(), e);
            return;
        }
        if (delivery != null) {
            enqueue(message.lane(), new NotificationItem(message, delivery));
        }
    }

    private void request(Message message) throws InterruptedException {
        IncomingRequest request = new IncomingRequest(connection, message);
        RpcError refusal = state.admit(request);
        if (refusal != null) {
            RawJson unused = request.takeParams();
            enqueue(message.lane(), new RefusalItem(request, refusal));
            return;
        }
        Handler.Acceptance acceptance;
        try {
            acceptance = handler.request(request);
        } catch (RuntimeException e) {
            acceptance = () -> {
                throw e;
            };
        }
        if (acceptance != null) {
            enqueue(message.lane(), new RequestItem(request, acceptance));
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
            while ((member = in.member(Message.CANCEL_MEMBERS)) != JsonReader.END) {
                if (member == Message.REQUEST_ID) {
                    state.cancel(RequestId.CODEC.decode(in));
                } else {
                    in.skip();
                }
            }
        } catch (JsonException e) {
            problem(Problem.Kind.MALFORMED, Message.CANCEL_REQUEST + ": " + e.messageWithoutValue(), null);
        }
    }

    // ---- answers, and other steps

    private void answer(Message message) throws InterruptedException {
        Call call = state.answered(Objects.requireNonNull(message.id()));
        if (call == null) {
            problem(Problem.Kind.UNKNOWN_RESPONSE, "an answer to no request of ours: id " + message.id(), null);
            return;
        }
        connection.outbox.read(call.behind);
        try {
            RawJson error = message.error();
            if (error != null) {
                call.fail(RpcError.read(call.method(), error, connection::withoutSecrets));
            }
            call.answer(message);
            arrived(call);
            if (call.isRelayed) {
                relay(call, message.session(), message.length());
            } else {
                place(call, lane(call.lane.isEmpty() ? message.session() : call.lane, call), message.length());
            }
        } catch (Throwable e) {
            // This ends the connection, which knows the call no more.
            call.fail(connection.closed(call.method()));
            deliver(call);
            throw e;
        }
    }

    private static Object lane(String session, Call call) {
        return Message.lane(session, call.inEnvelope);
    }

    /**
     * Delivers a call whose answer is passed on: at once, unless something before it in its session is still here. A
     * session that the answer opens is its session: what the peer says there next comes behind it.
     */
    private void relay(Call call, String session, int bytes) throws InterruptedException {
        Object lane = lane(session.isEmpty() ? call.lane : session, call);
        if (state.mayPass(lane)) {
            deliver(call);
        } else {
            enqueue(lane, new StepItem(bytes, call, lane, true));
        }
    }

    private void arrived(Call call) throws InterruptedException {
        try {
            call.arrived();
        } catch (RuntimeException e) {
            problem(Problem.Kind.NOTIFICATION_FAILED, call.method() + ", its answer: " + e.getMessage(), e);
        }
    }

    /** Puts a step behind everything that was read before it, in the connection's lane and in its own. */
    private void place(Step step, Object lane, int bytes) throws InterruptedException {
        boolean last = state.isIdle(CONNECTION_LANE);
        if (last && step.mayEndAnywhere() && state.isIdle(lane)) {
            deliver(step);
        } else {
            enqueue(last ? lane : CONNECTION_LANE, new StepItem(bytes, step, lane, last));
        }
    }

    /** Handlers are about to be interrupted because the connection has ended. */
    void ending() {
        try {
            handler.ending();
        } catch (RuntimeException e) {
            problem(Problem.Kind.REQUEST_FAILED, "the end of the connection: " + e.getMessage(), e);
        }
    }

    /** Places a step that ends without a message of its own; never waits for room. */
    void place(Step step) {
        state.forget(step);
        try {
            if (step instanceof Call call && call.isRelayed) {
                relay(call, "", 0);
            } else {
                place(step, step instanceof Call call ? lane(call.lane, call) : step.lane, 0);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            deliver(step);
        } catch (OutOfMemoryError e) {
            deliver(step);
        }
    }

    private void deliver(Step step) {
        if (!state.beginDelivery(step)) {
            return;
        }
        if (step.outOfOrder != null) {
            problem(step.outOfOrder);
        }
        try {
            step.delivered();
        } catch (Throwable e) {
            problem(Problem.Kind.NOTIFICATION_FAILED, step.name() + ", its answer: " + e.getMessage(), e);
        } finally {
            state.finish(step);
            if (step instanceof Call call) {
                connection.measurements.called(call, call.failure());
            }
        }
    }

    /** Fails a step whose answer will not come. */
    void abandon(Step step, RpcException why) {
        try {
            step.abandoned(why);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            problem(Problem.Kind.NOTIFICATION_FAILED, step.name() + ", its end: " + e.getMessage(), e);
        }
        place(step);
    }

    /** Ends steps that were dropped from their lanes. */
    void deliverAll(List<Step> steps) {
        steps.forEach(this::deliver);
    }

    private void invalidResponse(Message message) {
        problem(Problem.Kind.MALFORMED, "an answer is broken: " + message.problem(), null);
        RequestId id = message.id();
        Call call = id == null ? null : state.answered(id);
        if (call != null) {
            abandon(
                    call,
                    new MalformedMessageException(
                            call.method() + ": the answer is broken: " + message.problem(), message.raw(), null));
        }
    }

    // ---- lanes

    void enqueue(Object key, Work.InLane item) throws InterruptedException {
        if (item.bytes > 0 && intake == null) {
            // This thread may have to wait for room, and those that it has not woken must not wait for it.
            endSteps();
        }
        ConnectionState.Lane lane = state.enqueue(key, item);
        if (lane == null) {
            return;
        }
        try {
            connection.machine.runHandlers(connection.name(), () -> runAll(lane));
        } catch (Throwable e) {
            // The lane gets no thread.
            connection.fail(e);
            throw e;
        }
    }

    private void runAll(ConnectionState.Lane lane) {
        try {
            runItems(lane);
        } catch (Throwable e) {
            // The lane has lost its thread, and what waits in it would never run.
            connection.fail(e);
        }
    }

    private void runItems(ConnectionState.Lane lane) {
        Runnable rest = null;
        int items = 0;
        Work.InLane item;
        while ((item = state.next(lane)) != null) {
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
                connection.machine.runHandlers(connection.name(), rest);
            } catch (Throwable e) {
                // No memory for a thread; what is owed an answer gets one.
                rest.run();
            }
        }
    }

    /** Contains what a listener throws, so that the lane continues. */
    private @Nullable Runnable runContained(Work.InLane item) {
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

    private static int weight(Message message, Handler.Delivery delivery) {
        return (int) Math.min(Integer.MAX_VALUE, (long) delivery.weight() * message.length() + Limits.BYTES_BESIDE);
    }

    private final class NotificationItem extends Work.InLane {
        private final String method;
        private final Handler.Delivery delivery;

        NotificationItem(Message message, Handler.Delivery delivery) {
            super(state, Kind.NOTIFICATION, weight(message, delivery));
            this.method = message.method();
            this.delivery = delivery;
        }

        @Override
        @Nullable
        Runnable run() {
            try {
                delivery.deliver();
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

    /** Accepts a request in its lane; what it leaves to be done beside the lane gives the answer. */
    private final class RequestItem extends Work.InLane {
        private final IncomingRequest request;
        private final Handler.Acceptance acceptance;

        RequestItem(IncomingRequest request, Handler.Acceptance acceptance) {
            super(state, Kind.REQUEST, request.bytes() + Limits.BYTES_BESIDE);
            this.request = request;
            this.acceptance = acceptance;
        }

        @Override
        void discarded() {
            state.release(request);
        }

        @Override
        void dropped() {
            state.release(request);
        }

        @Override
        @Nullable
        Runnable run() {
            Handler.Task task;
            try {
                task = acceptance.accept();
            } catch (InterruptedException e) {
                finish(null, errorFor(e));
                // Perhaps this runs in the middle of another handler, which was meant.
                Thread.currentThread().interrupt();
                return null;
            } catch (Throwable e) {
                finish(null, errorFor(e));
                return null;
            }
            return task == null ? null : () -> answer(task);
        }

        private void answer(Handler.Task task) {
            try {
                handleAndAnswer(task);
            } catch (Throwable e) {
                // The answer could not be made, and the peer would never get one.
                connection.fail(e);
            }
        }

        private void handleAndAnswer(Handler.Task task) {
            Thread.currentThread().setName(connection.name() + "-" + request.method());
            Work work = new Work(state);
            work.begin();
            state.handledBy(request, Thread.currentThread());
            RawJson result = null;
            RpcError error = null;
            try {
                result = task.run();
            } catch (Throwable e) {
                error = errorFor(e);
            }
            finish(result, error);
            tellAnswered(task);
            work.end();
        }

        private void tellAnswered(Handler.Task task) {
            try {
                task.answered();
            } catch (Throwable e) {
                report(", after its answer: " + e.getMessage(), e);
            }
        }

        private void report(String what, Throwable e) {
            problem(Problem.Kind.REQUEST_FAILED, request.method() + what, e);
        }

        private void finish(@Nullable RawJson result, @Nullable RpcError error) {
            long nanos = nanos();
            if (queueAnswer(result, error)) {
                measure(nanos, error);
            }
        }

        /** Returns how long the request has been here. */
        private long nanos() {
            return connection.measurements.now() - request.begun;
        }

        /** Returns false when nobody waits for the answer. */
        private boolean queueAnswer(@Nullable RawJson result, @Nullable RpcError error) {
            boolean awaited = state.handled(request);
            // A cancellation that came too late to matter must not break what comes after.
            boolean unused = Thread.interrupted();
            if (awaited) {
                connection.answer(request.id(), result, error);
                state.answerQueued();
            }
            return awaited;
        }

        private void measure(long nanos, @Nullable RpcError error) {
            connection.measurements.handled(request.method(), nanos, error, false);
        }

        private RpcError errorFor(Throwable e) {
            RpcError answer = RpcError.answerOf(e);
            if (answer != null) {
                return answer;
            }
            if (request.isCancelled()) {
                return RpcError.cancelled();
            }
            if (!(e instanceof ConnectionClosedException) || connection.isOpen()) {
                report(": " + e, e);
            }
            // A handler that ends with its connection has not failed, and its answer reaches nobody.
            return RpcError.internal();
        }
    }

    /** Ends a step; first in the connection's lane, then in the lane of its session. */
    private final class StepItem extends Work.InLane {
        private final Step step;
        private final Object session;
        private final boolean last;

        StepItem(int bytes, Step step, Object session, boolean last) {
            super(state, Kind.STEP, bytes);
            this.step = step;
            this.session = session;
            this.last = last;
        }

        @Override
        Step step() {
            return step;
        }

        @Override
        @Nullable
        Runnable run() {
            if (last || session.equals(CONNECTION_LANE)) {
                deliver(step);
                return null;
            }
            try {
                enqueue(session, new StepItem(0, step, session, true));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                deliver(step);
            }
            return null;
        }
    }

    /**
     * Answers a request that is not handled. Not on the reading thread, because the answer may have to wait for room.
     */
    private final class RefusalItem extends Work.InLane {
        private final IncomingRequest request;
        private final RpcError error;
        private final long begun = connection.measurements.now();

        RefusalItem(IncomingRequest request, RpcError error) {
            super(
                    state,
                    Kind.REQUEST,
                    Limits.BYTES_BESIDE + 2 * request.id().json().length());
            this.request = request;
            this.error = error;
        }

        @Override
        @Nullable
        Runnable run() {
            long nanos = connection.measurements.now() - begun;
            connection.answer(request.id(), null, error);
            connection.measurements.handled(request.method(), nanos, error, false);
            return null;
        }
    }

    // ---- what is not a message

    private void invalid(Message message) throws InterruptedException {
        boolean noise = message.kind() == Message.Kind.NOISE;
        String detail = noise ? shown(message.raw()) : message.problem();
        if (noise) {
            connection.recentMessages.noise(detail);
        }
        if (!noise && message.isBrokenNotification()) {
            // What a notification says is lost with it; other JSON may be a log line.
            problem(Problem.Kind.NOTIFICATION_FAILED, message.method() + ": " + detail, null);
        } else {
            problem(noise ? Problem.Kind.NOISE : Problem.Kind.MALFORMED, detail, null);
        }
        // The received text is not quoted: it may hold secrets.
        RpcError error = noise ? new RpcError(RpcError.PARSE_ERROR, "Parse error") : RpcError.invalidRequest(detail);
        if (message.isAnswerable()) {
            refuse(message, error);
        } else if (answerNoise) {
            // Only if there is room: garbage must not fill the memory.
            Message answer = Message.answer(RequestId.NULL, null, error);
            boolean unused = connection.outbox.queue(answer, connection.outbox.limit());
        }
    }

    /** Refuses what is a request in all but its contents, however full the outbox is. */
    private void refuse(Message message, RpcError error) throws InterruptedException {
        IncomingRequest request = new IncomingRequest(connection, message);
        RawJson unused = request.takeParams();
        enqueue(message.lane(), new RefusalItem(request, error));
    }

    /** A message was skipped. If its beginning names a request or a call, that one gets an error. */
    private void oversized(Message message) throws InterruptedException {
        problem(Problem.Kind.TOO_LARGE, message.problem(), null);
        RequestId id = message.id();
        if (id == null) {
            return;
        }
        if (message.isAnswerable()) {
            refuse(message, RpcError.invalidRequest(message.problem()));
            return;
        }
        Call call = state.answered(id);
        if (call != null) {
            abandon(
                    call,
                    new MalformedMessageException(
                            call.method() + ": the answer is larger than " + message.limit() + " bytes", null, null));
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

    // ---- problems

    void problem(Problem.Kind kind, String detail, @Nullable Throwable cause) {
        problem(new Problem(kind, detail, cause));
    }

    /** Reports a problem, in the connection's lane. A flood of them is cut, as it must not fill memory. */
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

    private final class ProblemItem extends Work.InLane {
        private final Problem problem;

        ProblemItem(Problem problem) {
            super(state, Kind.REPORT, 0);
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
