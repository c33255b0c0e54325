package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Confirms that the command has started.
 *
 * @param terminalId the terminal it runs in
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals#executing-commands">Executing commands</a>
 */
@Codable
public record CreateTerminalResponse(TerminalId terminalId, Rest rest) implements Extensible {
    @Evolving
    public CreateTerminalResponse {
        Objects.requireNonNull(terminalId, "terminalId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static CreateTerminalResponse of(TerminalId terminalId) {
        return new CreateTerminalResponse(terminalId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public CreateTerminalResponse withMeta(Meta meta) {
        return new CreateTerminalResponse(terminalId, rest.withMeta(meta));
    }
}
