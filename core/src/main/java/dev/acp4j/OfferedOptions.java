package dev.acp4j;

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
 * The config options of a session as a client sees them. Version 1 of the protocol has modes beside them, and some
 * agents have models; each of these is one more option, unless the agent offers it as an option itself. Not for several
 * threads at once.
 */
final class OfferedOptions {
    private static final SessionConfigId MODE = SessionConfigId.of("mode");

    private List<SessionConfigOption> own = List.of();
    private @Nullable SessionModeState modes;
    private SessionConfigOption.@Nullable Select models;
    private List<SessionConfigOption> all = List.of();

    List<SessionConfigOption> all() {
        return all;
    }

    void options(List<SessionConfigOption> options) {
        own = options;
        combine();
    }

    void modes(SessionModeState state) {
        modes = state;
        combine();
    }

    void models(SessionConfigOption.Select option) {
        models = option;
        combine();
    }

    /** The session has another model. */
    void model(SessionConfigValueId model) {
        if (models != null) {
            models = models.toBuilder().currentValue(model).build();
            combine();
        }
    }

    /** The session is in another mode. */
    void mode(SessionModeId mode) {
        if (modes != null) {
            modes = new SessionModeState(mode, modes.availableModes(), modes.rest());
        }
        SessionConfigValueId value = SessionConfigValueId.of(mode.value());
        List<SessionConfigOption> changed = new ArrayList<>();
        for (SessionConfigOption option : own) {
            changed.add(
                    is(option, SessionConfigOptionCategory.MODE, MODE)
                                    && option instanceof SessionConfigOption.Select select
                                    && has(select, value)
                            ? select.toBuilder().currentValue(value).build()
                            : option);
        }
        own = List.copyOf(changed);
        combine();
    }

    /** Returns whether this option is made of the modes: then they are set in their own way. */
    boolean isMadeOfModes(SessionConfigId option) {
        return option.equals(MODE) && modes != null && !ownHas(SessionConfigOptionCategory.MODE, MODE);
    }

    /** Returns whether this option is made of the models: then they are set in their own way. */
    boolean isMadeOfModels(SessionConfigId option) {
        return option.equals(VendorDialect.MODEL) && models != null && !ownHasModel();
    }

    private boolean ownHasModel() {
        return ownHas(SessionConfigOptionCategory.MODEL, VendorDialect.MODEL);
    }

    private void combine() {
        SessionModeState state = modes;
        List<SessionConfigOption> combined = new ArrayList<>();
        if (state != null && !ownHas(SessionConfigOptionCategory.MODE, MODE)) {
            combined.add(option(state));
        }
        if (models != null && !ownHasModel()) {
            combined.add(models);
        }
        combined.addAll(own);
        all = List.copyOf(combined);
    }

    private boolean ownHas(SessionConfigOptionCategory category, SessionConfigId id) {
        for (SessionConfigOption option : own) {
            if (is(option, category, id)) {
                return true;
            }
        }
        return false;
    }

    private static boolean is(SessionConfigOption option, SessionConfigOptionCategory category, SessionConfigId id) {
        return category.equals(option.category()) || option.id().equals(id);
    }

    private static boolean has(SessionConfigOption.Select select, SessionConfigValueId value) {
        for (SessionConfigSelectOption option : select.options().options()) {
            if (option.value().equals(value)) {
                return true;
            }
        }
        return false;
    }

    private static SessionConfigOption option(SessionModeState state) {
        List<SessionConfigSelectOption> values = new ArrayList<>();
        for (SessionMode mode : state.availableModes()) {
            values.add(new SessionConfigSelectOption(
                    SessionConfigValueId.of(mode.id().value()), mode.name(), mode.description(), mode.rest()));
        }
        return SessionConfigOption.Select.builder(
                        MODE,
                        "Mode",
                        SessionConfigValueId.of(state.currentModeId().value()),
                        SessionConfigSelectOptions.of(values))
                .category(SessionConfigOptionCategory.MODE)
                .meta(state.meta())
                .build();
    }
}
