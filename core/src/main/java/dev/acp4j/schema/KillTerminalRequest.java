package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Requests that the client end a command. The terminal remains, with its output and its exit status, until it is
 * released.
 *
 * @param sessionId the session the terminal belongs to
 * @param terminalId the terminal
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals#killing-commands">Killing commands</a>
 */
@Codable
public record KillTerminalRequest(SessionId sessionId, TerminalId terminalId, Rest rest) implements Extensible {
    @Evolving
    public KillTerminalRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(terminalId, "terminalId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static KillTerminalRequest of(SessionId sessionId, TerminalId terminalId) {
        return new KillTerminalRequest(sessionId, terminalId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public KillTerminalRequest withMeta(Meta meta) {
        return new KillTerminalRequest(sessionId, terminalId, rest.withMeta(meta));
    }
}
