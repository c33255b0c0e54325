package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * A variable in the environment of a process. Values are often secret, so {@link #toString()} omits them.
 *
 * @param name the name
 * @param value the value, which may be empty
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#stdio-transport">Stdio transport</a>
 */
@Codable
public record EnvVariable(String name, String value, Rest rest) implements Extensible {
    @Evolving
    public EnvVariable {
        Objects.requireNonNull(name, "name is null");
        Objects.requireNonNull(value, "value is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the env variable with these members. */
    public static EnvVariable of(String name, String value) {
        return new EnvVariable(name, value, Rest.NONE);
    }

    /** Returns the name, without the value. */
    @Override
    public String toString() {
        return "EnvVariable[name=" + name + "]";
    }

    /** Returns a copy with other extension data. */
    public EnvVariable withMeta(Meta meta) {
        return new EnvVariable(name, value, rest.withMeta(meta));
    }
}
