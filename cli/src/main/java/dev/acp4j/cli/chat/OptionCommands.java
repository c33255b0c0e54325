package dev.acp4j.cli.chat;

import dev.acp4j.cli.session.ConfigOptions;
import dev.acp4j.cli.terminal.Console;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigSelectGroup;
import dev.acp4j.schema.SessionConfigSelectOption;
import dev.acp4j.schema.SessionConfigSelectOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jline.utils.AttributedString;
import org.jspecify.annotations.Nullable;

/** Lists and sets the options of a session: all of them, or that of a category, whatever the agent calls it. */
final class OptionCommands {
    /** The command of each category; agents choose ids and names of their options, but not the categories. */
    private static final Map<String, SessionConfigOptionCategory> CATEGORIES = categories();

    private final ConfigOptions options;
    private final Console console;

    OptionCommands(ConfigOptions options, Console console) {
        this.options = options;
        this.console = console;
    }

    private static Map<String, SessionConfigOptionCategory> categories() {
        Map<String, SessionConfigOptionCategory> categories = new LinkedHashMap<>();
        categories.put(":mode", SessionConfigOptionCategory.MODE);
        categories.put(":model", SessionConfigOptionCategory.MODEL);
        categories.put(":effort", SessionConfigOptionCategory.THOUGHT_LEVEL);
        return categories;
    }

    /** Returns whether this is a command for a category that the session has no option of. */
    static boolean isMissing(String command, ConfigOptions options) {
        SessionConfigOptionCategory category = CATEGORIES.get(command);
        return category != null && options.of(category) == null;
    }

    /** Returns the option that a command lists and sets; null if it is another command, or there is none. */
    static @Nullable SessionConfigOption option(String command, ConfigOptions options) {
        SessionConfigOptionCategory category = CATEGORIES.get(command);
        return category == null ? null : options.of(category);
    }

    /** Lists the values of the option of a category, or sets it. */
    List<AttributedString> category(String command, String wanted) throws InterruptedException {
        SessionConfigOption option = option(command, options);
        String what = command.substring(1);
        if (option == null) {
            return say("The agent has no " + what + "s.");
        }
        List<AttributedString> lines = new ArrayList<>();
        if (!wanted.isEmpty()) {
            if (options.set(option, wanted)) {
                // A new mode is reported when the agent has confirmed it.
                return command.equals(":mode") ? lines : say(what + " is " + wanted + ".");
            }
            lines.addAll(say("The agent has no " + what + " " + wanted + ". It has these:"));
        }
        lines.addAll(values(option));
        if (command.equals(":model")) {
            for (SessionConfigOption parameter : options.all(SessionConfigOptionCategory.MODEL_CONFIG)) {
                lines.addAll(say("With it: " + SafeText.line(parameter.name()) + " is " + ConfigOptions.value(parameter)
                        + "; :config " + SafeText.line(parameter.id().value()) + " VALUE sets it."));
            }
        }
        return lines;
    }

    /** Lists all options, or the values of one, or sets it. */
    List<AttributedString> config(String name, String value) throws InterruptedException {
        if (name.isEmpty()) {
            Map<String, String> rows = options.rows();
            return rows.isEmpty()
                    ? List.of(Styles.of("The session has no options.", Styles.QUIET))
                    : Table.lines(rows, console.display());
        }
        SessionConfigOption option = options.find(name);
        if (option != null && value.isEmpty()) {
            return values(option);
        }
        return say(options.set(name, value));
    }

    private List<AttributedString> values(SessionConfigOption option) {
        Table table = new Table();
        switch (option) {
            case SessionConfigOption.Select select -> {
                switch (select.options()) {
                    case SessionConfigSelectOptions.Ungrouped all -> rows(select, all.options(), table);
                    case SessionConfigSelectOptions.Grouped groups -> {
                        for (SessionConfigSelectGroup group : groups.groups()) {
                            table.heading(SafeText.line(group.name()));
                            rows(select, group.options(), table);
                        }
                    }
                }
            }
            case SessionConfigOption.Toggle toggle ->
                table.row((toggle.currentValue() ? "* " : "  ") + "on", SafeText.line(toggle.name()))
                        .row((toggle.currentValue() ? "  " : "* ") + "off", "");
            case SessionConfigOption.Unknown unknown -> {
                return say(SafeText.line(unknown.name()) + " is of a type unknown to acp.");
            }
        }
        return table.lines(console.display());
    }

    private static void rows(SessionConfigOption.Select select, List<SessionConfigSelectOption> values, Table table) {
        for (SessionConfigSelectOption value : values) {
            String mark = value.value().equals(select.currentValue()) ? "* " : "  ";
            String description = value.description();
            table.row(
                    mark + ConfigOptions.name(value),
                    SafeText.line(description == null ? value.name() : value.name() + ": " + description));
        }
    }

    private List<AttributedString> say(String text) {
        return Wrap.lines(Styles.plain(SafeText.line(text)), console.display().widthAfter(0));
    }
}
