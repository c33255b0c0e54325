package dev.acp4j.cli.chat;

import dev.acp4j.cli.agents.InstallOffer;
import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.AgentConnector;
import dev.acp4j.cli.command.OpeningOptions;
import dev.acp4j.cli.command.Recording;
import dev.acp4j.cli.command.SessionOptions;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.session.SessionOpener;
import dev.acp4j.cli.session.UserInterface;
import dev.acp4j.cli.terminal.Streams;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code acp chat}: a conversation with an agent. */
@Command(
        name = "chat",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = "acp chat [OPTIONS] [NAME | -- COMMAND [ARGUMENT...]]",
        description = {
            "Chats with an agent about a folder: the built-in agent, which needs no key and no network, an "
                    + "installed one by its NAME, or the one that COMMAND starts.",
            "",
            "Tab completes the agent's commands, which begin with a slash, and files, which @path attaches. Commands of the chat itself begin with a "
                    + "colon; :help lists them. /help, /new, /clear, /exit and /quit are understood, too, unless the agent has a "
                    + "command of that name. Ctrl-C cancels the turn; press it again, or Ctrl-D, to quit."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp chat",
            "  acp chat claude",
            "  acp chat --cwd ~/src/shop -- gemini --acp",
            "  acp chat --continue",
            "  acp chat --resume --model opus -- claude-agent-acp",
            "",
            "Exit codes:",
            "    0  the user quit",
            "    1  the agent could not be started, died, or did not respond",
            "    2  wrong command line, or a missing folder",
            "    6  standard output could not be written",
            "    8  the agent does not offer what the command line asks for",
            "  129  ended by SIGHUP, such as when the terminal was closed",
            "  130  the user quit by Ctrl-C during a turn",
            "  141  standard output was closed by its reader",
            "  143  ended by SIGTERM"
        })
public final class ChatCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final AgentChoice agent;

    @Mixin
    private final SessionOptions options = new SessionOptions();

    @Mixin
    private final OpeningOptions opening = new OpeningOptions();

    @Option(names = "--no-history", description = "Do not save the input history.")
    private boolean noHistory;

    public ChatCommand(Streams streams, AgentChoice agent) {
        this.streams = streams;
        this.agent = agent;
    }

    @Override
    public Integer call() throws InterruptedException {
        Path cwd = options.folder();
        opening.check();
        InstallOffer.of(agent, streams);
        AtomicReference<@Nullable Chat> chat = new AtomicReference<>();
        ChatCompleter completer = new ChatCompleter(() -> {
            Chat running = chat.get();
            return running == null ? null : running.session();
        });
        try (Recording recording = new Recording(options.trace, streams);
                UserInterface ui = UserInterface.ofChat(streams, cwd, completer, noHistory ? null : History.file())) {
            AgentConnector connector = new AgentConnector(options, agent, cwd, recording);
            SessionOpener opener = new SessionOpener(options, opening, connector, ui.filesAndTerminals(), false);
            Chat running = new Chat(ui, opener, agent);
            streams.out().onFailure(running::leave);
            chat.set(running);
            return running.run(failure -> failure.tell(streams)).number();
        }
    }
}
