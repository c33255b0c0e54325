package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that the file has been written.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/file-system#writing-files">Writing files</a>
 */
@Codable
public record WriteTextFileResponse(Meta meta) {
    @Evolving
    public WriteTextFileResponse {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the response with these members. */
    public static WriteTextFileResponse of() {
        return new WriteTextFileResponse(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public WriteTextFileResponse withMeta(Meta meta) {
        return new WriteTextFileResponse(meta);
    }
}
