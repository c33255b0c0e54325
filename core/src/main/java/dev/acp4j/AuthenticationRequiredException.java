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

    /** Returns what the agent said, and the ways to authenticate. */
    @Override
    public String getMessage() {
        StringBuilder text = new StringBuilder(super.getMessage()).append("; ");
        if (methods.isEmpty()) {
            return text.append("log in with the agent's own command").toString();
        }
        text.append("authenticate with one of");
        for (AuthMethod method : methods) {
            text.append(' ').append(id(method));
        }
        return text.toString();
    }

    private static String id(AuthMethod method) {
        return switch (method) {
            case AuthMethod.Agent agent -> agent.id().value();
            case AuthMethod.Terminal terminal -> terminal.id().value();
            case AuthMethod.Unknown unknown -> unknown.type();
        };
    }

    /** Returns the ways to authenticate, for {@link AgentConnection#authenticate}. */
    public List<AuthMethod> methods() {
        return methods;
    }
}
