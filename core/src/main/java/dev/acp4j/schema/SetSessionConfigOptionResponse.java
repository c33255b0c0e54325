package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;

/**
 * Gives the values of all settings of the session, because setting one can change others.
 *
 * @param configOptions all settings, most important first
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#from-the-client">Setting a config
 *     option</a>
 */
@Codable
public record SetSessionConfigOptionResponse(
        @DefaultOnError(1) @SkipInvalidItems List<SessionConfigOption> configOptions, Rest rest) implements Extensible {
    @Evolving
    public SetSessionConfigOptionResponse {
        configOptions = List.copyOf(configOptions);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static SetSessionConfigOptionResponse of(List<SessionConfigOption> configOptions) {
        return new SetSessionConfigOptionResponse(configOptions, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SetSessionConfigOptionResponse withMeta(Meta meta) {
        return new SetSessionConfigOptionResponse(configOptions, rest.withMeta(meta));
    }
}
