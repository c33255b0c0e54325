package dev.acp4j.cli.chat;

import dev.acp4j.Session;
import dev.acp4j.cli.session.ConfigOptions;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigSelectOption;
import java.util.List;
import java.util.function.Supplier;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jspecify.annotations.Nullable;

/** Completes the agent's commands after a slash, and the chat's commands after a colon. */
final class ChatCompleter implements Completer {
    private final Supplier<@Nullable Session> session;

    ChatCompleter(Supplier<@Nullable Session> session) {
        this.session = session;
    }

    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
        Session current = session.get();
        if (current == null) {
            return;
        }
        String first = line.words().isEmpty() ? "" : line.words().get(0);
        if (line.wordIndex() == 0) {
            names(current, first, candidates);
        } else if (line.wordIndex() == 1 && first.equals(":mode")) {
            modes(current, candidates);
        } else if (line.wordIndex() == 1 && first.equals(":config")) {
            for (SessionConfigOption option : current.view().configOptions()) {
                add(candidates, option.id().value(), option.name());
            }
        } else if (line.wordIndex() == 2 && first.equals(":config")) {
            for (String value : new ConfigOptions(current).values(line.words().get(1))) {
                add(candidates, value, "");
            }
        }
    }

    private static void names(Session current, String begun, List<Candidate> candidates) {
        if (begun.startsWith("/") || begun.isEmpty()) {
            for (AvailableCommand command : current.view().commands()) {
                add(candidates, "/" + command.name(), command.description());
            }
        }
        if (begun.startsWith(":")) {
            ChatCommands.names(current).forEach((name, description) -> add(candidates, name, description));
        }
    }

    private static void modes(Session current, List<Candidate> candidates) {
        SessionConfigOption.Select modes = new ConfigOptions(current).mode();
        if (modes != null) {
            for (SessionConfigSelectOption mode : modes.options().options()) {
                add(candidates, ConfigOptions.name(mode), mode.name());
            }
        }
    }

    private static void add(List<Candidate> candidates, String value, String description) {
        String shown = SafeText.line(value);
        // A name that can only be shown in escaped form cannot be typed either.
        if (shown.equals(value) && !shown.contains(" ")) {
            String about = SafeText.line(description);
            candidates.add(new Candidate(value, shown, null, about.isEmpty() ? null : about, null, null, true));
        }
    }
}
