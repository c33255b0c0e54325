package dev.acp4j;

import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethod;
import java.util.ArrayList;
import java.util.List;

/** The agent wants the user to authenticate first, in one of the ways that it offers. */
public final class AuthenticationRequiredException extends RpcError {
    private static final long serialVersionUID = 1L;

    private final transient List<AuthMethod> methods;
    private final String ids;

    private AuthenticationRequiredException(RpcError error, List<AuthMethod> methods) {
        super(error);
        this.methods = methods;
        this.ids = ids(methods);
    }

    static RpcError orSame(RpcError error, List<AuthMethod> methods) {
        return error.code() == RpcError.AUTH_REQUIRED ? new AuthenticationRequiredException(error, methods) : error;
    }

    /** Returns what the agent said, and the ways to authenticate. */
    @Override
    public String getMessage() {
        return super.getMessage() + "; "
                + (ids.isEmpty() ? "log in with the agent's own command" : "authenticate with one of " + ids);
    }

    @Override
    public String nextStep() {
        return ids.isEmpty()
                ? "Log in with the agent's own command, then try again."
                : "Call authenticate with one of " + ids + ", then try again.";
    }

    private static String ids(List<AuthMethod> methods) {
        List<String> ids = new ArrayList<>();
        for (AuthMethod method : methods) {
            ids.add(method.id().value());
        }
        return String.join(" ", ids);
    }

    /** Returns the ways to authenticate, for {@link ConnectedAgent#authenticate}. */
    public List<AuthMethod> methods() {
        return methods;
    }
}
