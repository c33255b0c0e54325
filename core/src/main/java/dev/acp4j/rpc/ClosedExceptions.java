package dev.acp4j.rpc;

import org.jspecify.annotations.Nullable;

/**
 * Makes the exceptions that calls fail with when the connection ends, so that they can say more than the connection
 * knows.
 */
@FunctionalInterface
public interface ClosedExceptions {
    /**
     * Returns the exception.
     *
     * @param method the method that was called
     * @param failure what ended the connection, or null after a clean end
     */
    ConnectionClosedException create(String method, @Nullable Throwable failure);

    /** Returns the exception that says what the connection knows. */
    static ConnectionClosedException plainly(String method, @Nullable Throwable failure) {
        return new ConnectionClosedException(method + ": " + why(failure), method, failure);
    }

    private static String why(@Nullable Throwable failure) {
        if (failure instanceof OutOfMemoryError) {
            long heap = Runtime.getRuntime().maxMemory() / (1024 * 1024);
            return "this program ran out of memory, of which it may take " + heap
                    + " MiB, so the connection was closed";
        }
        return failure == null ? "the connection is closed" : "the connection failed: " + failure.getMessage();
    }
}
