package dev.acp4j.http;

import dev.acp4j.rpc.RequestId;

/** What is kept of one connection: the logs of its streams, and what its agent has still to answer. */
interface ConnectionStore {
    /** Returns the log of a further stream of a session. */
    StreamLog log(String session);

    /** The agent has answered {@code initialize}. */
    void initialized(boolean isVersion1);

    /** A request of the client was taken. */
    void asked(RequestId id, String method, String session);

    /** The answer to a request is in a log. */
    void answered(RequestId id);

    /** The connection is over, and nobody comes back to it. */
    void end();
}
