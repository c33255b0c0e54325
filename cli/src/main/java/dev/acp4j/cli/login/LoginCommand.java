package dev.acp4j.cli.login;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.AgentConnector;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.LoginMethod;
import dev.acp4j.cli.command.NotOfferedException;
import dev.acp4j.cli.command.Recording;
import dev.acp4j.cli.command.SessionOptions;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.connect.DeviceLogin;
import dev.acp4j.cli.connect.RemoteOptions;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.json.JsonWriter;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp login}: logs the user in with an agent. */
@Command(
        name = "login",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = {"acp login [OPTIONS] [METHOD] -- COMMAND [ARGUMENT...]", "       acp login [OPTIONS] URL|NAME"
        },
        description = {
            "Logs in with a method of an agent, then checks that the agent opens a session. Without METHOD, lists the "
                    + "methods.",
            "",
            "Some agents log in by themselves, for example with a browser; of others, a program is run in this terminal; "
                    + "others need keys as variables of the environment, which acp asks for and never stores.",
            "",
            "With the URL of a remote agent, or the NAME of a server as 'acp connect' has it, logs in with the server: it "
                    + "names its authorization server, which gives a code to enter in a browser on any machine. The token "
                    + "is kept in a file that only you may read, sent to this URL only, and renewed when it has expired."
        },
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp login -- gemini --acp",
            "  acp login oauth-personal -- gemini --acp",
            "  acp login https://agents.example/acp",
            "",
            "Exit codes:",
            "    0  the user is logged in, or the methods were listed",
            "    1  the agent could not be started, died, refused the login, or opens no session",
            "    2  wrong command line, or unknown METHOD",
            "    6  standard output could not be written",
            "    8  the agent or the server offers no way to log in",
            "  130  interrupted",
            "  141  standard output was closed by its reader"
        })
public final class LoginCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final AgentChoice agent;

    @Mixin
    private final SessionOptions options = new SessionOptions();

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "METHOD|URL|NAME",
            description = "The id of a method of the agent, or a remote agent.")
    private @Nullable String method;

    @Mixin
    private final RemoteOptions remote = new RemoteOptions();

    @Option(
            names = "--client-id",
            paramLabel = "ID",
            description = "The id that the authorization server of a remote agent has given to this program; default: "
                    + "it is registered there.")
    private @Nullable String clientId;

    @Option(
            names = "--scope",
            paramLabel = "SCOPE",
            description = "What the token for a remote agent may be used for; default: what the server names.")
    private @Nullable String scope;

    @Option(names = "--json", description = "List the methods as one JSON object per line.")
    private boolean json;

    public LoginCommand(Streams streams, AgentChoice agent) {
        this.streams = streams;
        this.agent = agent;
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        if (method != null && !agent.isGiven() && RemoteOptions.isPlace(method)) {
            DeviceLogin login = remote.login(remote.find(method), streams.err()::println);
            login.logIn(clientId, scope);
            streams.err().println("Logged in. The token is in " + SafeText.line(login.place()));
            return ExitCode.END_OF_TURN.number();
        }
        if (json && method != null) {
            throw new UsageException("--json lists the methods and cannot be combined with METHOD");
        }
        if (options.login != null) {
            throw new UsageException("the method is given without --login: acp login METHOD -- COMMAND");
        }
        try (Recording recording = new Recording(options.trace, streams)) {
            AgentConnector connector = new AgentConnector(options, agent, options.folder(), recording);
            Login login = new Login(connector, streams);
            if (method != null) {
                login.with(method);
                streams.err().println("Logged in: the agent opens a session.");
                return ExitCode.END_OF_TURN.number();
            }
            try (ConnectedAgent connected = login.connect()) {
                list(LoginMethod.of(connected.authMethods()));
            }
        }
        return ExitCode.END_OF_TURN.number();
    }

    private void list(List<LoginMethod> methods) {
        if (methods.isEmpty()) {
            throw new NotOfferedException("the agent offers no way to log in; use its own command");
        }
        int widest = 0;
        for (LoginMethod each : methods) {
            widest = Math.max(widest, each.safeId().length());
        }
        for (LoginMethod each : methods) {
            if (json) {
                streams.out().json(json(each));
                continue;
            }
            String description = each.description();
            String text = each.safeName() + (description == null ? "" : ": " + SafeText.line(description));
            String pad = " ".repeat(widest - each.safeId().length() + 2);
            Wrap.lines(
                            Styles.of(text, Styles.QUIET),
                            streams.outDisplay().widthAfter(0),
                            Styles.plain(each.safeId() + pad),
                            Styles.plain(" ".repeat(widest + 2)))
                    .forEach(streams.out()::print);
        }
    }

    private static String json(LoginMethod method) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("id");
        out.string(method.id());
        out.name("type");
        out.string(method.typeName());
        out.name("name");
        out.string(method.name());
        if (method.description() != null) {
            out.name("description");
            out.string(method.description());
        }
        String link = method.link();
        if (link != null) {
            out.name("link");
            out.string(link);
        }
        if (!method.variables().isEmpty()) {
            out.name("variables");
            out.beginArray();
            for (LoginMethod.Variable variable : method.variables()) {
                out.beginObject();
                out.name("name");
                out.string(variable.name());
                out.name("label");
                out.string(variable.label());
                out.name("secret");
                out.bool(variable.isSecret());
                out.name("optional");
                out.bool(variable.isOptional());
                out.endObject();
            }
            out.endArray();
        }
        out.endObject();
        return out.toRawJson().toString();
    }
}
