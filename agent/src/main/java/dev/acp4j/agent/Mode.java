package dev.acp4j.agent;

import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigSelectOption;
import dev.acp4j.schema.SessionConfigSelectOptions;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The permitted actions of the agent in a session. Offered as a session mode and, for newer clients, as a config
 * option.
 */
enum Mode {
    /** Asks before each write and each command. */
    ASK("ask", "Ask", "Asks before it changes a file or runs a command."),
    /** Neither writes files nor runs commands. */
    READ_ONLY("read-only", "Read only", "Changes no file and runs no command; shows proposed changes only.");

    /** The config option that selects the mode. */
    static final SessionConfigId OPTION = SessionConfigId.of("mode");

    private final String id;
    private final String label;
    private final String description;

    Mode(String id, String label, String description) {
        this.id = id;
        this.label = label;
        this.description = description;
    }

    SessionModeId id() {
        return SessionModeId.of(id);
    }

    String label() {
        return label;
    }

    /** Returns the mode with that id, or null. */
    static @Nullable Mode of(String id) {
        for (Mode mode : values()) {
            if (mode.id.equals(id)) {
                return mode;
            }
        }
        return null;
    }

    /** Returns the modes with this one as the current. */
    SessionModeState state() {
        List<SessionMode> modes = new ArrayList<>();
        for (Mode mode : values()) {
            modes.add(SessionMode.builder(mode.id(), mode.label)
                    .description(mode.description)
                    .build());
        }
        return SessionModeState.of(id(), modes);
    }

    /** Returns the config options with this mode selected. */
    List<SessionConfigOption> options() {
        List<SessionConfigSelectOption> choices = new ArrayList<>();
        for (Mode mode : values()) {
            choices.add(SessionConfigSelectOption.builder(SessionConfigValueId.of(mode.id), mode.label)
                    .description(mode.description)
                    .build());
        }
        return List.of(SessionConfigOption.Select.builder(
                        OPTION, "Mode", SessionConfigValueId.of(id), SessionConfigSelectOptions.of(choices))
                .description("What the agent may do")
                .category(SessionConfigOptionCategory.MODE)
                .build());
    }
}
