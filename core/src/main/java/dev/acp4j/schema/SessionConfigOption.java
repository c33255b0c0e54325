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
 * A setting of a session, with its value. The agent offers it, and it always has a value; the client shows it and may
 * change it.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options">Session config options</a>
 */
@Codable
@Tagged("type")
public sealed interface SessionConfigOption {
    /** Returns the id of the setting. */
    SessionConfigId id();

    /** Returns the name to show to users. */
    String name();

    /** Returns the description, or null if not given. */
    @Nullable
    String description();

    /** Returns the category, a hint for the display, or null if not given. */
    @Nullable
    SessionConfigOptionCategory category();

    /**
     * A setting with one of several values.
     *
     * @param id the id of the setting
     * @param name the name to show to users
     * @param description a description, or null if not given
     * @param category the category, a hint for the display, or null if not given
     * @param currentValue the current value
     * @param options the allowed values
     * @param rest extension data and unknown members
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

        /** Returns a builder with the required members. */
        public static SessionConfigOptionSelectBuilder builder(
                SessionConfigId id,
                String name,
                SessionConfigValueId currentValue,
                SessionConfigSelectOptions options) {
            return new SessionConfigOptionSelectBuilder(id, name, currentValue, options);
        }

        /** Returns a builder initialized from this record. */
        public SessionConfigOptionSelectBuilder toBuilder() {
            return new SessionConfigOptionSelectBuilder(this);
        }
    }

    /**
     * A setting that is on or off. Only for clients with {@link SessionConfigOptionsCapabilities#toggle()}.
     *
     * @param id the id of the setting
     * @param name the name to show to users
     * @param description a description, or null if not given
     * @param category the category, a hint for the display, or null if not given
     * @param currentValue whether it is on
     * @param rest extension data and unknown members
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

        /** Returns a builder with the required members. */
        public static SessionConfigOptionToggleBuilder builder(SessionConfigId id, String name, boolean currentValue) {
            return new SessionConfigOptionToggleBuilder(id, name, currentValue);
        }

        /** Returns a builder initialized from this record. */
        public SessionConfigOptionToggleBuilder toBuilder() {
            return new SessionConfigOptionToggleBuilder(this);
        }
    }

    /**
     * A setting of a type unknown to this version of the library. Clients ignore it; the agent keeps the current value.
     *
     * @param type the unknown type
     * @param raw the original JSON object, which is written unchanged
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
