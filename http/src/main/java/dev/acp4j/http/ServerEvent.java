package dev.acp4j.http;

import dev.acp4j.schema.Unstable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What happens at a server, for logs and metrics. No event has a token, a cookie, an id by which a connection could be
 * used, or anything of a message.
 */
@Unstable
public sealed interface ServerEvent {
    /**
     * A client has begun a connection.
     *
     * @param principal who it is
     * @param connection names the connection in further events
     */
    record ConnectionOpened(Principal principal, String connection) implements ServerEvent {}

    /**
     * A connection has ended.
     *
     * @param principal whose it was
     * @param connection its name in earlier events
     * @param reason why, in words
     */
    record ConnectionEnded(Principal principal, String connection, String reason) implements ServerEvent {}

    /**
     * A client reads a stream of events of a connection, or a WebSocket reads all of them.
     *
     * @param connection its name in earlier events
     * @param resumes whether it goes on behind what an earlier reader has got
     */
    record StreamOpened(String connection, boolean resumes) implements ServerEvent {}

    /**
     * A client reads a stream of events no more, or all of them over a WebSocket: it has ended, was cut, or another
     * client took over.
     *
     * @param connection its name in earlier events
     */
    record StreamClosed(String connection) implements ServerEvent {}

    /**
     * A request was refused.
     *
     * @param status the status of the answer; 0 when nobody waited for one
     * @param reason one word of a fixed set, such as {@code stream_in_use}
     * @param address from where it came, as far as trusted proxies say it; empty when that is not known
     * @param method the method of HTTP; empty when a socket was refused before its request
     * @param principal who sent it; null when that was not known yet, as for all wrong credentials
     * @param connection the name, as in earlier events, of the connection for which it was; empty for none
     */
    record Refused(
            int status,
            String reason,
            String address,
            String method,
            @Nullable Principal principal,
            String connection) implements ServerEvent {}

    /**
     * The certificate or its key has changed and cannot be used, so the server goes on with what it has.
     *
     * @param problem what is wrong, with the names of the files
     */
    record CertificateKept(String problem) implements ServerEvent {}

    /**
     * Something cannot be kept in the store, or was kept there and cannot be read. Connections go on, and end with the
     * process.
     *
     * @param problem what is wrong, with the name of the folder
     */
    record StoreFailed(String problem) implements ServerEvent {}

    /**
     * The number of bytes that the server holds has changed; at most once a second.
     *
     * @param queued of messages that wait for an agent or a client
     * @param retained of messages that were sent, and are kept for clients that come back
     * @param slowed how many connections have all that may wait of them at present, so that their agents wait, since
     *     that of all clients comes near {@link ServerLimits#queuedBytesInAll()}
     */
    record BytesHeld(long queued, long retained, int slowed) implements ServerEvent {}

    /** The server accepts no more connections and requests, and waits for its turns to end. */
    record Draining() implements ServerEvent {}

    /** Returns the name of a connection that tells nothing of its id. */
    static String hash(String id) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
