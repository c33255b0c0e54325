package dev.acp4j.rpc;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Tells a connection's listener and the flight recorder what the connection does. The classes of the events are loaded
 * when the recorder is in use, and not before: that takes tens of milliseconds, and the way to the first answer is
 * short.
 */
final class Measurements {
    private final Connection connection;
    private final @Nullable ConnectionListener listener;
    private final Time time;
    private final long began;

    /** How often it was seen that somebody records. Not an AtomicBoolean, which loads variable handles. */
    private final AtomicInteger recorded = new AtomicInteger();

    Measurements(Connection connection, @Nullable ConnectionListener listener, Time time) {
        this.connection = connection;
        this.listener = listener;
        this.time = time;
        this.began = time.nanoTime();
    }

    /** Whether somebody is told, which may take its time. */
    boolean areTaken() {
        return listener != null || FlightRecorder.isInitialized();
    }

    long now() {
        return time.nanoTime();
    }

    void began() {
        ConnectionListener told = listener;
        if (told != null) {
            contained(() -> told.began(connection));
        }
    }

    void handled(String method, long nanos, @Nullable RpcError error) {
        if (records()) {
            FlightEvents.handled(connection.name(), method, nanos, error);
        }
        ConnectionListener told = listener;
        if (told != null) {
            contained(() -> told.handled(connection, method, Duration.ofNanos(nanos), error));
        }
    }

    /** A call has its answer, or fails with the connection. */
    void called(Call call) {
        if (connection.state.beginMeasuring(call)) {
            called(call, call.failure());
        }
    }

    /** A call got no answer in time. */
    void timedOut(Call call, RequestTimeoutException failure) {
        if (connection.state.beginMeasuring(call)) {
            called(call, failure);
        }
    }

    private void called(Call call, @Nullable RpcException failure) {
        long nanos = now() - call.begun;
        if (records()) {
            FlightEvents.called(connection.name(), call.method(), nanos, failure);
        }
        ConnectionListener told = listener;
        if (told != null) {
            contained(() -> told.called(connection, call.method(), Duration.ofNanos(nanos), failure));
        }
    }

    void ended() {
        long nanos = now() - began;
        Throwable failure = connection.failure().orElse(null);
        if (records()) {
            FlightEvents.ended(connection.name(), nanos, failure);
        }
        ConnectionListener told = listener;
        if (told != null) {
            contained(() -> told.ended(connection, Duration.ofNanos(nanos), failure));
        }
    }

    /** Whether somebody has begun to record; the first time it tells that the connection began. */
    private boolean records() {
        if (!FlightRecorder.isInitialized()) {
            return false;
        }
        if (recorded.getAndIncrement() == 0) {
            FlightEvents.began(connection.name(), now() - began);
        }
        return true;
    }

    private void contained(Runnable telling) {
        try {
            telling.run();
        } catch (RuntimeException | Error e) {
            connection.dispatcher.problem(
                    Problem.Kind.NOTIFICATION_FAILED, "the connection's listener failed: " + e, e);
        }
    }
}
