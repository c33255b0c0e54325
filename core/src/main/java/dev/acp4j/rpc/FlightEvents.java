package dev.acp4j.rpc;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** The events of connections for the JDK's flight recorder. While it does not record they cost next to nothing. */
@SuppressWarnings("UnusedVariable") // The recorder reads the fields.
final class FlightEvents {
    private FlightEvents() {}

    /** What all of them have. They are committed when what they tell of is over. */
    @Category("acp4j")
    @StackTrace(false)
    private abstract static class OfConnection extends Event {
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
    }

    @Name("dev.acp4j.ConnectionBegan")
    @Label("Connection Began")
    private static final class ConnectionBegan extends OfConnection {}

    @Name("dev.acp4j.ConnectionEnded")
    @Label("Connection Ended")
    private static final class ConnectionEnded extends OfConnection {
        @Label("Failure")
        @Nullable
        String failure;
    }

    @Name("dev.acp4j.RequestHandled")
    @Label("Request Handled")
    private static final class RequestHandled extends OfConnection {
        @Label("Method")
        String method = "";

        @Label("Error Code")
        int error;
    }

    @Name("dev.acp4j.CallEnded")
    @Label("Call Ended")
    private static final class CallEnded extends OfConnection {
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
