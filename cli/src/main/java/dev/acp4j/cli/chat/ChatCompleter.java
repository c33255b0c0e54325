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

/** Completes the agent's commands after a slash, the chat's commands after a colon, and files after an @. */
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
        if (line.word().startsWith("@")) {
            files(current, line.word().substring(1), candidates);
        } else if (line.wordIndex() == 0) {
            names(current, first, candidates);
        } else if (first.startsWith(":")) {
            options(new ConfigOptions(current), first, line, candidates);
        }
    }

    private static void options(ConfigOptions options, String command, ParsedLine line, List<Candidate> candidates) {
        SessionConfigOption option = OptionCommands.option(command, options);
        if (line.wordIndex() == 1 && option != null) {
            values(option, candidates);
        } else if (line.wordIndex() == 1 && command.equals(":config")) {
            for (SessionConfigOption each : options.all()) {
                add(candidates, each.id().value(), each.name());
            }
        } else if (line.wordIndex() == 2 && command.equals(":config")) {
            option = options.find(line.words().get(1));
            if (option != null) {
                values(option, candidates);
            }
        }
    }

    private static void values(SessionConfigOption option, List<Candidate> candidates) {
        if (option instanceof SessionConfigOption.Select select) {
            for (SessionConfigSelectOption value : select.options().options()) {
                add(candidates, ConfigOptions.name(value), value.name());
            }
        } else {
            ConfigOptions.values(option).forEach(value -> add(candidates, value, ""));
        }
    }

    /** Completes a mention; one with blanks is quoted. */
    private static void files(Session current, String begun, List<Candidate> candidates) {
        boolean isQuoted = begun.startsWith("\"");
        for (String name : FileNames.of(current.cwd(), isQuoted ? begun.substring(1) : begun)) {
            boolean isFolder = name.endsWith("/");
            String quote = isQuoted || name.contains(" ") ? "\"" : "";
            if (SafeText.line(name).equals(name)) {
                String value = "@" + quote + name + (isFolder ? "" : quote);
                candidates.add(new Candidate(value, name, null, null, null, null, !isFolder));
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

    private static void add(List<Candidate> candidates, String value, String description) {
        String shown = SafeText.line(value);
        // A name that can only be shown in escaped form cannot be typed either.
        if (shown.equals(value) && !shown.contains(" ")) {
            String about = SafeText.line(description);
            candidates.add(new Candidate(value, shown, null, about.isEmpty() ? null : about, null, null, true));
        }
    }
}
