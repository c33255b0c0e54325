package dev.acp4j.http;

/**
 * The names that the drafts of the transport give to headers, methods and members. The draft on durable streams
 * changes, and only this class then.
 */
final class Wire {
    /** The only path of the endpoint unless another one is configured. */
    static final String PATH = "/acp";

    static final String JSON = "application/json";
    static final String EVENTS = "text/event-stream";

    // Headers.
    static final String CONNECTION_ID = "Acp-Connection-Id";
    static final String SESSION_ID = "Acp-Session-Id";
    static final String PROTOCOL_VERSION = "Acp-Protocol-Version";
    static final String LAST_EVENT_ID = "Last-Event-ID";
    static final String IDEMPOTENCY_KEY = "Idempotency-Key";

    // Members of _meta.
    static final String CURSOR = "acp/cursor";
    static final String TURN_STATE = "acp/turnState";

    /** In the result of a load: the cursor behind the last message of its replay. */
    static final String AFTER = "acp4j/after";

    static final String CONNECTION = "acp4j/connectionId";

    /** In the answer to {@code initialize}, for the client alone: the agent is not on this machine. */
    static final String ELSEWHERE = "acp4j/elsewhere";

    /** In {@code initialize}: the client wants the updates of sessions numbered by servers that keep them. */
    static final String NUMBERS = "acp4j/updateNumbers";

    /** The number of an update; in the result that opens a session, that of the last one before. */
    static final String UPDATE = "acp4j/update";

    /** In that result: that some of the updates since the last one that the client has got are kept no more. */
    static final String UPDATES_LOST = "acp4j/updatesLost";

    /** In the request that opens a session: the number of the last update that the client has got. */
    static final String SEEN = "acp4j/seen";

    /** The capability of the transport, in {@code capabilities} or {@code agentCapabilities}. */
    static final String TRANSPORT = "transport";

    static final String RESUMABLE = "resumable";
    static final String RETENTION_MESSAGES = "retentionMessages";
    static final String RETENTION_SECONDS = "retentionSeconds";
    static final String RETENTION_BYTES = "retentionBytes";
    static final String GRACE_SECONDS = "graceSeconds";
    static final String KEEP_ALIVE_SECONDS = "keepAliveSeconds";

    /** In the {@code _meta} of the capability: whether a POST may carry a key. */
    static final String IDEMPOTENCY = "acp4j/idempotencyKeys";

    /**
     * In the {@code _meta} of the capability: what a client that has got nothing of a stream, not even its first
     * position, sends as {@link #LAST_EVENT_ID} when it opens the stream again.
     */
    static final String FROM_BEGINNING = "acp4j/beginning";

    static final String BEGINNING = "0";

    // On a WebSocket.
    static final String SUBPROTOCOL = "acp";

    static final String RESUME = "stream/resume";
    static final String RESUME_FAILED = "stream/resume_failed";

    // On a line that is used like a WebSocket: what is in its upgrade and in its frames of control.
    static final String OPEN = "stream/open";
    static final String PING = "stream/ping";
    static final String PONG = "stream/pong";
    static final String CLOSE = "stream/close";

    // Reasons in the body of a refusal.
    static final String STREAM_IN_USE = "stream_in_use";
    static final String CURSOR_UNKNOWN = "cursor_unknown";
    static final String CURSOR_EXPIRED = "cursor_expired";
    static final String DRAINING = "draining";
    static final String TOO_MANY_REQUESTS = "too_many_requests";
    static final String TOO_MANY_STREAMS = "too_many_streams";

    /** In the data of an error that a transport answers a lost call with. */
    static final String OUTCOME_UNKNOWN = "outcome_unknown";

    static final String TRANSPORT_FAILED = "transport_failed";

    /** The server refuses the credential, or that there is none. */
    static final String NOT_ALLOWED = "not_allowed";

    /** It does so, and names where to log in. */
    static final String LOGIN_REQUIRED = "login_required";

    /** The certificate of the server is not trusted, or that of the client is not. */
    static final String TLS = "tls";

    private Wire() {}
}
