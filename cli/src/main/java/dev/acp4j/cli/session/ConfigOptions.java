package dev.acp4j.cli.session;

import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionConfigSelectGroup;
import dev.acp4j.schema.SessionConfigSelectOption;
import dev.acp4j.schema.SessionConfigSelectOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The options of a session in the form shown to and set by users. */
public final class ConfigOptions {
    private static final Pattern WORD = Pattern.compile("[\\w.+-]{1,32}");

    private final Session session;
    private final Setter setter;

    /** Sets an option of the session. */
    interface Setter {
        void set(SessionConfigOption option, SessionConfigOptionValue value) throws InterruptedException;
    }

    public ConfigOptions(Session session) {
        this(session, (option, value) -> session.setConfigOption(option.id(), value));
    }

    ConfigOptions(Session session, Setter setter) {
        this.session = session;
        this.setter = setter;
    }

    /** Returns the first option of a category, or null. */
    public @Nullable SessionConfigOption of(SessionConfigOptionCategory category) {
        List<SessionConfigOption> all = all(category);
        return all.isEmpty() ? null : all.getFirst();
    }

    /** Returns all options. */
    public List<SessionConfigOption> all() {
        return session.view().configOptions();
    }

    /** Returns the options of a category. */
    public List<SessionConfigOption> all(SessionConfigOptionCategory category) {
        return all().stream()
                .filter(option -> category.equals(option.category()))
                .toList();
    }

    /** Returns the option that chooses the mode, or null. */
    public SessionConfigOption.@Nullable Select mode() {
        return mode(all());
    }

    /** Returns the option of these that chooses the mode, or null. */
    static SessionConfigOption.@Nullable Select mode(List<SessionConfigOption> options) {
        for (SessionConfigOption option : options) {
            if (option instanceof SessionConfigOption.Select select
                    && SessionConfigOptionCategory.MODE.equals(select.category())) {
                return select;
            }
        }
        return null;
    }

    /** Returns the new mode of the session if it has changed, or null. */
    public static @Nullable String newMode(SessionEvent.ConfigChanged changed) {
        SessionConfigOption.Select mode = mode(changed.options());
        SessionConfigOption.Select before = mode(changed.before());
        if (mode == null || (before != null && mode.currentValue().equals(before.currentValue()))) {
            return null;
        }
        return mode.currentValue().value();
    }

    /** Returns the name of the new mode for people if it has changed, or null. */
    public static @Nullable String newModeName(SessionEvent.ConfigChanged changed) {
        SessionConfigOption.Select mode = newMode(changed) == null ? null : mode(changed.options());
        return mode == null ? null : current(mode);
    }

    /** Returns the current value of an option, as {@link #name} names it. */
    public static String current(SessionConfigOption.Select option) {
        for (SessionConfigSelectOption value : option.options().options()) {
            if (value.value().equals(option.currentValue())) {
                return name(value);
            }
        }
        return SafeText.line(option.currentValue().value());
    }

    /** Returns what people call a value: its id if that is a word, else its name. Some ids are URLs. */
    public static String name(SessionConfigSelectOption value) {
        String id = value.value().value();
        return SafeText.line(WORD.matcher(id).matches() || value.name().isBlank() ? id : value.name());
    }

    /** Returns the value with this id or, ignoring case, this name; null if there is none. */
    public static @Nullable SessionConfigSelectOption chosen(SessionConfigOption.Select option, String text) {
        List<SessionConfigSelectOption> values = option.options().options();
        for (SessionConfigSelectOption value : values) {
            if (value.value().value().equals(text)) {
                return value;
            }
        }
        for (SessionConfigSelectOption value : values) {
            if (value.value().value().equalsIgnoreCase(text) || value.name().equalsIgnoreCase(text)) {
                return value;
            }
        }
        return null;
    }

    /** Returns each option with its value and its other values. */
    public Map<String, String> rows() {
        Map<String, String> rows = new LinkedHashMap<>();
        for (SessionConfigOption option : all()) {
            rows.put(SafeText.line(option.id().value()), SafeText.line(option.name()) + ": " + value(option));
        }
        return rows;
    }

    /** Returns the names of the values of an option. */
    public List<String> values(String name) {
        SessionConfigOption option = find(name);
        return option == null ? List.of() : values(option);
    }

    /** Returns the names of the values of an option. */
    public static List<String> values(SessionConfigOption option) {
        return switch (option) {
            case SessionConfigOption.Select select ->
                select.options().options().stream().map(ConfigOptions::name).toList();
            case SessionConfigOption.Toggle toggle -> List.of("on", "off");
            case SessionConfigOption.Unknown unknown -> List.of();
        };
    }

