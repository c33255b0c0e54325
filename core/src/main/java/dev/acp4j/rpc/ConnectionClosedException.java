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
}
