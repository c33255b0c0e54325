package dev.acp4j.rpc;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The connection ended before the answer came, or was already closed when the call was made. */
public non-sealed class ConnectionClosedException extends RpcException {
    private static final long serialVersionUID = 1L;

    private final @Nullable String method;

    /**
     * Creates the exception.
     *
     * @param message why the connection ended
     * @param method the method that was waiting for its answer, or null when none was
     * @param cause the failure that ended the connection, or null after a clean end
     */
    public ConnectionClosedException(String message, @Nullable String method, @Nullable Throwable cause) {
        super(message, cause);
        this.method = method;
    }

    @Override
    public String nextStep() {
        if (getCause() instanceof OutOfMemoryError) {
            return "Give this program a larger heap, such as -Xmx2g, or the agent a smaller task.";
        }
        return "Connect again; if that does not help, update the older side, or see the log of the other one.";
    }

    /** Returns the method whose answer will not come, if the end of the connection interrupted a call. */
    public Optional<String> method() {
        return Optional.ofNullable(method);
    }

    /**
     * Makes the exceptions that calls fail with when the connection ends, so that they can say more than the connection
     * knows.
     */
    @FunctionalInterface
    public interface Factory {
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
}
