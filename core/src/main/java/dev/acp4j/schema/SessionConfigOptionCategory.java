package dev.acp4j.schema;

import java.util.List;

/**
 * The category of a setting, for a shortcut, an icon or a position in clients. It is a hint: nothing may depend on it,
 * and clients treat an unknown one like none.
 *
 * <p>Values that begin with an underscore belong to implementations; all others are reserved for the protocol.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#option-categories">Option
 *     categories</a>
 */
public final class SessionConfigOptionCategory extends StringValue {
    /** Chooses the mode of the session. */
    public static final SessionConfigOptionCategory MODE = new SessionConfigOptionCategory("mode");

    /** Chooses the model. */
    public static final SessionConfigOptionCategory MODEL = new SessionConfigOptionCategory("model");

    /** A parameter of the model, such as its context size; should be shown next to the choice of the model. */
    public static final SessionConfigOptionCategory MODEL_CONFIG = new SessionConfigOptionCategory("model_config");

    /** Chooses how long the model reasons. */
    public static final SessionConfigOptionCategory THOUGHT_LEVEL = new SessionConfigOptionCategory("thought_level");

    private SessionConfigOptionCategory(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static SessionConfigOptionCategory of(String value) {
        return new SessionConfigOptionCategory(value);
    }

    /** Returns the constants. */
    public static List<SessionConfigOptionCategory> known() {
        return StringValueCodec.SESSION_CONFIG_OPTION_CATEGORY.known();
    }
}
