package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * One of the options of a permission request.
 *
 * @param optionId identifies the option in the response
 * @param name the text to show
 * @param kind the meaning of choosing it
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#permission-options">Permission options</a>
 */
@Codable
public record PermissionOption(PermissionOptionId optionId, String name, PermissionOptionKind kind, Rest rest)
        implements Extensible {
    @Evolving
    public PermissionOption {
        Objects.requireNonNull(optionId, "optionId is null");
        Objects.requireNonNull(name, "name is null");
        Objects.requireNonNull(kind, "kind is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the permission option with these members. */
    public static PermissionOption of(PermissionOptionId optionId, String name, PermissionOptionKind kind) {
        return new PermissionOption(optionId, name, kind, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public PermissionOption withMeta(Meta meta) {
        return new PermissionOption(optionId, name, kind, rest.withMeta(meta));
    }
}