    /** Sets an option; returns a message about the result. */
    public String set(String name, String value) throws InterruptedException {
        SessionConfigOption option = find(name);
        if (option == null) {
            return "There is no option " + name + ". :config lists them.";
        }
        if (!set(option, value)) {
            return name + " can be: " + String.join(", ", values(option));
        }
        return name + " is " + value + ".";
    }

    /** Sets an option to a value that it offers; returns false if it offers none of this id or name. */
    public boolean set(SessionConfigOption option, String wanted) throws InterruptedException {
        SessionConfigOptionValue chosen = value(option, wanted);
        if (chosen != null) {
            setter.set(option, chosen);
        }
        return chosen != null;
    }

    /** Sets an option. */
    void set(SessionConfigOption option, SessionConfigOptionValue value) throws InterruptedException {
        setter.set(option, value);
    }

    /** Returns the option with this id, or this name, whose case is ignored; null if there is none. */
    public @Nullable SessionConfigOption find(String name) {
        List<SessionConfigOption> options = all();
        for (SessionConfigOption option : options) {
            if (option.id().value().equals(name)) {
                return option;
            }
        }
        for (SessionConfigOption option : options) {
            if (option.id().value().equalsIgnoreCase(name) || option.name().equalsIgnoreCase(name)) {
                return option;
            }
        }
        return null;
    }

    /** Returns the value with this id, or this name, whose case is ignored; null if the option has no such value. */
    static @Nullable SessionConfigOptionValue value(SessionConfigOption option, String text) {
        return switch (option) {
            case SessionConfigOption.Toggle toggle ->
                switch (text.toLowerCase(Locale.ROOT)) {
                    case "true", "on" -> SessionConfigOptionValue.of(true);
                    case "false", "off" -> SessionConfigOptionValue.of(false);
                    default -> null;
                };
            case SessionConfigOption.Select select -> value(select, text);
            case SessionConfigOption.Unknown unknown -> null;
        };
    }

    private static @Nullable SessionConfigOptionValue value(SessionConfigOption.Select select, String text) {
        SessionConfigSelectOption value = chosen(select, text);
        return value == null ? null : SessionConfigOptionValue.of(value.value());
    }

    /** Returns whether an option has this value now. */
    static boolean isSet(SessionConfigOption option, SessionConfigOptionValue value) {
        return switch (option) {
            case SessionConfigOption.Toggle toggle ->
                value instanceof SessionConfigOptionValue.Toggle wanted && wanted.value() == toggle.currentValue();
            case SessionConfigOption.Select select ->
                value instanceof SessionConfigOptionValue.Id wanted
                        && wanted.value().equals(select.currentValue());
            case SessionConfigOption.Unknown unknown -> false;
        };
    }

    /** Returns a value as text that {@link #value} reads. */
    static String text(SessionConfigOptionValue value) {
        return switch (value) {
            case SessionConfigOptionValue.Id id -> id.value().value();
            case SessionConfigOptionValue.Toggle toggle -> toggle.value() ? "true" : "false";
            case SessionConfigOptionValue.Unknown unknown -> unknown.value().toString();
        };
    }

    /** Returns the value of an option, and its other values. */
    public static String value(SessionConfigOption option) {
        return switch (option) {
            case SessionConfigOption.Select select -> select(select);
            case SessionConfigOption.Toggle toggle -> toggle.currentValue() ? "on (or off)" : "off (or on)";
            case SessionConfigOption.Unknown unknown -> "of a type unknown to acp";
        };
    }

    private static String select(SessionConfigOption.Select select) {
        String others = switch (select.options()) {
            case SessionConfigSelectOptions.Ungrouped all -> others(select, all.options());
            case SessionConfigSelectOptions.Grouped groups -> {
                List<String> texts = new ArrayList<>();
                for (SessionConfigSelectGroup group : groups.groups()) {
                    String names = others(select, group.options());
                    if (!names.isEmpty()) {
                        texts.add(SafeText.line(group.name()) + ": " + names);
                    }
                }
                yield String.join("; ", texts);
            }
        };
        return others.isEmpty() ? current(select) : current(select) + " (or " + others + ")";
    }

    private static String others(SessionConfigOption.Select select, List<SessionConfigSelectOption> values) {
        List<String> others = new ArrayList<>();
        for (SessionConfigSelectOption value : values) {
            if (!value.value().equals(select.currentValue())) {
                others.add(name(value));
            }
        }
        return String.join(", ", others);
    }
}
