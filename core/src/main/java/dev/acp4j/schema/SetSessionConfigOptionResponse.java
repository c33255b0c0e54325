package dev.acp4j.schema;

import java.util.List;
import java.util.Objects;

/**
 * Says which values the settings of the session have now, because setting one may change others.
 *
 * @param configOptions all settings, those that matter most first
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#from-the-client">Setting a config
 *     option</a>
 */
@Codable
public record SetSessionConfigOptionResponse(
        @DefaultOnError @SkipInvalidItems List<SessionConfigOption> configOptions, Meta meta) {
    @Evolving
    public SetSessionConfigOptionResponse {
        configOptions = List.copyOf(configOptions);
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the response with these members. */
    public static SetSessionConfigOptionResponse of(List<SessionConfigOption> configOptions) {
        return new SetSessionConfigOptionResponse(configOptions, Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public SetSessionConfigOptionResponse withMeta(Meta meta) {
        return new SetSessionConfigOptionResponse(configOptions, meta);
    }
}
