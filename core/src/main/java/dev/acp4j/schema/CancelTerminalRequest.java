package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * Requests the end of one terminal. Only while the terminal has {@link TerminalCapabilities#cancel()}.
 *
 * @param sessionId the session it belongs to
 * @param terminalId the terminal
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v2/tool-calls#cancelling-terminals">Cancelling terminals</a>
 */
@Codable
@In(2)
@Unstable
public record CancelTerminalRequest(SessionId sessionId, TerminalId terminalId, Rest rest) implements Extensible {
    @Evolving
    public CancelTerminalRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(terminalId, "terminalId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static CancelTerminalRequest of(SessionId sessionId, TerminalId terminalId) {
        return new CancelTerminalRequest(sessionId, terminalId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public CancelTerminalRequest withMeta(Meta meta) {
        return new CancelTerminalRequest(sessionId, terminalId, rest.withMeta(meta));
    }
}
