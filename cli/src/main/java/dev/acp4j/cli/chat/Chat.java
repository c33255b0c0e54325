package dev.acp4j.cli.chat;

import dev.acp4j.AuthenticationRequiredException;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.TurnResult;
import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.CommandFailedException;
import dev.acp4j.cli.command.Deadline;
import dev.acp4j.cli.command.DroppedMessages;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.LoginMethod;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.elicitation.ElicitationDialog;
import dev.acp4j.cli.session.BinaryContent;
import dev.acp4j.cli.session.ConfigOptions;
import dev.acp4j.cli.session.Interruption;
import dev.acp4j.cli.session.OpenedSession;
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
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
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
    private final BinaryContent binaries;
    private final Interruption interruption;
    private final RememberedPermissions permissions;
    private final ElicitationDialog elicitation;
    private final OpeningDialog questions;

    /** Set when a login has started the agent anew. */
    private @Nullable Continued continued;

    private volatile @Nullable Session session;
    private volatile @Nullable UsageWatch usage;

    Chat(UserInterface ui, SessionOpener opener, AgentChoice choice) {
        this.opener = opener;
        this.choice = choice;
        this.console = Objects.requireNonNull(ui.console());
        this.renderer = ui.renderer();
        this.toolCalls = ui.toolCallText();
        this.binaries = ui.binaries();
        this.elicitation = new ElicitationDialog(console, renderer);
        this.questions = new OpeningDialog(renderer, console);
        this.permissions = RememberedPermissions.of(Permissions.ask(Objects.requireNonNull(ui.dialog())));
        this.interruption = new Interruption(
                () -> renderer.noteUnlessInterrupted("Cancelling. Press Ctrl-C again to quit.", Styles.BUSY));
        ui.onInterrupt(interruption::press);
        interruption.endsOnSignals();
    }

    /**
     * A session that goes on with another agent.
     *
     * @param content the message that is sent again
     */
    private record Continued(OpenedSession session, List<ContentBlock> content) {}

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
        renderer.waiting("Starting " + SafeText.line(choice.name()));
        try {
            return talk(opener.connect(
                    client -> client.onPermission(permissions)
                            .onElicitation(elicitation)
                            .onEvent(this::event),
                    renderer::log,
                    new Deadline(null)));
        } catch (InterruptedException e) {
            Failure signalled = interruption.signalled();
            if (signalled == null) {
                return ExitCode.CANCELLED;
            }
            console.close();
            tell.accept(signalled);
            return signalled.code();
        } catch (RpcException | UsageException | CommandFailedException e) {
            return failed(e, tell);
        } finally {
            opener.leave();
        }
    }

    /** Shows an event, and warns of what the session uses. */
    private void event(Session from, SessionEvent event) {
        renderer.event(event);
        UsageWatch watch = usage;
        if (event instanceof SessionEvent.UsageChanged changed && from.equals(session) && watch != null) {
            watch.warnings(changed.usage(), compaction(from)).forEach(text -> renderer.remark(text, Styles.BUSY));
        }
    }

    /** Returns the name of the agent's command that shortens the conversation; null if it has none. */
    private static @Nullable String compaction(Session session) {
        for (AvailableCommand command : session.view().commands()) {
            if (command.name().equals("compact") || command.name().equals("compress")) {
                return command.name();
            }
        }
        return null;
    }

    private ExitCode talk(ConnectedAgent agent) throws InterruptedException {
        OpenedSession opened = opener.open(agent, questions);
        AgentWatch watch = new AgentWatch(opened.session().agent());
        console.turnEnds();
        renderer.print(header(opened.session().agent(), opened.session()));
        shows(opened);
        renderer.follow(opened.session(), change -> true);
        if (opened.how() == OpenedSession.How.RESUMED) {
            renderer.note("The earlier conversation goes on; the agent has not replayed it.", Styles.QUIET);
        }
        while (true) {
            tellNotes(opened);
            ExitCode code = talk(opened, watch);
            if (code != null) {
                return code;
            }
            Continued next = continued;
            continued = null;
            if (next == null) {
                opened = another(opened.session().agent(), opened);
                shows(opened);
                renderer.follow(opened.session(), change -> true);
                continue;
            }
            opened = next.session();
            watch = new AgentWatch(opened.session().agent());
            shows(opened);
            // What the agent replays is on the screen.
            renderer.followFromNow(opened.session(), change -> true);
            renderer.note("The agent was started anew, and you are logged in.", Styles.QUIET);
            if (opened.how() == OpenedSession.How.NEW) {
                permissions.forget();
            }
            tellNotes(opened);
            AuthenticationRequiredException unused = turn(opened, next.content(), true);
        }
    }

    private void shows(OpenedSession opened) {
        usage = new UsageWatch(opened.session().view().usage().orElse(null));
        session = opened.session();
    }

    /** Opens a new session in the place of one, which stays open if the agent refuses. */
    private OpenedSession another(ConnectedAgent agent, OpenedSession before) throws InterruptedException {
        try {
            OpenedSession opened = opener.openNew(agent);
            permissions.forget();
            renderer.note("A new session. The agent has forgotten the conversation so far.", Styles.QUIET);
            before.session().close();
            return opened;
        } catch (RpcError | MalformedMessageException e) {
            renderer.failed(Failure.of(e).about(agent));
            return before;
        }
    }

    private void tellNotes(OpenedSession opened) {
        opened.takeNotes().forEach(note -> renderer.note(note, Styles.BUSY));
    }

    private ExitCode failed(RuntimeException e, Consumer<Failure> tell) {
        renderer.waiting("");
        console.close();
        Failure failure = opener.explained(Failure.of(e));
        tell.accept(failure);
        return failure.code();
    }

    /** Talks until the user quits, or wants another session: then returns null. */
    private @Nullable ExitCode talk(OpenedSession opened, AgentWatch watch) throws InterruptedException {
        Session current = opened.session();
        ChatCommands commands =
                new ChatCommands(current, opened.options(), renderer, toolCalls, console, permissions, binaries);
        SlashNames names = new SlashNames(current);
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
                    String unknown = names.unknown(line.text());
                    String text = names.meant(line.text()).strip();
                    if (text.equals(":quit") || text.equals(":q")) {
                        return ExitCode.END_OF_TURN;
                    }
                    if (text.equals(":new")) {
                        return null;
                    }
                    if (text.startsWith("/") && unknown != null) {
                        renderer.note(unknown, Styles.QUIET);
                    } else if (!text.isEmpty() && !commands.run(text)) {
                        turn(opened, ChatCommands.unescaped(line.text()));
                        if (continued != null) {
                            return null;
                        }
                    }
                    tellNotes(opened);
                }
            }
        }
    }

    /** Sends a message with the files that it mentions; once more if the agent requires a login and gets it. */
    private void turn(OpenedSession opened, String text) throws InterruptedException {
        ConnectedAgent agent = opened.session().agent();
        Mentions mentions = Mentions.in(text, opened.session().cwd(), agent::supports);
        mentions.notes().forEach(note -> renderer.note(note, Styles.QUIET));
        AuthenticationRequiredException required = turn(opened, mentions.content(), false);
        ConnectedAgent loggedIn = required == null ? null : logIn(agent, required);
        if (loggedIn == null) {
            return;
        }
        if (loggedIn.equals(agent)) {
            AuthenticationRequiredException unused = turn(opened, mentions.content(), true);
        } else {
            continued = new Continued(opener.continued(loggedIn, opened), mentions.content());
        }
    }

    /**
     * Runs a turn. Returns why it failed if the agent requires a login, which is not reported unless it is repeated.
     */
    private @Nullable AuthenticationRequiredException turn(
            OpenedSession opened, List<ContentBlock> content, boolean isRepeated) throws InterruptedException {
        AuthenticationRequiredException required = null;
        elicitation.turnBegins();
        renderer.turnBegins();
        console.turnBegins(interruption::press, new Steering(opened.session(), renderer, console)::takes);
        try (Turn turn = opened.prompt(content)) {
            interruption.turn(turn);
            TurnResult unused = turn.result();
        } catch (AuthenticationRequiredException e) {
            required = e;
        } catch (RpcError e) {
            // The failure is in the timeline, and the chat continues.
        } finally {
            interruption.turn(null);
            console.turnEnds();
            int dropped = opener.takeDropped();
            if (dropped > 0) {
                renderer.failed(DroppedMessages.failure(dropped));
            }
            if (required == null || isRepeated) {
                renderer.turnEnds();
            } else {
                renderer.turnFails();
            }
        }
        return required;
    }

    /**
     * Logs in while a session is open; returns the agent that is logged in, or null if that failed, or the user does
     * not want to.
     */
    private @Nullable ConnectedAgent logIn(ConnectedAgent agent, AuthenticationRequiredException required)
            throws InterruptedException {
        elicitation.turnBegins();
        LoginMethod method;
        try {
            method = questions.login(required.methods());
        } catch (InterruptedException e) {
            requireGoesOn(e);
            method = null;
        }
        if (method == null) {
            renderer.failed(Failure.of(required).about(agent));
            return null;
        }
        console.turnBegins(Thread.currentThread()::interrupt, line -> false);
        renderer.waiting("Logging in", "Ctrl-C cancels");
        try {
            return opener.logIn(agent, method, questions);
        } catch (RpcError | CommandFailedException | UsageException e) {
            renderer.failed(Failure.of(e).about(agent));
            return null;
        } catch (InterruptedException e) {
            requireGoesOn(e);
            renderer.note("Cancelled.", Styles.BUSY);
            return null;
        } finally {
            renderer.waiting("");
            renderer.print(List.of());
            console.turnEnds();
            if (!interruption.hasLeft() && interruption.signalled() == null) {
                // Ctrl-C may have come when the login was done.
                boolean unused = Thread.interrupted();
            }
        }
    }

    /** Throws unless it was the user who interrupted, with a key that does not end the chat. */
    private void requireGoesOn(InterruptedException e) throws InterruptedException {
        if (interruption.hasLeft() || interruption.signalled() != null) {
            throw e;
        }
    }

    private String prompt(Session current) {
        String sign = console.display().symbols().prompt() + " ";
        SessionConfigOption.Select mode = new ConfigOptions(current).mode();
        return mode == null ? sign : "[" + cut(ConfigOptions.current(mode), 24) + "] " + sign;
    }

    private String status(Session current) {
        List<String> parts = new ArrayList<>();
        current.view().title().ifPresent(title -> parts.add(cut(title, 30)));
        if (new ConfigOptions(current).of(SessionConfigOptionCategory.MODEL)
                instanceof SessionConfigOption.Select model) {
            parts.add(cut(ConfigOptions.current(model), 24));
        }
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
                        "Tab after / lists commands" + dot + ":help: chat commands" + dot
                                + "Ctrl-C cancels, twice quits",
                        Styles.QUIET),
                display.widthAfter(0)));
        return lines;
    }

    private static String home(String path) {
        String home = System.getProperty("user.home", "");
        return !home.isEmpty() && path.startsWith(home + "/") ? "~" + path.substring(home.length()) : path;
    }
}
