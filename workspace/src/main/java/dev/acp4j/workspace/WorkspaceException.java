package dev.acp4j.workspace;

import dev.acp4j.rpc.RpcError;
import java.io.Serial;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file or a terminal that the agent asked for and does not get. The message is written for the agent: it names what
 * was asked for and, where there is one, the way out, and tells nothing that the agent could not see anyway.
 */
public abstract sealed class WorkspaceException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final int code;

    private WorkspaceException(int code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** Returns this as the answer for the agent. */
    public RpcError toRpcError() {
        RpcError answer = new RpcError(code, String.valueOf(getMessage()));
        answer.initCause(this);
        return answer;
    }

    /** An argument that no state of the machine could make right, such as a path that is not absolute. */
    public static final class InvalidArgument extends WorkspaceException {
        @Serial
        private static final long serialVersionUID = 1;

        InvalidArgument(String message) {
            super(RpcError.INVALID_PARAMS, message, null);
        }
    }

    /**
     * A path that leads out of the session's folders, or of which that cannot be ruled out: a symbolic link that leads
     * nowhere, a folder that was exchanged while the file was being opened.
     */
    public static final class OutsideRoots extends WorkspaceException {
        @Serial
        private static final long serialVersionUID = 1;

        OutsideRoots(Path path, String reason, @Nullable Throwable cause) {
            super(RpcError.INVALID_PARAMS, path + " " + reason, cause);
        }
    }

    /** A path inside the session's folders at which there is nothing. */
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

    /** More text than is read or written at once. */
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

    /** The operating system refused or failed: no permission, no space, an error of the disk. */
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

    /** As many terminals as are allowed at once are open. */
    public static final class TooManyTerminals extends WorkspaceException {
        @Serial
        private static final long serialVersionUID = 1;

        TooManyTerminals(int open) {
            super(
                    RpcError.INVALID_REQUEST,
                    open + " terminals are open, which is as many as are allowed; release one first",
                    null);
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
