package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;

/**
 * Says which values the settings of the session have now, because setting one may change others.
 *
 * @param configOptions all settings, those that matter most first
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public SetSessionConfigOptionResponse withMeta(Meta meta) {
        return new SetSessionConfigOptionResponse(configOptions, rest.withMeta(meta));
    }
}
