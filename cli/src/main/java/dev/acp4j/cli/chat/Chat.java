package dev.acp4j.cli.chat;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.TurnResult;
import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.Deadline;
import dev.acp4j.cli.command.DroppedMessages;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.session.ConfigOptions;
import dev.acp4j.cli.session.Interruption;
import dev.acp4j.cli.session.OpenedSession;
import dev.acp4j.cli.session.PermissionDialog;
import dev.acp4j.cli.session.SessionOpener;
import dev.acp4j.cli.session.SessionRenderer;
import dev.acp4j.cli.session.ToolCallText;
import dev.acp4j.cli.session.UserInterface;
import dev.acp4j.cli.terminal.Console;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.Input;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.workspace.Permissions;
import dev.acp4j.workspace.RememberedPermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jline.utils.AttributedString;
import org.jspecify.annotations.Nullable;

/** A conversation with an agent, from its start to the exit code. */
final class Chat {
    private final SessionOpener opener;
    private final AgentChoice choice;
    private final Console console;
    private final SessionRenderer renderer;
    private final ToolCallText toolCalls;
    private final PermissionDialog dialog;
    private final Interruption interruption;
    private volatile @Nullable Session session;

    Chat(UserInterface ui, SessionOpener opener, AgentChoice choice) {
        this.opener = opener;
        this.choice = choice;
        this.console = Objects.requireNonNull(ui.console());
        this.renderer = ui.renderer();
        this.toolCalls = ui.toolCallText();
        this.dialog = Objects.requireNonNull(ui.dialog());
        this.interruption =
                new Interruption(() -> renderer.note("Cancelling. Press Ctrl-C again to quit.", Styles.BUSY));
        ui.onInterrupt(interruption::press);
    }

    /** Returns the session, or null if there is none yet. */
    @Nullable
    Session session() {
        return session;
    }

    /** Ends the chat at once. */
    void leave() {
        interruption.leave();
    }

    /**
     * Runs until the user quits or the agent is gone.
     *
     * @param tell reports a failure
     */
    ExitCode run(Consumer<Failure> tell) {
        renderer.waiting("Starting " + SafeText.line(choice.name())
                + console.display().symbols().more());
        try (ConnectedAgent agent = opener.connect(
                RememberedPermissions.of(Permissions.ask(dialog)),
                (from, event) -> renderer.event(event),
                line -> renderer.note(line, Styles.QUIET),
                new Deadline(null))) {
            return talk(agent, tell);
        } catch (InterruptedException e) {
            return ExitCode.CANCELLED;
        } catch (RpcException | UsageException e) {
            return failed(e, tell);
        }
    }

    /** Reports a failure before the agent is shut down, which may take seconds. */
    private ExitCode talk(ConnectedAgent agent, Consumer<Failure> tell) throws InterruptedException {
        try {
            OpenedSession opened = opener.open(agent, new OpeningDialog(renderer, console));
            Session current = opened.session();
            session = current;
            console.turnEnds();
            renderer.print(header(agent, current));
            renderer.follow(current, change -> true);
            if (opened.how() == OpenedSession.How.RESUMED) {
                renderer.note("The earlier conversation goes on; the agent has not replayed it.", Styles.QUIET);
            }
            tellNotes(opened);
            ChatCommands commands = new ChatCommands(current, opened.options(), renderer, toolCalls, console);
            return talk(opened, commands, new AgentWatch(agent));
        } catch (RpcException | UsageException e) {
            return failed(e, tell);
        }
    }

    private void tellNotes(OpenedSession opened) {
        opened.takeNotes().forEach(note -> renderer.note(note, Styles.BUSY));
    }

    private ExitCode failed(RuntimeException e, Consumer<Failure> tell) {
        renderer.waiting("");
        console.close();
        Failure failure = Failure.of(e);
        tell.accept(failure);
        return failure.code();
    }

