package dev.acp4j.rpc;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * Reports to a connection's listener and the flight recorder what the connection does. The classes of the events are
 * loaded when the recorder is in use, and not before: that takes tens of milliseconds, and the way to the first answer
 * is short.
 */
final class Measurements {
    private final Connection connection;
    private final Connection.@Nullable Listener listener;
    private final Time time;
    private final long began;

    /** How often it was seen that somebody records. Not an AtomicBoolean, which loads variable handles. */
    private final AtomicInteger recorded = new AtomicInteger();

    Measurements(Connection connection, Connection.@Nullable Listener listener, Time time) {
        this.connection = connection;
        this.listener = listener;
        this.time = time;
        this.began = time.nanoTime();
    }

    /** Whether there is a listener, or somebody records. */
    boolean areTaken() {
        return listener != null || FlightRecorder.isInitialized();
    }

    long now() {
        return time.nanoTime();
    }

    void began() {
        Connection.Listener told = listener;
        if (told != null) {
            contained(() -> told.began(connection));
        }
    }

    /**
     * A request of the peer was answered.
     *
     * @param isRelayed whether it was answered elsewhere, so that this is perhaps a thread that reads
     */
    void handled(String method, long nanos, @Nullable RpcError error, boolean isRelayed) {
        if (records()) {
            FlightEvent.handled(connection.name(), method, nanos, error);
        }
        Connection.Listener told = listener;
        if (told != null) {
            report(isRelayed, () -> told.handled(connection, method, Duration.ofNanos(nanos), error));
        }
    }

    /** A call has its answer, got none in time, or fails with the connection; the first that is measured counts. */
    void called(Call call, @Nullable RpcException failure) {
        if (!areTaken() || !connection.state.beginMeasuring(call)) {
            return;
        }
        long nanos = now() - call.begun;
        if (records()) {
            FlightEvent.called(connection.name(), call.method(), nanos, failure);
        }
        Connection.Listener told = listener;
        if (told != null) {
            report(call.isRelayed, () -> told.called(connection, call.method(), Duration.ofNanos(nanos), failure));
        }
    }

    void ended() {
        long nanos = now() - began;
        Throwable failure = connection.failure().orElse(null);
        if (records()) {
            FlightEvent.ended(connection.name(), nanos, failure);
        }
        Connection.Listener told = listener;
        if (told != null) {
            contained(() -> told.ended(connection, Duration.ofNanos(nanos), failure));
        }
    }

    /** Whether somebody has begun to record; the first time it reports that the connection began. */
    private boolean records() {
        if (!FlightRecorder.isInitialized()) {
            return false;
        }
        if (recorded.getAndIncrement() == 0) {
            FlightEvent.began(connection.name(), now() - began);
        }
        return true;
    }

    /** Calls the listener, which may wait: not on a thread that may be reading. */
    private void report(boolean mayBeReading, Runnable telling) {
        if (mayBeReading) {
            connection.dispatcher.runBeside(() -> contained(telling));
        } else {
            contained(telling);
        }
    }

    private void contained(Runnable telling) {
        try {
            telling.run();
        } catch (RuntimeException | Error e) {
            connection.dispatcher.problem(
                    Problem.Kind.NOTIFICATION_FAILED, "the connection's listener failed: " + e, e);
        }
    }

    /**
     * An event of a connection for the JDK's flight recorder, committed when the reported operation is over. While it
     * does not record they cost next to nothing.
     */
    @SuppressWarnings("UnusedVariable") // The recorder reads the fields.
    @Category("acp4j")
    @StackTrace(false)
    private abstract static class FlightEvent extends Event {
        @Label("Connection")
        String connection = "";

        @Label("Time")
        @Timespan(Timespan.NANOSECONDS)
        long time;

        final void commitFor(String name, long nanos) {
            connection = name;
            time = nanos;
            commit();
        }

        @Name("dev.acp4j.ConnectionBegan")
        @Label("Connection Began")
        private static final class ConnectionBegan extends FlightEvent {}

        @Name("dev.acp4j.ConnectionEnded")
        @Label("Connection Ended")
        private static final class ConnectionEnded extends FlightEvent {
            @Label("Failure")
            @Nullable
            String failure;
        }

        @Name("dev.acp4j.RequestHandled")
        @Label("Request Handled")
        private static final class RequestHandled extends FlightEvent {
            @Label("Method")
            String method = "";

            @Label("Error Code")
            int error;
        }

        @Name("dev.acp4j.CallEnded")
        @Label("Call Ended")
        private static final class CallEnded extends FlightEvent {
            @Label("Method")
            String method = "";

            @Label("Failure")
            @Nullable
            String failure;
        }

        /** Committed with the first message that is recorded; the time is how long ago the connection began. */
        static void began(String connection, long nanos) {
            ConnectionBegan event = new ConnectionBegan();
            if (event.isEnabled()) {
                event.commitFor(connection, nanos);
            }
        }

        static void ended(String connection, long nanos, @Nullable Throwable failure) {
            ConnectionEnded event = new ConnectionEnded();
            if (event.isEnabled()) {
                event.failure = nameOf(failure);
                event.commitFor(connection, nanos);
            }
        }

        static void handled(String connection, String method, long nanos, @Nullable RpcError error) {
            RequestHandled event = new RequestHandled();
            if (event.isEnabled()) {
                event.method = method;
                event.error = error == null ? 0 : error.code();
                event.commitFor(connection, nanos);
            }
        }

        static void called(String connection, String method, long nanos, @Nullable RpcException failure) {
            CallEnded event = new CallEnded();
            if (event.isEnabled()) {
                event.method = method;
                event.failure = nameOf(failure);
                event.commitFor(connection, nanos);
            }
        }

        /** Not the message: it may hold what a recording should not. */
        private static @Nullable String nameOf(@Nullable Throwable failure) {
            return failure == null ? null : failure.getClass().getSimpleName();
        }
    }
}
