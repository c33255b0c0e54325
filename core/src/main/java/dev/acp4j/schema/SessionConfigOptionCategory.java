package dev.acp4j.schema;

import java.util.List;

/**
 * What a setting is about, so that clients can give it a shortcut, an icon or a place. It is a hint: nothing may depend
 * on it, and clients take an unknown one like none.
 *
 * <p>Values that begin with an underscore belong to implementations; all others to the protocol.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#option-categories">Option
 *     categories</a>
 */
public final class SessionConfigOptionCategory extends StringValue {
    /** Chooses the mode of the session. */
    public static final SessionConfigOptionCategory MODE = new SessionConfigOptionCategory("mode");

    /** Chooses the model. */
    public static final SessionConfigOptionCategory MODEL = new SessionConfigOptionCategory("model");

    /** A parameter of the model, such as its context size; belongs next to the choice of the model. */
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
        return SessionConfigOptionCategoryCodec.known();
    }
}
