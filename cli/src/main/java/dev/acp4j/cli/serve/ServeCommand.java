package dev.acp4j.cli.serve;

import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.AgentLauncher;
import dev.acp4j.cli.command.CommandFailedException;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.conduct.ExaminedChain;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.http.Authenticator;
import dev.acp4j.http.Http;
import dev.acp4j.http.HttpServer;
import dev.acp4j.http.RunningServer;
import dev.acp4j.http.UnavailableException;
import dev.acp4j.http.gateway.Gateway;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.process.Launch;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jline.utils.Signals;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code acp serve}: an agent for clients on other machines. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = "acp serve [OPTIONS] [NAME | -- COMMAND]",
        description = {
            "Serves an agent over Streamable HTTP and WebSocket: to this machine by default, to others with --listen.",
            "",
            "Starts the installed agent NAME, the command, or the built-in agent, for each client that connects with 'acp connect URL' or another "
                    + "client of the protocol. By default it listens on 127.0.0.1 and accepts one token, stored in a file "
                    + "that only you can read. {principal} and {root} in COMMAND stand for the user and, with --root, its "
                    + "folder.",
            "",
            "/approvals is a page on which users answer the questions of their agents. SIGTERM lets running turns end."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp serve claude",
            "  acp serve -- gemini --acp",
            "  acp serve --chain chain.yaml",
            "  acp serve --config /etc/acp/serve.yaml",
            "  acp serve --listen 0.0.0.0 --port 443 --host agents.example --tls-certificate cert.pem "
                    + "--tls-key key.pem --tokens tokens --per user --root /srv/agents -- my-agent",
            "",
            "Exit codes:",
            "    0  stopped by SIGTERM or Ctrl-C",
            "    1  the server could not listen, or the agent cannot be started",
            "    2  wrong command line or configuration, or it would not be safe",
            "  143  stopped by a second signal, without waiting"
        })
