package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * One of the answers a user can give to a permission request.
 *
 * @param optionId names the option in the answer
 * @param name the text to show
 * @param kind what choosing it means
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public PermissionOption withMeta(Meta meta) {
        return new PermissionOption(optionId, name, kind, rest.withMeta(meta));
    }
}
