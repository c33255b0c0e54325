package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import java.util.Objects;

/**
 * A new value of a setting: one of its choices, or on or off.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#setting-a-config-option">Setting a
 *     config option</a>
 */
public sealed interface SessionConfigOptionValue {
    /** Returns one of the choices. */
    static Id of(SessionConfigValueId value) {
        return new Id(value);
    }

    /** Returns on or off. */
    static Toggle of(boolean value) {
        return new Toggle(value);
    }

    /**
     * One of the choices.
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
     * @param value whether to turn it on
     */
    record Toggle(boolean value) implements SessionConfigOptionValue {}

    /**
     * A value of a type unknown to this version of the library.
     *
     * @param type the unknown type
     * @param value the value, any JSON
     */
    record Unknown(String type, RawJson value) implements SessionConfigOptionValue {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(value, "value is null");
        }
    }
}
