package dev.acp4j.cli.connect;

import dev.acp4j.Stdio;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.Recording;
import dev.acp4j.cli.command.Termination;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.http.Http;
import dev.acp4j.http.RemoteAgent;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxies.PathMapper;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RunningProxy;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Method;
import dev.acp4j.trace.Tracer;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp connect}: an agent on another machine, as a local one. */
@Command(
        name = "connect",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = "acp connect [OPTIONS] URL|NAME",
        description = {
            "Makes an agent on another machine look like a local one.",
            "",
            "Reads and writes the protocol on standard input and output, so an editor starts it in the place of an agent. "
                    + "What is cut on the way goes on where it was, if the server can resume; otherwise the sessions are "
                    + "resumed or loaded on a new connection. A prompt is carried out at most once.",
            "",
            "URL is that of the endpoint: https, or wss for WebSocket only; http and ws on this machine. "
                    + "ssh://[USER@]HOST[:PORT]/COMMAND runs the command there by the system's ssh, without any server; "
                    + "with --attach, and acp there, sessions outlive the line.",
            "",
            "NAME is that of a server in ~/.config/acp/servers.json: {\"servers\": {\"build\": {\"url\": "
                    + "\"https://build.example/acp\", \"tokenFile\": \"build-token\"}}}. Beside url there may be over, "
                    + "ca, pin, clientCertificate, tokenEnv, tokenFile and tokenCommand, which are the options of those "
                    + "names, proxy, and headers; over ssh, \"attach\": true.",
            "",
            "Proxies are those of HTTPS_PROXY, ALL_PROXY and NO_PROXY."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp connect https://agents.example/acp",
            "  acp connect --token-command 'secret-tool lookup acp token' https://agents.example/acp",
            "  acp connect --map /home/me/project=/srv/project ssh://build.example/acp%20agent",
            "  acp connect --attach ssh://build.example/my-agent",
            "  {\"command\": \"acp\", \"args\": [\"connect\", \"https://agents.example/acp\"]}",
            "",
            "Exit codes:",
            "    0  the client has closed the connection",
            "    1  the agent cannot be reached, or ended the connection",
            "    2  wrong command line, or the token cannot be read",
            "    6  standard output could not be written",
            "    9  the server refused the credential",
            "   10  the connection was lost and could not be made again",
            "  129, 143  ended by SIGHUP or SIGTERM; the server ends the connection, too"
        })
public final class ConnectCommand implements Callable<Integer> {
    private static final String LOGIN_REQUIRED = "login_required";
    private static final Duration OUTAGE = Duration.ofSeconds(2);

    private final Streams streams;

    @Parameters(arity = "1", paramLabel = "URL|NAME", description = "Where the agent is.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String url;

    @Mixin
    private final RemoteOptions remote = new RemoteOptions();

    @Option(
            names = "--attach",
            description = "Over ssh, run 'acp serve --attach -- COMMAND' there: the agent outlives the line, and turns "
                    + "go on where it was cut. COMMAND is a program and its words; for more, write sh -c '...'.")
    private boolean attaches;

    @Option(
            names = "--keep",
            description =
                    "At the end, leave the sessions at the server, where turns go on: the server ends them by its "
                            + "grace, or keeps them for the next connection with 'acp serve --per user'. Not over ssh.")
    private boolean keeps;

    @Option(
            names = "--map",
            paramLabel = "LOCAL=REMOTE",
            description = "Translate paths between this machine and the agent's; repeatable.")
    private List<String> maps = new ArrayList<>();

    @Option(
            names = "--offer",
            split = ",",
            paramLabel = "files,terminals",
            description =
                    "Offer the files or terminals of the editor to the agent. Without it they are hidden: the agent is "
                            + "on another machine.")
    private List<String> offers = new ArrayList<>();

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description = "Record the messages between the client and here, without secrets.")
    private @Nullable String trace;

    @Option(
            names = {"-v", "--verbose"},
            description = "Print on standard error what the connection survives.")
    private boolean verbose;

