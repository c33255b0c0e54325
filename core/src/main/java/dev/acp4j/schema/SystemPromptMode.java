package dev.acp4j.schema;

import dev.acp4j.schema.codec.Draft;
import java.util.List;

/** How an agent combines a system prompt with its own instructions. */
@Draft
@Unstable
public final class SystemPromptMode extends StringValue {
    /** Adds it to them. */
    public static final SystemPromptMode APPEND = new SystemPromptMode("append");

    /**
     * Replaces the built-in ones by it. Only for agents with {@link SessionSystemPromptModeCapabilities#override()}.
     */
    public static final SystemPromptMode OVERRIDE = new SystemPromptMode("override");

    private SystemPromptMode(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static SystemPromptMode of(String value) {
        return new SystemPromptMode(value);
    }

    /** Returns the constants. */
    public static List<SystemPromptMode> known() {
        return StringValueCodec.SYSTEM_PROMPT_MODE.known();
    }
}