public final class ServeCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final AgentChoice agent;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Mixin
    private final ServeOptions given = new ServeOptions();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description =
                    "Read options from this file, YAML or JSON: their names without hyphens, and command, a list of "
                            + "words. Options on the command line override those of the file.")
    private @Nullable Path config;

    @Option(
            names = "--attach",
            description =
                    "Join standard input and output to the server of this agent, which is started if there is none, and "
                            + "outlives this: for 'acp connect --attach ssh://HOST/COMMAND'. No other option goes with it.")
    private boolean attaches;

    @Option(names = "--check", description = "Check the configuration, and make no file and start nothing.")
    private boolean check;

    @Option(names = "--json", description = "Print on standard output where the server listens, as JSON.")
    private boolean json;

    public ServeCommand(Streams streams, AgentChoice agent) {
        this.streams = streams;
        this.agent = agent;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (attaches) {
            return attach();
        }
        ServeFile file = config == null ? null : ServeFile.read(config);
        ServeOptions options =
                file == null ? given : file.with(spec.commandLine().getParseResult());
        Set<String> names = new HashSet<>(file == null ? Set.of() : file.options());
        spec.commandLine().getParseResult().matchedOptions().forEach(option -> names.add(option.longestName()));
        Launch launch = launch(options.chain, file == null ? List.of() : file.command());
        Serving serving = new Serving(options, names, launch, !check);
        HttpServer server = serving.server();
        Gateway.Builder gateway = serving.gateway();
        resolve(serving.agent());
        if (check) {
            streams.out().println("the configuration is valid");
            return ExitCode.END_OF_TURN.number();
        }
        ServeLog log = new ServeLog(streams.err(), options.log.equals("json"));
        log.takeOver();
        CountDownLatch stop = new CountDownLatch(1);
        watchSignals(stop);
        serve(serving, server, gateway.onEvent(log::write), log, stop);
        return ExitCode.END_OF_TURN.number();
    }

    /** The server has no options: another line with others would find it, and not get what they say. */
    private int attach() throws InterruptedException {
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            if (!option.longestName().equals("--attach")) {
                throw new UsageException(option.longestName() + " cannot be combined with --attach; for a server with "
                        + "options, use 'acp serve' and forward its port by ssh");
            }
        }
        if (agent.named() != null || !agent.isGiven()) {
            throw new UsageException("--attach needs the command of the agent: acp serve --attach -- COMMAND");
        }
        return AttachedLine.join(agent.launch());
    }

    private Launch launch(@Nullable Path chain, List<String> inFile) {
        AgentChoice last = agent.isGiven() || inFile.isEmpty() ? agent : new AgentChoice(inFile, true);
        if (chain != null) {
            return chained(chain, last);
        }
        return last.isGiven() ? last.launch() : AgentLauncher.acp("agent");
    }

    /**
     * Returns the launch of a chain. It runs in the folder of a user, so paths are made absolute: nothing there is
     * started by its name.
     */
    private Launch chained(Path chain, AgentChoice last) {
        if (last.named() != null) {
            throw new UsageException("an agent by name cannot be combined with --chain: each user's folder could have "
                    + "another version of it; give its command after -- or in the chain file");
        }
        if (!ExaminedChain.check(streams, last, chain)) {
            throw new UsageException("the chain file has no agent: give its command after --");
        }
        List<String> words = new ArrayList<>(
                List.of("conduct", "--chain", chain.toAbsolutePath().toString()));
        if (last.isGiven()) {
            Launch launch = AgentLauncher.in(Path.of("").toAbsolutePath(), last.launch());
            words.addAll(List.of("--", launch.command()));
            words.addAll(launch.arguments());
        }
        return AgentLauncher.acp(words.toArray(String[]::new));
    }

    private static void resolve(Launch agent) throws InterruptedException {
        try {
            agent.resolve();
        } catch (IOException e) {
            throw new CommandFailedException(Failure.agent(SafeText.line(String.valueOf(e.getMessage()))));
        }
    }

    /** The first signal lets turns end, the second does not. */
    private static void watchSignals(CountDownLatch stop) {
        Runnable action = () -> {
            if (stop.getCount() == 0) {
                // Not on the thread of the signal, which the hooks of the exit may need.
                Thread unused = Thread.ofPlatform()
                        .daemon()
                        .name("acp-signal")
                        .start(() -> System.exit(ExitCode.TERMINATED.number()));
            }
            stop.countDown();
        };
        List.of("TERM", "INT", "HUP").forEach(signal -> Signals.register(signal, action));
    }

    private void serve(
            Serving serving, HttpServer configured, Gateway.Builder agents, ServeLog log, CountDownLatch stop)
            throws InterruptedException {
        try (Gateway gateway = agents.build()) {
            IdleShutdown idle = new IdleShutdown();
            HttpServer server = configured.pages(gateway.pages()).onEvent(event -> {
                idle.note(event);
                gateway.count(event);
                log.write(event);
            });
            long deadline;
            try (RunningServer running = server.start(gateway);
                    RunningServer operations = operations(serving.options(), gateway, running)) {
                announce(serving, running, operations, log);
                idle.await(stop, serving.options().unused);
                deadline = System.nanoTime() + serving.options().drain.toNanos();
            }
            // One time for all: the server has waited for the turns of its clients.
            boolean unused = gateway.awaitIdle(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
        } catch (IOException e) {
            throw failed(e, "--port");
        }
        log.end();
        log.write("info", "stopped");
    }

    private static CommandFailedException failed(IOException e, String portOption) {
        String message = String.valueOf(e.getMessage());
        String next = message.contains("is open in another process")
                ? "End the server that uses it, or give this one a file of its own with --session-owners."
                : message.contains("in use")
                        ? "Choose another port with " + portOption + ", or end the program that listens there."
                        : "'acp serve --check' checks a configuration.";
        return new CommandFailedException(Failure.agent(SafeText.line(message), next));
    }

    private static @Nullable RunningServer operations(ServeOptions options, Gateway gateway, RunningServer server) {
        if (options.metricsPort == null) {
            return null;
        }
        try {
            return operations(options.metricsPort, gateway, server);
        } catch (IOException e) {
            throw failed(e, "--metrics-port");
        }
    }

    private static RunningServer operations(int port, Gateway gateway, RunningServer server) throws IOException {
        return Http.on(port)
                .authenticator(Authenticator.none())
                .webSocket(false)
                .pages(gateway.operationsPages(server::isReady))
                .drainTime(Duration.ZERO)
                .start(client -> {
                    throw new UnavailableException(
                            "no_agents", "agents are at another port", false, Duration.ofHours(1));
                });
    }

    private void announce(Serving serving, RunningServer running, @Nullable RunningServer operations, ServeLog log) {
        String url = running.uri().toString();
        String tokens = serving.tokenFile().toString();
        boolean isSocket = serving.options().socket != null;
        boolean isOwn = serving.isOwnersOnly() && !isSocket;
        log.write(
                "info",
                "listening",
                "url",
                url,
                "approvals",
                isSocket ? "" : running.uri().resolve("/approvals").toString(),
                "metrics",
                operations == null ? "" : operations.uri().resolve("/metrics").toString(),
                "tokens",
                tokens,
                "pin",
                serving.pin());
        if (json) {
            Map<String, JsonValue> line = new LinkedHashMap<>();
            line.put("url", JsonString.of(url));
            if (!tokens.isEmpty()) {
                line.put("tokens", JsonString.of(tokens));
            }
            if (!serving.pin().isEmpty()) {
                line.put("pin", JsonString.of(serving.pin()));
            }
            if (operations != null) {
                line.put(
                        "metrics",
                        JsonString.of(operations.uri().resolve("/metrics").toString()));
            }
            streams.out().println(JsonObject.of(line).toString());
        } else if (isOwn && serving.options().log.equals("text")) {
            String pin = serving.pin().isEmpty() ? "" : "--pin " + serving.pin() + " ";
            streams.err().println("Connect: acp connect " + pin + "--token-file " + SafeText.line(tokens) + " " + url);
        }
    }
}
