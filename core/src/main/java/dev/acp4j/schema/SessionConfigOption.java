package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A setting of a session, with its value. The agent offers it and always has a value for it; the client shows it and
 * may change it.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options">Session config options</a>
 */
@Codable
@Tagged("type")
public sealed interface SessionConfigOption {
    /** Returns what names the setting, when its value is set. */
    SessionConfigId id();

    /** Returns what to call it in front of a user. */
    String name();

    /** Returns what it does, or null when it does not say. */
    @Nullable
    String description();

    /** Returns what it is about, as a hint for the display, or null when it does not say. */
    @Nullable
    SessionConfigOptionCategory category();

    /**
     * A setting with a choice of values, of which it has one.
     *
     * @param id names the setting, when its value is set
     * @param name what to call it in front of a user
     * @param description what it does, or null when it does not say
     * @param category what it is about, as a hint for the display, or null when it does not say
     * @param currentValue the value it has
     * @param options the values it can have
     * @param rest extension data, and members that are not known here
     * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#configoption">Config options</a>
     */
    @Codable
    @Tag("select")
    record Select(
            @Name(v2 = "configId") SessionConfigId id,
            String name,
            @DefaultOnError @Nullable String description,
            @DefaultOnError @Nullable SessionConfigOptionCategory category,
            SessionConfigValueId currentValue,
            SessionConfigSelectOptions options,
            Rest rest)
            implements SessionConfigOption, Extensible {
        @Evolving
        public Select {
            Objects.requireNonNull(id, "id is null");
            Objects.requireNonNull(name, "name is null");
            Objects.requireNonNull(currentValue, "currentValue is null");
            Objects.requireNonNull(options, "options is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Starts a setting with the members it must have. */
        public static SessionConfigOptionSelectBuilder builder(
                SessionConfigId id,
                String name,
                SessionConfigValueId currentValue,
                SessionConfigSelectOptions options) {
            return new SessionConfigOptionSelectBuilder(id, name, currentValue, options);
        }

        /** Returns a builder that starts from this. */
        public SessionConfigOptionSelectBuilder toBuilder() {
            return new SessionConfigOptionSelectBuilder(this);
        }
    }

    /**
     * A setting that is on or off. Only for clients with {@link SessionConfigOptionsCapabilities#toggle()}.
     *
     * @param id names the setting, when its value is set
     * @param name what to call it in front of a user
     * @param description what it does, or null when it does not say
     * @param category what it is about, as a hint for the display, or null when it does not say
     * @param currentValue whether it is on
     * @param rest extension data, and members that are not known here
     * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#configoption">Config options</a>
     */
    @Codable
    @Tag("boolean")
    record Toggle(
            @Name(v2 = "configId") SessionConfigId id,
            String name,
            @DefaultOnError @Nullable String description,
            @DefaultOnError @Nullable SessionConfigOptionCategory category,
            boolean currentValue,
            Rest rest)
            implements SessionConfigOption, Extensible {
        @Evolving
        public Toggle {
            Objects.requireNonNull(id, "id is null");
            Objects.requireNonNull(name, "name is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Starts a setting with the members it must have. */
        public static SessionConfigOptionToggleBuilder builder(SessionConfigId id, String name, boolean currentValue) {
            return new SessionConfigOptionToggleBuilder(id, name, currentValue);
        }

        /** Returns a builder that starts from this. */
        public SessionConfigOptionToggleBuilder toBuilder() {
            return new SessionConfigOptionToggleBuilder(this);
        }
    }

    /**
     * A setting of a type that this version of the library does not know. Clients leave it out; the agent goes on with
     * the value it has.
     *
     * @param type the type it says it is of
     * @param raw the JSON object as it came, which is what is written again
     */
    record Unknown(String type, RawJson raw) implements SessionConfigOption {
        /**
         * Keeps the object.
         *
         * @throws dev.acp4j.json.JsonException if {@code raw} lacks an id or a name, which settings of every type have
         */
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            SessionConfigOptionHead.of(raw);
        }

        @Override
        public SessionConfigId id() {
            return SessionConfigOptionHead.of(raw).id();
        }

        @Override
        public String name() {
            return SessionConfigOptionHead.of(raw).name();
        }

        @Override
        public @Nullable String description() {
            return SessionConfigOptionHead.of(raw).description();
        }

        @Override
        public @Nullable SessionConfigOptionCategory category() {
            return SessionConfigOptionHead.of(raw).category();
        }
    }
}
