package dev.acp4j;

import dev.acp4j.rpc.PeerErrorException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethod;
import java.util.List;

/** The agent wants the user to authenticate first, in one of the ways that it offers. */
public final class AuthenticationRequiredException extends PeerErrorException {
    private static final long serialVersionUID = 1L;

    private final transient List<AuthMethod> methods;

    private AuthenticationRequiredException(PeerErrorException error, List<AuthMethod> methods) {
        super(error.method(), error.code(), error.peerMessage(), error.data().orElse(null));
        this.methods = methods;
    }

    static PeerErrorException orSame(PeerErrorException error, List<AuthMethod> methods) {
        return error.code() == RpcError.AUTH_REQUIRED ? new AuthenticationRequiredException(error, methods) : error;
    }

    /** Returns the ways to authenticate, for {@link AgentConnection#authenticate}. */
    public List<AuthMethod> methods() {
        return methods;
    }
}
