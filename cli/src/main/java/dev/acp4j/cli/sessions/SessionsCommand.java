package dev.acp4j.cli.sessions;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.SessionSetup;
import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.AgentConnector;
import dev.acp4j.cli.command.DroppedMessages;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.NotOfferedException;
import dev.acp4j.cli.command.Recording;
import dev.acp4j.cli.command.SessionOptions;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.session.EarlierSessions;
import dev.acp4j.cli.session.EventJson;
import dev.acp4j.cli.session.Transcript;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CloseSessionRequest;
import dev.acp4j.schema.CloseSessionResponse;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code acp sessions}: the sessions that an agent keeps. */
@Command(
        name = "sessions",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = {
            "acp sessions [OPTIONS] [list | show ID | delete ID | close ID] [-- COMMAND [ARGUMENT...]]",
            "       acp sessions delete --older-than AGE [--yes] [OPTIONS] [-- COMMAND [ARGUMENT...]]"
        },
        description = {
            "Lists the sessions that an agent keeps, shows the conversation of one, deletes or closes one, or deletes "
                    + "all that were last used some time ago.",
            "",
            "All folders are listed unless --cwd names one. The beginning of an ID is enough if no other one begins so. "
                    + "'acp chat --resume ID' continues a session."
        },
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp sessions",
            "  acp sessions --cwd . -- gemini --acp",
            "  acp sessions show 3f2a -- claude-agent-acp",
            "  acp sessions --json | jq -r .sessionId",
            "  acp sessions delete --older-than 30d --cwd .",
            "",
            "Exit codes:",
            "    0  done",
            "    1  the agent could not be started, died, did not respond, or responded with an error",
            "    2  wrong command line, there is no such session, or no terminal to ask for consent",
            "    6  standard output could not be written",
            "    7  some messages of the agent could not be read",
            "    8  the agent does not offer this",
            "  130  interrupted",
            "  141  standard output was closed by its reader"
        })
public final class SessionsCommand implements Callable<Integer> {
    /** What is done. */
    enum Action {
        LIST,
        SHOW,
        DELETE,
        CLOSE
    }

    /** Reads an action by its name. */
    static final class ActionReader implements ITypeConverter<Action> {
        @Override
        public Action convert(String text) {
            return switch (text) {
                case "list" -> Action.LIST;
                case "show" -> Action.SHOW;
                case "delete" -> Action.DELETE;
                case "close" -> Action.CLOSE;
                default ->
                    throw new TypeConversionException("expected list, show, delete or close, got '" + text + "'");
            };
        }
    }

    private final Streams streams;

    @Mixin
    private final AgentChoice agent;

    @Mixin
    private final SessionOptions options = new SessionOptions();

    @Parameters(index = "0", arity = "0..1", paramLabel = "ACTION", hidden = true, converter = ActionReader.class)
    private Action action = Action.LIST;

    @Parameters(index = "1", arity = "0..1", paramLabel = "ID", hidden = true)
    private @Nullable String id;

    @Option(
            names = "--older-than",
            paramLabel = "AGE",
            converter = Ages.class,
            description =
                    "With delete: those last used longer ago than AGE, such as 12h, 30d or 4w. Lists them and asks.")
    private @Nullable Duration age;

    @Option(names = "--yes", description = "With --older-than: delete without asking.")
    private boolean yes;

    @Option(
            names = "--json",
            description =
                    "Print one JSON object per line: a session that is listed or, with --older-than, was deleted; "
                            + "with show, an event.")
    private boolean json;

    public SessionsCommand(Streams streams, AgentChoice agent) {
        this.streams = streams;
        this.agent = agent;
    }

    @Override
    public Integer call() throws InterruptedException {
        check();
        try (Recording recording = new Recording(options.trace, streams)) {
            AgentConnector connector = new AgentConnector(options, agent, options.folder(), recording);
            Shown shown = new Shown();
            try (ConnectedAgent connected =
                    connector.connect(streams.err()::println, client -> client.onEvent(shown))) {
                connector.logIn(connected);
                switch (action) {
                    case LIST -> list(connected);
                    case SHOW -> show(connected, connector.cwd(), shown);
                    case DELETE -> delete(connected);
                    case CLOSE -> close(connected);
                }
            }
            return reportDropped(connector.takeDropped()).number();
        }
    }

