package dev.acp4j.schema;

import dev.acp4j.schema.codec.Draft;
import java.util.List;

/** Whether the user has to sign in before a session can be created. */
@Draft
@Unstable
public final class AuthState extends StringValue {
    /** There are credentials, which may have become invalid. */
    public static final AuthState AUTHENTICATED = new AuthState("authenticated");

    /** The user has to sign in: credentials are missing, expired, or known to be invalid. */
    public static final AuthState UNAUTHENTICATED = new AuthState("unauthenticated");

    /** The agent needs no credentials. */
    public static final AuthState NOT_REQUIRED = new AuthState("not_required");

    /** The agent cannot determine it. Any other value means the same. */
    public static final AuthState UNKNOWN = new AuthState("unknown");

    private AuthState(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static AuthState of(String value) {
        return new AuthState(value);
    }

    /** Returns the constants. */
    public static List<AuthState> known() {
        return StringValueCodec.AUTH_STATE.known();
    }
}