    private ExitCode talk(OpenedSession opened, ChatCommands commands, AgentWatch watch) throws InterruptedException {
        Session current = opened.session();
        boolean interrupted = false;
        while (true) {
            boolean wasInterrupted = interrupted;
            interrupted = false;
            switch (watch.read(console, prompt(current), status(current))) {
                case Input.End end -> {
                    return ExitCode.END_OF_TURN;
                }
                case Input.Interrupt key -> {
                    if (wasInterrupted && !key.hadText()) {
                        return ExitCode.END_OF_TURN;
                    }
                    interrupted = !key.hadText();
                    if (interrupted) {
                        renderer.note("Press Ctrl-C again or Ctrl-D to quit.", Styles.QUIET);
                    }
                }
                case Input.Line line -> {
                    String text = line.text().strip();
                    if (leaves(text, current)) {
                        return ExitCode.END_OF_TURN;
                    }
                    if (!text.isEmpty() && !commands.run(text)) {
                        turn(opened, ChatCommands.unescaped(line.text()));
                    }
                    tellNotes(opened);
                }
            }
        }
    }

    private void turn(OpenedSession current, String text) throws InterruptedException {
        renderer.turnBegins();
        console.turnBegins(interruption::press);
        try (Turn turn = current.prompt(List.of(ContentBlock.text(text)))) {
            interruption.turn(turn);
            TurnResult unused = turn.result();
        } catch (RpcError e) {
            // The failure is in the timeline, and the chat continues.
        } finally {
            interruption.turn(null);
            console.turnEnds();
            int dropped = opener.takeDropped();
            if (dropped > 0) {
                renderer.failed(DroppedMessages.failure(dropped));
            }
            renderer.turnEnds();
        }
    }

    /** The agent's commands take precedence over the chat's commands of the same name. */
    private static boolean leaves(String text, Session session) {
        if (text.equals(":quit") || text.equals(":q")) {
            return true;
        }
        if (!text.equals("/exit") && !text.equals("/quit")) {
            return false;
        }
        for (AvailableCommand command : session.view().commands()) {
            if (text.equals("/" + command.name())) {
                return false;
            }
        }
        return true;
    }

    private String prompt(Session current) {
        String sign = console.display().symbols().prompt() + " ";
        SessionConfigOption.Select mode = new ConfigOptions(current).mode();
        return mode == null ? sign : cut(mode.currentValue().value(), 24) + " " + sign;
    }

    private String status(Session current) {
        List<String> parts = new ArrayList<>();
        current.view().title().ifPresent(title -> parts.add(cut(title, 40)));
        current.view().usage().ifPresent(usage -> {
            if (usage.size() > 0) {
                parts.add(100 * usage.used() / usage.size() + "% of context");
            }
        });
        return String.join(" " + console.display().symbols().dot() + " ", parts);
    }

    private String cut(String text, int width) {
        return Wrap.cut(
                        Styles.plain(SafeText.line(text)),
                        width,
                        console.display().symbols().more())
                .toString();
    }

    private List<AttributedString> header(ConnectedAgent agent, Session opened) {
        Display display = console.display();
        String dot = " " + display.symbols().dot() + " ";
        String name = agent.info()
                .map(info ->
                        SafeText.line(Optional.ofNullable(info.title()).orElse(info.name()) + " " + info.version()))
                .orElse(choice.name());
        List<AttributedString> lines = new ArrayList<>();
        AttributedString first = Styles.join(
                Styles.of(name, Styles.STRONG),
                Styles.of(dot + home(opened.cwd().toString()), Styles.QUIET));
        lines.addAll(Wrap.lines(first, display.widthAfter(0)));
        lines.addAll(Wrap.lines(
                Styles.of(
                        "/ and Tab: the agent's commands" + dot + ":help: chat commands" + dot
                                + "Ctrl-C: cancel, twice: quit",
                        Styles.QUIET),
                display.widthAfter(0)));
        return lines;
    }

    private static String home(String path) {
        String home = System.getProperty("user.home", "");
        return !home.isEmpty() && path.startsWith(home + "/") ? "~" + path.substring(home.length()) : path;
    }
}
