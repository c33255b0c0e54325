package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import java.util.Objects;

/**
 * Which methods for text files a client has.
 *
 * @param readTextFile whether it has {@code fs/read_text_file}
 * @param writeTextFile whether it has {@code fs/write_text_file}
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/file-system#checking-support">Checking support</a>
 */
@Codable
public record FileSystemCapabilities(
        @DefaultTo("false") @DefaultOnError boolean readTextFile,
        @DefaultTo("false") @DefaultOnError boolean writeTextFile,
        Rest rest)
        implements Extensible {
    /** A client that has none of them. */
    public static final FileSystemCapabilities NONE = new FileSystemCapabilities(false, false, Rest.NONE);

    @Evolving
    public FileSystemCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts capabilities that promise nothing. */
    public static FileSystemCapabilitiesBuilder builder() {
        return new FileSystemCapabilitiesBuilder();
    }

    /** Returns a builder that starts from this. */
    public FileSystemCapabilitiesBuilder toBuilder() {
        return new FileSystemCapabilitiesBuilder(this);
    }
}
