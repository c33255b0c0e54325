package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a setting is about, so that clients can give it a shortcut, an icon or a place. It is a hint: nothing may depend
 * on it, and clients take an unknown one like none.
 *
 * <p>Values that begin with an underscore belong to implementations; all others to the protocol.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#option-categories">Option
 *     categories</a>
 */
@StringValue
public record SessionConfigOptionCategory(String value) {
    /** Chooses the mode of the session. */
    public static final SessionConfigOptionCategory MODE = new SessionConfigOptionCategory("mode");

    /** Chooses the model. */
    public static final SessionConfigOptionCategory MODEL = new SessionConfigOptionCategory("model");

    /** A parameter of the model, such as its context size; belongs next to the choice of the model. */
    public static final SessionConfigOptionCategory MODEL_CONFIG = new SessionConfigOptionCategory("model_config");

    /** Chooses how long the model reasons. */
    public static final SessionConfigOptionCategory THOUGHT_LEVEL = new SessionConfigOptionCategory("thought_level");

    /** The values to switch over. */
    public enum Known {
        /** {@link SessionConfigOptionCategory#MODE}. */
        MODE,
        /** {@link SessionConfigOptionCategory#MODEL}. */
        MODEL,
        /** {@link SessionConfigOptionCategory#MODEL_CONFIG}. */
        MODEL_CONFIG,
        /** {@link SessionConfigOptionCategory#THOUGHT_LEVEL}. */
        THOUGHT_LEVEL,
        /** Any other value; {@link SessionConfigOptionCategory#value()} has it. */
        UNRECOGNIZED
    }

    public SessionConfigOptionCategory {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static SessionConfigOptionCategory of(String value) {
        return new SessionConfigOptionCategory(value);
    }

    /** Returns which of the constants this is. */
    public Known known() {
        return switch (value) {
            case "mode" -> Known.MODE;
            case "model" -> Known.MODEL;
            case "model_config" -> Known.MODEL_CONFIG;
            case "thought_level" -> Known.THOUGHT_LEVEL;
            default -> Known.UNRECOGNIZED;
        };
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SessionConfigOptionCategory that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    /** Returns the text on the wire. */
    @Override
    public String toString() {
        return value;
    }
}
