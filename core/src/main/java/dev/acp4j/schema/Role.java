package dev.acp4j.schema;

import java.util.List;

/**
 * A side of the conversation.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/content">Content</a>
 */
public final class Role extends StringValue {
    /** The model. */
    public static final Role ASSISTANT = new Role("assistant");

    /** The user. */
    public static final Role USER = new Role("user");

    private Role(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static Role of(String value) {
        return new Role(value);
    }

    /** Returns the constants. */
    public static List<Role> known() {
        return StringValueCodec.ROLE.known();
    }
}