    public ConnectCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        for (String offer : offers) {
            if (!offer.equals("files") && !offer.equals("terminals")) {
                throw new UsageException(
                        "expected --offer files, terminals or both, got --offer " + SafeText.line(offer));
            }
        }
        URI uri = remote.find(url);
        attaches |= remote.attaches();
        if (RemoteOptions.isSsh(uri)) {
            remote.requireNoneForHttp();
        } else if (attaches) {
            throw new UsageException(
                    "--attach is for ssh://HOST/COMMAND: sessions of a server outlive their connections");
        }
        if (keeps && RemoteOptions.isSsh(uri)) {
            throw new UsageException(
                    "--keep is for servers that others can reach: a later 'acp connect --attach' has an "
                            + "agent of its own");
        }
        Editor editor = new Editor(Stdio.system());
        Termination termination = Termination.watched();
        try (Outages outages = new Outages(streams, editor, place(uri), OUTAGE);
                Recording recording = new Recording(trace, streams)) {
            Ssh ssh = RemoteOptions.isSsh(uri)
                    ? new Ssh(uri, attaches, line -> streams.err().println(line))
                    : null;
            Transport opened = open(ssh == null ? remote.way(uri).agent() : over(uri, ssh), outages);
            Transport agent = keeps ? new KeptAgent(opened, editor) : opened;
            Tracer tracer = recording.begin("acp connect " + place(uri));
            try (RunningProxy running =
                    proxy().join(tracer == null ? editor : tracer.watch(editor, "agent", "client"), agent)) {
                awaitClosed(running, agent);
                String agentEnd = ssh == null ? null : ssh.commandFailure();
                return agentEnd == null ? ended(running, outages, editor) : failed(agentEnd, "", ExitCode.AGENT_FAILED);
            }
        } catch (InterruptedException e) {
            // The server has been told meanwhile.
            Failure signal = termination.failure();
            if (signal == null) {
                throw e;
            }
            return signal.code().number();
        }
    }

    private static void awaitClosed(RunningProxy running, Transport agent) throws InterruptedException {
        try {
            running.awaitClosed();
        } catch (InterruptedException e) {
            // The server ends the turns that run, which are not waited for here.
            agent.close();
            throw e;
        }
    }

    private static String place(URI uri) {
        return SafeText.line(uri.getScheme() + "://" + uri.getRawAuthority());
    }

    private RemoteAgent over(URI uri, Ssh ssh) {
        RemoteAgent agent = Http.to(uri, ssh);
        return attaches ? agent.over(RemoteAgent.Over.WEBSOCKET) : agent;
    }

    private Transport open(RemoteAgent agent, Outages outages) {
        try {
            return agent.forwarding()
                    .leavesRunning(keeps)
                    .onState(outages::state)
                    .onProblem(problem -> {
                        if (!outages.problem(SafeText.line(problem.detail()))) {
                            report(problem.detail());
                        }
                    })
                    .open();
        } catch (IOException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private Proxy proxy() {
        Proxy hides = Proxy.builder("connect", Version.text())
                .onRequests(
                        Method.Side.AGENT, "initialize"::equals, (params, hop) -> advised(hop.forward(hidden(params))))
                .onProblem(problem -> report(problem.detail()))
                .build();
        if (maps.isEmpty()) {
            return hides;
        }
        PathMapper.Builder mapper = PathMapper.builder().onNotice(this::report);
        for (String map : maps) {
            int equals = map.indexOf('=');
            if (equals <= 0 || equals == map.length() - 1) {
                throw new UsageException("expected --map LOCAL=REMOTE, got --map " + SafeText.line(map));
            }
            mapper.map(map.substring(0, equals), map.substring(equals + 1));
        }
        return hides.then(mapper.build());
    }

    /** Returns the params of {@code initialize} without what the agent is not offered. */
    private RawJson hidden(RawJson params) {
        if (!(params.value() instanceof JsonObject object)) {
            return params;
        }
        Map<String, JsonValue> members = new LinkedHashMap<>(object.members());
        // An editor that offers both versions of the protocol may send the members of both.
        for (String name : List.of("clientCapabilities", "capabilities")) {
            if (members.get(name) instanceof JsonObject capabilities) {
                members.put(name, hidden(capabilities));
            }
        }
        return RawJson.of(JsonObject.of(members));
    }

    private JsonObject hidden(JsonObject capabilities) {
        Map<String, JsonValue> rest = new LinkedHashMap<>(capabilities.members());
        if (!offers.contains("files") && rest.remove("fs") != null) {
            report("the files of the editor are not offered to the agent; --offer files does");
        }
        if (!offers.contains("terminals") && rest.remove("terminal") != null) {
            report("the terminals of the editor are not offered to the agent; --offer terminals does");
        }
        return JsonObject.of(rest);
    }

    /** Says what to do, if that is known here. */
    private Answer<RawJson> advised(Answer<RawJson> answer) throws RpcError {
        if (!answer.isError()) {
            return answer;
        }
        RpcError error = answer.error();
        String advice = advice(reason(error));
        if (advice.isEmpty()) {
            return answer;
        }
        throw new RpcError(
                error.code(), error.getMessage() + "; " + advice, error.data().orElse(null));
    }

    /** Returns the reason that the transport gives for an error; empty if it is one of the agent. */
    private static String reason(RpcError error) {
        return error.data().map(RawJson::value).orElse(null) instanceof JsonObject data
                ? data.text("reason").orElse("")
                : "";
    }

    private String advice(String reason) {
        return switch (reason) {
            case LOGIN_REQUIRED -> "log in with: " + login();
            case "tls" ->
                "if it is the right server, trust its certificate with --ca FILE or --pin SHA256; 'acp doctor "
                        + SafeText.line(url) + "' says more";
            default -> "";
        };
    }

    private String login() {
        return "acp login " + SafeText.line(url);
    }

    private void report(String detail) {
        if (verbose) {
            streams.err().println("acp: " + SafeText.line(detail));
        }
    }

    private int ended(RunningProxy running, Outages outages, Editor editor) {
        IOException unwritten = editor.unwritten();
        if (unwritten != null) {
            return unwritten(unwritten);
        }
        Throwable failure = running.failure().orElse(null);
        if (failure == null) {
            return editor.hasLeft()
                    ? ExitCode.END_OF_TURN.number()
                    : failed("the server has ended the connection", "", ExitCode.AGENT_FAILED);
        }
        String message = SafeText.line(String.valueOf(failure.getMessage()));
        String reason = RemoteAgent.reason(failure).orElse("");
        ExitCode code = switch (reason) {
            case "not_allowed", LOGIN_REQUIRED -> ExitCode.NOT_ALLOWED;
            default -> outages.wasDown() ? ExitCode.LOST : ExitCode.AGENT_FAILED;
        };
        return failed(message, reason, code);
    }

    /** A client that reads no more has left, which is no failure. */
    private int unwritten(IOException e) {
        Failure lost = Failure.ofOutput(e.getCause() instanceof IOException cause ? cause : e);
        if (lost.code() == ExitCode.OUTPUT_UNREAD) {
            return ExitCode.END_OF_TURN.number();
        }
        lost.tell(streams);
        return lost.code().number();
    }

    private int failed(String message, String reason, ExitCode code) {
        Failure ended = reason.equals(LOGIN_REQUIRED)
                ? Failure.agent(message, "Log in with: " + login())
                : Failure.agent(message);
        ended.ending(code).tell(streams);
        return code.number();
    }
}
