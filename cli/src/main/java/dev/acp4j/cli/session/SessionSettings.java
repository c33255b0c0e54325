package dev.acp4j.cli.session;

import dev.acp4j.cli.command.NotOfferedException;
import dev.acp4j.cli.command.OpeningOptions;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionConfigSelectOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Gives a session that was opened the settings of the user: what was set before, then what the command line says. */
final class SessionSettings {
    private final OpenedSession opened;
    private final ConfigOptions options;

    SessionSettings(OpenedSession opened) {
        this.opened = opened;
        this.options = opened.options();
    }

    /**
     * Sets what the user had set in the session and the agent does not report. What is impossible now is noted, and
     * remembered for the next time.
     */
    void putBack(Map<String, String> earlier) throws InterruptedException {
        opened.keep(earlier);
        for (Map.Entry<String, String> setting : earlier.entrySet()) {
            String what = SafeText.line(setting.getKey() + "=" + setting.getValue());
            SessionConfigOption option = options.find(setting.getKey());
            SessionConfigOptionValue value = option == null ? null : ConfigOptions.value(option, setting.getValue());
            if (option == null || value == null) {
                opened.note("The agent does not offer " + what + " any more, which you had set.");
                continue;
            }
            try {
                set(option, value);
            } catch (RpcError e) {
                opened.note("What you had set, " + what + ", could not be set again: " + SafeText.line(e.message()));
            }
        }
    }

    /** Sets what the command line says. */
    void apply(OpeningOptions wanted) throws InterruptedException {
        if (wanted.mode != null) {
            category(SessionConfigOptionCategory.MODE, "mode", wanted.mode);
        }
        if (wanted.model != null) {
            category(SessionConfigOptionCategory.MODEL, "model", wanted.model);
        }
        for (Map.Entry<String, String> setting : wanted.settings().entrySet()) {
            SessionConfigOption option = options.find(setting.getKey());
            if (option == null) {
                throw new UsageException("there is no option " + SafeText.line(setting.getKey())
                        + list("; the options are ", options.rows().keySet()));
            }
            set(
                    option,
                    setting.getValue(),
                    "the option " + SafeText.line(option.id().value()) + " has no value ",
                    "; its values are ");
        }
    }

    private void category(SessionConfigOptionCategory category, String what, String value) throws InterruptedException {
        SessionConfigOption option =
                opened.session().view().configOption(category).orElse(null);
        if (option == null) {
            throw new NotOfferedException("this agent offers no " + what + "s");
        }
        set(option, value, "there is no " + what + " ", "; the " + what + "s are ");
    }

    private void set(SessionConfigOption option, String value, String problem, String offered)
            throws InterruptedException {
        SessionConfigOptionValue found = ConfigOptions.value(option, value);
        if (found == null) {
            throw new UsageException(problem + SafeText.line(value) + list(offered, values(option)));
        }
        set(option, found);
    }

    private void set(SessionConfigOption option, SessionConfigOptionValue value) throws InterruptedException {
        if (ConfigOptions.isSet(option, value)) {
            opened.isSet(option, value);
        } else {
            options.set(option, value);
        }
    }

    private static String list(String before, Iterable<String> names) {
        String list = String.join(", ", names);
        return list.isEmpty() ? "; there are none" : before + list;
    }

    private static List<String> values(SessionConfigOption option) {
        List<String> values = new ArrayList<>();
        if (option instanceof SessionConfigOption.Toggle) {
            return List.of("true", "false");
        }
        if (option instanceof SessionConfigOption.Select select) {
            for (SessionConfigSelectOption value : select.options().options()) {
                values.add(SafeText.line(value.value().value()));
            }
        }
        return values;
    }
}
