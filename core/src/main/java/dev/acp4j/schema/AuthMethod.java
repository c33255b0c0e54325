package dev.acp4j.schema;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.CodedBy;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A way to authenticate that an agent offers.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#authentication-method-types">Authentication
 *     method types</a>
 */
@Codable
@Tagged(value = "type", untagged = AuthMethod.Agent.class, untaggedIn = 1)
public sealed interface AuthMethod {
    /** Returns what identifies the way in {@code authenticate}. */
    AuthMethodId id();

    /** Returns the name to show to users. */
    String name();

    /**
     * The agent authenticates by itself when the client calls {@code authenticate}, for instance by opening a browser.
     * On the wire this is the way without a type.
     *
     * @param id identifies the way in {@code authenticate}
     * @param name the name to show to users
     * @param description a description, or null if not given
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#authenticating">Authenticating</a>
     */
    @Codable
    @Tag("agent")
    record Agent(
            @Name(v2 = "methodId") AuthMethodId id,
            String name,
            @DefaultOnError @Nullable String description,
            Rest rest)
            implements AuthMethod, Extensible {
        @Evolving
        public Agent {
            Objects.requireNonNull(id, "id is null");
            Objects.requireNonNull(name, "name is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static AuthMethodAgentBuilder builder(AuthMethodId id, String name) {
            return new AuthMethodAgentBuilder(id, name);
        }

        /** Returns a builder initialized from this record. */
        public AuthMethodAgentBuilder toBuilder() {
            return new AuthMethodAgentBuilder(this);
        }
    }

    /**
     * The client runs the program of the agent again, in a terminal, and the user logs in there; {@code authenticate}
     * is not called. Exit code 0 means success. Only for clients with {@link AuthCapabilities#terminal()}.
     *
     * @param id identifies the way
     * @param name the name to show to users
     * @param description a description, or null if not given
     * @param args arguments to append to those that start the agent
     * @param env variables to set for the process, overriding those that start the agent; {@link #toString()} omits the
     *     values, because they may be secret
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#authmethodterminal">Terminal authentication</a>
     */
    @Codable
    @Tag("terminal")
    record Terminal(
            @Name(v2 = "methodId") AuthMethodId id,
            String name,
            @DefaultOnError @Nullable String description,
            @OptionalMember List<String> args,

            @OptionalMember @CodedBy(v1 = EnvObjectCodec.class)
            List<EnvVariable> env,

            Rest rest)
            implements AuthMethod, Extensible {
        @Evolving
        public Terminal {
            Objects.requireNonNull(id, "id is null");
            Objects.requireNonNull(name, "name is null");
            args = List.copyOf(args);
            env = List.copyOf(env);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static AuthMethodTerminalBuilder builder(AuthMethodId id, String name) {
            return new AuthMethodTerminalBuilder(id, name);
        }

        /** Returns the members, without the values of the variables. */
        @Override
        public String toString() {
            return "Terminal[id=" + id + ", name=" + name + ", description=" + description + ", args=" + args + ", env="
                    + env + ", rest=" + rest + "]";
        }

        /** Returns a builder initialized from this record. */
        public AuthMethodTerminalBuilder toBuilder() {
            return new AuthMethodTerminalBuilder(this);
        }
    }

    /**
     * A way of a type unknown to this version of the library. It can be chosen by its id. It may contain secrets, so
     * {@link #toString()} omits its members.
     *
     * @param type the unknown type
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String type, RawJson raw) implements AuthMethod {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }

        /** Returns the id; the type if there is none. */
        @Override
        public AuthMethodId id() {
            return AuthMethodId.of(text("id").or(() -> text("methodId")).orElse(type));
        }

        /** Returns the name; the id if there is none. */
        @Override
        public String name() {
            return text("name").orElseGet(() -> id().value());
        }

        private Optional<String> text(String member) {
            return raw.value() instanceof JsonObject members ? members.text(member) : Optional.empty();
        }

        /** Returns the type only. */
        @Override
        public String toString() {
            return "Unknown[type=" + type + "]";
        }
    }
}
