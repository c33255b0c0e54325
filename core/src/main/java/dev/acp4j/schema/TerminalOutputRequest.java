package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Requests the output of a command so far, without waiting.
 *
 * @param sessionId the session the terminal belongs to
 * @param terminalId the terminal
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals#getting-output">Getting output</a>
 */
@Codable
public record TerminalOutputRequest(SessionId sessionId, TerminalId terminalId, Rest rest) implements Extensible {
    @Evolving
    public TerminalOutputRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(terminalId, "terminalId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static TerminalOutputRequest of(SessionId sessionId, TerminalId terminalId) {
        return new TerminalOutputRequest(sessionId, terminalId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public TerminalOutputRequest withMeta(Meta meta) {
        return new TerminalOutputRequest(sessionId, terminalId, rest.withMeta(meta));
    }
}
