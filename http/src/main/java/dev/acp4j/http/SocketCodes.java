package dev.acp4j.http;

/** The codes by which a WebSocket is closed. */
final class SocketCodes {
    /** The client says goodbye. The server never does: an agent that has ended may be started again. */
    static final int NORMAL = 1000;

    /** The server stops, or the agent or the connection has ended. */
    static final int GOING_AWAY = 1001;

    /** The client does not keep to the protocol. */
    static final int PROTOCOL = 1002;

    /** A limit, or a connection that cannot be gone on with. */
    static final int POLICY = 1008;

    /** Never sent: the close frame had no code, as that of a browser's {@code close()}. */
    static final int NO_CODE = 1005;

    /** Never sent: there was no close frame. */
    static final int CUT = 1006;

    static final int TOO_LARGE = 1009;
    static final int INTERNAL = 1011;

    /** No agent is to be had now. */
    static final int TRY_AGAIN = 1013;

    /** The credential is no longer valid: a client with another one resumes the connection. */
    static final int UNAUTHORIZED = 3000;

    private SocketCodes() {}
}
