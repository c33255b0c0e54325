package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that the command has started.
 *
 * @param terminalId the terminal it runs in
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals#executing-commands">Executing commands</a>
 */
@Codable
public record CreateTerminalResponse(TerminalId terminalId, Meta meta) {
    @Evolving
    public CreateTerminalResponse {
        Objects.requireNonNull(terminalId, "terminalId is null");
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the response with these members. */
    public static CreateTerminalResponse of(TerminalId terminalId) {
        return new CreateTerminalResponse(terminalId, Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public CreateTerminalResponse withMeta(Meta meta) {
        return new CreateTerminalResponse(terminalId, meta);
    }
}
