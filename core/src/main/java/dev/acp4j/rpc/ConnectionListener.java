package dev.acp4j.rpc;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Is told what connections do, to count and to measure it: adapters to libraries for metrics implement this. One
 * listener may be given to many connections.
 *
 * <p>It is called on threads of the connection, when what it is told of is over, for example when an answer is on its
 * way, and that of several in any order. So it returns soon, and uses the connection for nothing but its name. What it
 * throws is reported as a problem. The same is told to the JDK's flight recorder while that records.
 */
public interface ConnectionListener {
    /** A connection begins to read and write. */
    default void began(Connection connection) {}

    /**
     * A request of the peer was answered, or refused without being handled.
     *
     * @param connection where
     * @param method the method
     * @param time from reading the request to having its answer ready
     * @param error the error that it was answered with, or null
     */
    default void handled(Connection connection, String method, Duration time, @Nullable RpcError error) {}

    /**
     * A call of ours is over: answered, too late, or failed with the connection. One that was interrupted is told when
     * its answer comes; one that was refused before it was sent may not be told.
     *
     * @param connection where
     * @param method the method
     * @param time from making the request to having its answer, or to the end of the time for it
     * @param failure why there is no result, or null
     */
    default void called(Connection connection, String method, Duration time, @Nullable RpcException failure) {}

    /**
     * A connection has ended.
     *
     * @param connection which one
     * @param time how long it lasted
     * @param failure what ended it, or null after a clean end
     */
    default void ended(Connection connection, Duration time, @Nullable Throwable failure) {}
}
