package dev.acp4j.http;

import dev.acp4j.schema.Unstable;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whom a request comes from. A connection belongs to the principal that initialized it; requests of others do not find
 * it.
 *
 * @param name its name, unique on this server: requests with the same name have the same connections
 * @param groups what it belongs to, for programs that decide by it; empty when nothing is known
 */
@Unstable
public record Principal(String name, Set<String> groups) {
    /** Everybody, on a server without authentication. */
    public static final Principal ANYBODY = new Principal("anybody", Set.of());

    public Principal {
        Objects.requireNonNull(name, "name");
        groups = Set.copyOf(groups);
    }

    /** Returns whether the names are the same. Groups may be others when a credential is renewed. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Principal that && name.equals(that.name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    /** Returns a principal without groups. */
    public static Principal of(String name) {
        return new Principal(name, Set.of());
    }
}
