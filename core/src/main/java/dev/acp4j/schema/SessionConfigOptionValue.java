package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import java.util.Objects;

/**
 * A value to give to a setting: one from its choice, or on or off.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#setting-a-config-option">Setting a
 *     config option</a>
 */
public sealed interface SessionConfigOptionValue {
    /** Returns a value from a choice. */
    static Id of(SessionConfigValueId value) {
        return new Id(value);
    }

    /** Returns on or off. */
    static Toggle of(boolean value) {
        return new Toggle(value);
    }

    /**
     * A value from a choice.
     *
     * @param value one of the values of {@link SessionConfigOption.Select#options()}
     */
    record Id(SessionConfigValueId value) implements SessionConfigOptionValue {
        public Id {
            Objects.requireNonNull(value, "value is null");
        }
    }

    /**
     * On or off. Only for a {@link SessionConfigOption.Toggle}.
     *
     * @param value whether it is to be on
     */
    record Toggle(boolean value) implements SessionConfigOptionValue {}

    /**
     * A value of a type that this version of the library does not know.
     *
     * @param type the type it says it is of
     * @param value the value, any JSON
     */
    record Unknown(String type, RawJson value) implements SessionConfigOptionValue {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(value, "value is null");
        }
    }
}
