package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Requests that the client release a terminal, and end its command if it still runs. The id is invalid afterwards; a
 * tool call that shows the terminal continues to show its output.
 *
 * @param sessionId the session the terminal belongs to
 * @param terminalId the terminal
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals#releasing-terminals">Releasing terminals</a>
 */
@Codable
public record ReleaseTerminalRequest(SessionId sessionId, TerminalId terminalId, Rest rest) implements Extensible {
    @Evolving
    public ReleaseTerminalRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(terminalId, "terminalId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static ReleaseTerminalRequest of(SessionId sessionId, TerminalId terminalId) {
        return new ReleaseTerminalRequest(sessionId, terminalId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public ReleaseTerminalRequest withMeta(Meta meta) {
        return new ReleaseTerminalRequest(sessionId, terminalId, rest.withMeta(meta));
    }
}
