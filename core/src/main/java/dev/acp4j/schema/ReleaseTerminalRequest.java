package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Asks the client to free a terminal, and to end its command if it still runs. The id is void afterwards; a tool call
 * that shows the terminal goes on showing what it put out.
 *
 * @param sessionId the session the terminal belongs to
 * @param terminalId the terminal
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public ReleaseTerminalRequest withMeta(Meta meta) {
        return new ReleaseTerminalRequest(sessionId, terminalId, rest.withMeta(meta));
    }
}
