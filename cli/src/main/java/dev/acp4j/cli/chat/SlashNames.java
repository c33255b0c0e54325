package dev.acp4j.cli.chat;

import dev.acp4j.Session;
import dev.acp4j.cli.command.NearestName;
import dev.acp4j.schema.AvailableCommand;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names after a slash. They belong to the agent; a few that are typed by habit mean a command of the chat, unless
 * the agent has a command of that name.
 */
final class SlashNames {
    static final Map<String, String> HABITS = habits();

    /** A path such as {@code /etc/hosts} is no name. */
    private static final Pattern NAME = Pattern.compile("(/[A-Za-z][\\w:-]*)(\\s.*)?", Pattern.DOTALL);

    private final Session session;

    SlashNames(Session session) {
        this.session = session;
    }

    private static Map<String, String> habits() {
        Map<String, String> habits = new LinkedHashMap<>();
        habits.put("/help", ":help");
        habits.put("/new", ":new");
        habits.put("/clear", ":new");
        habits.put("/exit", ":quit");
        habits.put("/quit", ":quit");
        return habits;
    }

    /** Returns the command of the chat that a line means by habit, or the line. */
    String meant(String line) {
        String text = line.strip();
        String habit = HABITS.get(text);
        return habit == null || ofAgent().contains(text) ? line : habit;
    }

    /** Returns a message about a name that the agent does not have; null if it has it, or has named no commands. */
    @Nullable
    String unknown(String line) {
        Matcher matcher = NAME.matcher(line.stripTrailing());
        List<String> names = ofAgent();
        if (!matcher.matches() || names.isEmpty() || names.contains(matcher.group(1))) {
            return null;
        }
        String name = matcher.group(1);
        names.addAll(HABITS.keySet());
        return "The agent has no command " + name + "." + NearestName.suggestion(name, names)
                + " :commands lists them. To send this line as a message, put a space before it.";
    }

    private List<String> ofAgent() {
        List<String> names = new ArrayList<>();
        for (AvailableCommand command : session.view().commands()) {
            names.add("/" + command.name());
        }
        return names;
    }
}
