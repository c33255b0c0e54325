package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import java.util.Objects;

/**
 * The methods for text files that a client has.
 *
 * @param readTextFile whether it has {@code fs/read_text_file}
 * @param writeTextFile whether it has {@code fs/write_text_file}
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/file-system#checking-support">Checking support</a>
 */
@Codable
public record FileSystemCapabilities(
        @DefaultTo("false") @DefaultOnError boolean readTextFile,
        @DefaultTo("false") @DefaultOnError boolean writeTextFile,
        Rest rest)
        implements Extensible {
    /** A client without these methods. */
    public static final FileSystemCapabilities NONE = new FileSystemCapabilities(false, false, Rest.NONE);

    @Evolving
    public FileSystemCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder without any capability. */
    public static FileSystemCapabilitiesBuilder builder() {
        return new FileSystemCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public FileSystemCapabilitiesBuilder toBuilder() {
        return new FileSystemCapabilitiesBuilder(this);
    }
}
