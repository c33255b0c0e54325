package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Waits for the end of a command. The response is sent then.
 *
 * @param sessionId the session the terminal belongs to
 * @param terminalId the terminal
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals#waiting-for-exit">Waiting for exit</a>
 */
@Codable
public record WaitForTerminalExitRequest(SessionId sessionId, TerminalId terminalId, Rest rest) implements Extensible {
    @Evolving
    public WaitForTerminalExitRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(terminalId, "terminalId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static WaitForTerminalExitRequest of(SessionId sessionId, TerminalId terminalId) {
        return new WaitForTerminalExitRequest(sessionId, terminalId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public WaitForTerminalExitRequest withMeta(Meta meta) {
        return new WaitForTerminalExitRequest(sessionId, terminalId, rest.withMeta(meta));
    }
}
