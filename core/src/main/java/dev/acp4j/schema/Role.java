package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A side of the conversation.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/content">Content</a>
 */
@StringValue
public record Role(String value) {
    /** The model. */
    public static final Role ASSISTANT = new Role("assistant");

    /** The person who prompts it. */
    public static final Role USER = new Role("user");

    /** The values to switch over. */
    public enum Known {
        /** {@link Role#ASSISTANT}. */
        ASSISTANT,
        /** {@link Role#USER}. */
        USER,
        /** Any other value; {@link Role#value()} has it. */
        UNRECOGNIZED
    }

    public Role {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static Role of(String value) {
        return new Role(value);
    }

    /** Returns which of the constants this is. */
    public Known known() {
        return switch (value) {
            case "assistant" -> Known.ASSISTANT;
            case "user" -> Known.USER;
            default -> Known.UNRECOGNIZED;
        };
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Role that && value.equals(that.value);
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
