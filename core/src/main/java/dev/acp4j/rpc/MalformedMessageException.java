package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The peer's answer broke JSON-RPC or did not have the shape that the protocol gives it. The connection lives on. */
public final class MalformedMessageException extends RpcException {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable RawJson raw;

    /**
     * Creates the exception.
     *
     * @param message what was expected, what came, and where
     * @param raw what came, or null when it is not at hand
     * @param cause the decoder's exception, if one was thrown
     */
    public MalformedMessageException(String message, @Nullable RawJson raw, @Nullable Throwable cause) {
        super(message, cause);
        this.raw = raw;
    }

    @Override
    public String nextStep() {
        return "Update the peer; if that does not help, report it to its authors. A Tracer records what it sends.";
    }

    /** Returns the value that could not be understood. */
    public Optional<RawJson> raw() {
        return Optional.ofNullable(raw);
    }
}