    private void check() {
        if (age != null && action != Action.DELETE) {
            throw new UsageException("--older-than is for delete: acp sessions delete --older-than AGE");
        }
        if (age != null && id != null) {
            throw new UsageException("delete takes the id of a session or --older-than, not both");
        }
        if (yes && age == null) {
            throw new UsageException("--yes is for --older-than; one session is deleted without asking");
        }
        if ((action == Action.LIST || age != null) != (id == null)) {
            throw new UsageException(
                    id == null ? "the id of a session is missing; 'acp sessions' lists them" : "list takes no id");
        }
        if (id != null && id.isBlank()) {
            throw new UsageException("the id of the session is empty; 'acp sessions' lists them");
        }
    }

    /** Messages of the agent that could not be read are missing in what was printed. */
    private ExitCode reportDropped(int count) {
        if (count == 0) {
            return ExitCode.END_OF_TURN;
        }
        Failure failure = DroppedMessages.failure(count);
        failure.tell(streams);
        return failure.code();
    }

    private void list(ConnectedAgent connected) throws InterruptedException {
        NotOfferedException.require(connected, Feature.LIST_SESSIONS);
        List<SessionInfo> sessions = EarlierSessions.listed(connected, folder());
        if (json) {
            sessions.forEach(info -> streams.out().json(SessionsText.json(info)));
        } else {
            SessionsText.lines(sessions, streams.outDisplay()).forEach(streams.out()::print);
        }
    }

    /** Returns the folder whose sessions are meant; null for all. */
    private @Nullable Path folder() {
        return options.cwd == null ? null : options.folder();
    }

    private void show(ConnectedAgent connected, Path here, Shown shown) throws InterruptedException {
        NotOfferedException.require(connected, Feature.LOAD_SESSION);
        SessionInfo info = known(connected);
        SessionId session = info == null ? SessionId.of(wanted()) : info.sessionId();
        Path cwd = info == null ? here : EarlierSessions.folder(info);
        if (json) {
            shown.prints(new EventJson(streams.out()::json));
        }
        Session loaded = connected.loadSession(session, SessionSetup.in(cwd));
        if (!json) {
            Transcript.print(loaded, streams);
        }
    }

    private void delete(ConnectedAgent connected) throws InterruptedException {
        if (age != null) {
            new OldSessions(connected, streams, json).delete(Instant.now().minus(age), folder(), yes);
            return;
        }
        NotOfferedException.require(connected, Feature.DELETE_SESSION);
        SessionInfo info = known(connected);
        connected.deleteSession(info == null ? SessionId.of(wanted()) : info.sessionId());
        say("Deleted " + (info == null ? SafeText.line(wanted()) : SessionsText.name(info)) + ".");
    }

    /** A session of another process: this client has not opened it. */
    private void close(ConnectedAgent connected) throws InterruptedException {
        NotOfferedException.require(connected, Feature.CLOSE_SESSION);
        SessionInfo info = known(connected);
        SessionId session = info == null ? SessionId.of(wanted()) : info.sessionId();
        CloseSessionResponse unused = connected.call(AgentMethods.CLOSE_SESSION, CloseSessionRequest.of(session));
        say("Closed " + (info == null ? SafeText.line(wanted()) : SessionsText.name(info)) + ".");
    }

    private void say(String text) {
        if (!json) {
            streams.err().println(text);
        }
    }

    /** Returns the session with the id; null for an agent that does not list its sessions. */
    private @Nullable SessionInfo known(ConnectedAgent connected) throws InterruptedException {
        if (!connected.supports(Feature.LIST_SESSIONS)) {
            return null;
        }
        SessionInfo info = EarlierSessions.find(EarlierSessions.listed(connected, null), wanted());
        if (info == null) {
            throw new UsageException("there is no session " + SafeText.line(wanted()) + "; 'acp sessions' lists them");
        }
        return info;
    }

    private String wanted() {
        return String.valueOf(id);
    }

    /** Prints the events of the session that is loaded. */
    private static final class Shown implements Session.Listener {
        private volatile @Nullable EventJson json;

        void prints(EventJson out) {
            json = out;
        }

        @Override
        public void event(Session session, SessionEvent event) {
            EventJson out = json;
            if (out != null) {
                out.event(session, event);
            }
        }
    }
}
