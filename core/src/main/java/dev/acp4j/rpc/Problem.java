package dev.acp4j.rpc;

import org.jspecify.annotations.Nullable;

/**
 * Something about the traffic that did not end the connection but that somebody may want to know.
 *
 * @param kind what it is
 * @param detail one line for people; it may hold the beginning of a line that was not a message, never params of one
 * @param cause the exception behind it, or null
 */
public record Problem(Kind kind, String detail, @Nullable Throwable cause) {
    /** What can be wrong. */
    public enum Kind {
        /** The peer wrote something that is not JSON, for example a banner or a log line on standard output. */
        NOISE,
        /** The peer sent JSON that is not a message. */
        MALFORMED,
        /** A message was larger than allowed and was skipped. */
        TOO_LARGE,
        /** An answer came to no call that is known. */
        UNKNOWN_RESPONSE,
        /** A notification could not be read, or its handler failed: what it says is lost. */
        NOTIFICATION_FAILED,
        /** An interceptor failed; the message that it intercepted was dropped, or refused if it was a request. */
        INTERCEPTOR_FAILED,
        /** A request's handler failed with an exception of its own; the peer got an internal error. */
        REQUEST_FAILED,
        /** The peer sent a notification that nobody handles. */
        UNHANDLED_NOTIFICATION,
        /**
         * An answer was delivered before earlier notifications were done: their handlers wait for it, or for the peer.
         */
        OUT_OF_ORDER,
        /**
         * A message that is passed on was queued beyond the bound of the outgoing queue: the peers of both connections
         * write, and neither reads before what it writes is read.
         */
        CROWDED,
        /** A client that watches a session reads too slowly: it was detached from the session and may resume it. */
        TOO_SLOW,
        /** An observer of a proxy is too slow: messages were not shown to it, and were counted. */
        OBSERVER_TOO_SLOW,
        /** A transport that repairs what is cut on the way has lost something, or could not put something back. */
        TRANSPORT,
        /** A handler has not returned for {@link Limits#barrierPatience()}: an answer behind it was delivered. */
        HANDLER_STUCK
    }
}
