package dev.acp4j.workspace;

import dev.acp4j.rpc.RpcError;
import java.io.Serial;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A request for a file or a terminal failed. The message is written for the agent: it names the requested file or
 * terminal and, if possible, the next step, and reveals nothing that the agent could not see anyway.
 */
public abstract sealed class WorkspaceException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final int code;

    private WorkspaceException(int code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** Returns this as the error response for the agent. */
    public RpcError toRpcError() {
        RpcError answer = new RpcError(code, String.valueOf(getMessage()));
        answer.initCause(this);
        return answer;
    }

    /** An argument that is always invalid, such as a path that is not absolute. */
    public static final class InvalidArgument extends WorkspaceException {
        @Serial
        private static final long serialVersionUID = 1;

        InvalidArgument(String message) {
            super(RpcError.INVALID_PARAMS, message, null);
        }
    }

    /**
     * A path that leads out of the session's folders, or may do so: a dangling symbolic link, a folder that was
     * replaced while the file was being opened.
     */
    public static final class OutsideRoots extends WorkspaceException {
        @Serial
        private static final long serialVersionUID = 1;

        OutsideRoots(Path path, String reason, @Nullable Throwable cause) {
            super(RpcError.INVALID_PARAMS, path + " " + reason, cause);
        }
    }

    /** A path inside the session's folders that does not exist. */
    public static final class NotFound extends WorkspaceException {
        @Serial
        private static final long serialVersionUID = 1;

        NotFound(Path path) {
            super(RpcError.RESOURCE_NOT_FOUND, path + " does not exist", null);
        }
    }

    /** A folder where a file was expected or the reverse, or something special such as a pipe or a device. */
    public static final class WrongKind extends WorkspaceException {
        @Serial
        private static final long serialVersionUID = 1;

        WrongKind(Path path, String reason) {
            super(RpcError.INVALID_PARAMS, path + " " + reason, null);
        }
    }

    /** Text larger than the limit. */
    public static final class TooLarge extends WorkspaceException {
        @Serial
        private static final long serialVersionUID = 1;

        TooLarge(Path path, String reason) {
            super(RpcError.INVALID_PARAMS, path + " " + reason, null);
        }
    }

    /** Bytes that are not UTF-8, or characters that UTF-8 cannot hold. */
    public static final class NotText extends WorkspaceException {
        @Serial
        private static final long serialVersionUID = 1;

        NotText(Path path, String reason) {
            super(RpcError.INVALID_PARAMS, path + " " + reason, null);
        }
    }

    /** A failure of the operating system: no permission, no space, a disk error. */
    public static final class Failed extends WorkspaceException {
        @Serial
        private static final long serialVersionUID = 1;

        Failed(String message, @Nullable Throwable cause) {
            super(RpcError.INTERNAL_ERROR, message, cause);
        }
    }

    /** A terminal that was never created, or has been released. */
    public static final class UnknownTerminal extends WorkspaceException {
        @Serial
        private static final long serialVersionUID = 1;

        UnknownTerminal(String id) {
            super(RpcError.RESOURCE_NOT_FOUND, "there is no terminal " + id + ", or it has been released", null);
        }
    }

    /** The maximum number of terminals is open. */
    public static final class TooManyTerminals extends WorkspaceException {
        @Serial
        private static final long serialVersionUID = 1;

        TooManyTerminals(int open) {
            super(RpcError.INVALID_REQUEST, open + " terminals are open, which is the limit; release one first", null);
        }
    }

    /** A command that could not be started. */
    public static final class NotStarted extends WorkspaceException {
        @Serial
        private static final long serialVersionUID = 1;

        NotStarted(String message, @Nullable Throwable cause) {
            super(RpcError.INVALID_PARAMS, message, cause);
        }
    }
}
