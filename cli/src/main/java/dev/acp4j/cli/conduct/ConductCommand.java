package dev.acp4j.cli.conduct;

import dev.acp4j.Stdio;
import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.AgentLauncher;
import dev.acp4j.cli.command.CommandFailedException;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.Recording;
import dev.acp4j.cli.command.Termination;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.proxy.ReadyProxy;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.mcp.McpBridge;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.ChainTrace;
import dev.acp4j.proxy.Component;
import dev.acp4j.proxy.RunningChain;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code acp conduct}: proxies and an agent as one agent. */
@Command(
        name = "conduct",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = {
            "acp conduct [-p PROXY]... [OPTIONS] {NAME | -- COMMAND}",
            "       acp conduct --chain FILE [OPTIONS] [NAME | -- COMMAND]",
            "       acp conduct --proxy -p PROXY... [OPTIONS]",
            "       acp conduct status [--json]",
            "       acp conduct trust [--sha256 DIGEST] FILE"
        },
        description = {
            "Runs a chain: proxies, and the agent at its end, which together are one agent to the client.",
            "",
            "It reads and writes the protocol, one JSON message per line, so an editor starts it in the place of the "
                    + "agent. Without a proxy everything passes, the agent's exit code included. The agent gets all "
                    + "variables of the environment, a proxy those that programs need, and those that it is given: "
                    + "-p 'MODE=fast KEY=$KEY ./proxy'. What they write on standard error is shown with their names.",
            "",
            "A command with the word {} is a wrapper, a program that takes the command line of an agent: it is "
                    + "started with that of the rest of the chain there."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp conduct -p ./brief-proxy -- gemini --acp",
            "  acp conduct -p 'npx context-proxy' --on-death restart,bypass -- gemini --acp",
            "  acp conduct -p ./brief-proxy -p 'acp trace -- {}' -- gemini --acp",
            "  acp conduct -p context: -p 'policy:allow=read,search deny=delete' -- gemini --acp",
            "  acp conduct -p ./brief-proxy --print -- gemini --acp > chain.yaml",
            "  acp chat --chain chain.yaml",
            "",
            "docs/proxies.md describes proxies and chain files.",
            "",
            "Exit codes:",
            "    0  the client has closed the connection; without a proxy, the exit code of the agent",
            "    1  a program could not be started, or its end has ended the chain",
            "    2  wrong command line, or an invalid chain file",
            "    6  standard output could not be written",
            "  130, 143  ended by SIGINT or SIGTERM; 129 by SIGHUP, without a chain file"
        })
public final class ConductCommand implements Callable<Integer> {
    /** Variables before a command are in capitals, as a rule, so this is the name of a component. */
    private static final Pattern NAMED = Pattern.compile("([a-z][a-z0-9-]*)=(.*)", Pattern.DOTALL);

    /** A ready-made proxy with its options. */
    private static final Pattern READY = Pattern.compile("([a-z][a-z-]*):(.*)", Pattern.DOTALL);

    private static final String AGENT = "agent";

    /** How long programs have to end by themselves, twice, when the chain is ended by a signal. */
    private static final Duration WHEN_TERMINATED = Duration.ofMillis(400);

    private final Streams streams;

    @Mixin
    private final AgentChoice agent;

    @Option(
            names = {"-p"},
            paramLabel = "PROXY",
            description = "The command line of a proxy, in quotes, or NAME=COMMAND with a name in small letters; or a "
                    + "ready-made one, as NAME:OPTION=VALUE, see 'acp proxy'. Repeatable, the first is next to the "
                    + "client.")
    private List<String> proxies = List.of();

    @Option(
            names = "--chain",
            paramLabel = "FILE",
            description =
                    "Take the chain from this file, YAML or JSON. A name, or a command after --, replaces its agent.")
    private @Nullable Path chain;

    @Option(names = "--proxy", description = "The chain has no agent: it is itself a proxy, for another conductor.")
    private boolean isProxy;

    @Option(
            names = "--legacy",
            paramLabel = "NAME",
            description = "Use _proxy/initialize, the dialect of older conductors, for the proxy NAME; repeatable.")
    private List<String> legacy = List.of();

    @Option(
            names = "--on-death",
            paramLabel = "[NAME=]POLICY,...",
            description = "What happens when a proxy dies, tried in this order: restart, bypass or fail; without NAME, "
                    + "for all proxies. Default: restart,fail. For the agent, agent=restart,fail starts it again and opens its "
                    + "sessions anew; default: fail. Repeatable.")
    private List<String> onDeath = List.of();

    @Option(
            names = "--cwd",
            paramLabel = "FOLDER",
            description = "The folder in which programs run that have none of their own; default: the current one. "
                    + "Commands are looked up from the current one.")
    private @Nullable Path cwd;

    @Option(names = "--print", description = "Print the chain as a chain file, and start nothing.")
    private boolean print;

    @Option(
            names = "--log",
            paramLabel = "FILE",
            description = "Append reports, such as that of a proxy that died, to this file; default: standard error.")
    private @Nullable Path log;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Record the messages of all hops, from the client to the agent, without secrets; acp trace show "
                            + "shows them.")
    private @Nullable String trace;

    @Option(
            names = "--watch",
            description =
                    "Change the running chain when its file changes, as at SIGHUP: each session between two turns. "
                            + "The agent stays.")
    private boolean watches;

    @Option(
            names = "--no-bridge",
            description = "The agent cannot reach this machine, as in a container: MCP servers that it would need an "
                    + "address or a program of this machine for are left out, which is reported.")
    private boolean isElsewhere;

    /** What the chain file said at the beginning. */
    private String contents = "";

    public ConductCommand(Streams streams, AgentChoice agent) {
        this.streams = streams;
        this.agent = agent;
    }

    @Override
    public Integer call() throws InterruptedException {
        ChainFile all = chain();
        if (print) {
            streams.out().println(all.text().stripTrailing());
            return ExitCode.END_OF_TURN.number();
        }
        Termination termination = Termination.watchedWithSigint();
        // Of a change that is still made when the chain ends, too.
        List<AutoCloseable> opened = new CopyOnWriteArrayList<>();
        try (Recording recording = new Recording(trace, streams);
                PrintWriter file = logFile();
                LineQueue err = new LineQueue(streams.err()::println);
                LineQueue reports = file == null ? err : new LineQueue(file::println)) {
            Consumer<String> report = sentence -> report(reports, sentence);
            ChainTrace tracer = recording.beginChain("acp conduct", all.redaction(), report);
            try (McpBridge bridge = new McpBridge(sentence -> {
                report.accept(sentence);
                if (tracer != null) {
                    tracer.stderr("mcp-bridge", sentence);
                }
            })) {
                return run(all, new ChainParts(err, report, tracer, bridge, opened::add), report);
            }
        } catch (InterruptedException e) {
            Failure signal = termination.failure();
            if (signal == null) {
                throw e;
            }
            return signal.code().number();
        } finally {
            ReadyProxy.close(opened);
        }
    }

    private static void report(LineQueue reports, String sentence) {
        reports.add("acp: " + SafeText.line(sentence));
    }

    private int run(ChainFile all, ChainParts parts, Consumer<String> report) throws InterruptedException {
        try (RunningChain running = parts.conductor(all).build().start(Stdio.system());
                ChainReload reload = reload(all, running, parts, report)) {
            parts.runIn(running);
            if (reload != null && watches) {
                reload.watchFile();
            }
            StatusSocket status = StatusSocket.open(running, report);
            try {
                running.awaitClosed();
            } catch (InterruptedException e) {
                running.close(WHEN_TERMINATED);
                throw e;
            } finally {
                if (status != null) {
                    status.close();
                }
            }
            requireWritten(running);
            boolean passes = Wrapper.before(all) == 0;
            int otherwise =
                    running.failure().isPresent() ? ExitCode.AGENT_FAILED.number() : ExitCode.END_OF_TURN.number();
            return passes ? running.agentExit().map(exit -> exit.code()).orElse(otherwise) : otherwise;
        } catch (IOException e) {
            throw new CommandFailedException(Failure.agent(SafeText.line(String.valueOf(e.getMessage()))));
        }
    }

    private static void requireWritten(RunningChain chain) {
        if (chain.clientFailure().orElse(null) instanceof IOException failure
                && failure.getCause() instanceof IOException ofOutput) {
            Failure lost = Failure.ofOutput(ofOutput);
            if (lost.code() != ExitCode.OUTPUT_UNREAD) {
                throw new CommandFailedException(lost);
            }
        }
    }

    /** Returns what changes the chain with its file; null if it has none. */
    private @Nullable ChainReload reload(
            ChainFile all, RunningChain running, ChainParts parts, Consumer<String> report) {
        Path file = chain;
        return file == null
                ? null
                : new ChainReload(file, contents, all, text -> complete(parsed(file, text)), running, parts, report);
    }

    // ---- the chain

    private ChainFile chain() {
        if (chain != null && !proxies.isEmpty()) {
            throw new UsageException("-p and --chain cannot be combined: add the proxy to the file");
        }
        if (watches && chain == null) {
            throw new UsageException("--watch needs a chain file: --chain FILE");
        }
        return complete(chain == null ? ChainFile.of(components(), null, true) : read(chain));
    }

    /** Applies what the command line says beside the components. */
    private ChainFile complete(ChainFile written) {
        Launch last = written.agent();
        if (agent.isGiven()) {
            last = here(agent.launch());
        }
        if (isProxy && last != null) {
            throw new UsageException("with --proxy the chain has no agent: leave the agent out, or --proxy");
        }
        if (!isProxy && last == null && chain == null) {
            throw new UsageException("the command of an agent is missing: acp conduct -p PROXY -- COMMAND, or its name:"
                    + " acp conduct -p PROXY NAME");
        }
        List<Component> components = adjusted(written.components());
        components.replaceAll(component -> component.launch(placed(component.launch())));
        return new ChainFile(
                components,
                last == null ? null : placed(last),
                written.agentDeadlines(),
                written.agentLimits(),
                agentOnDeath(written),
                written.isBridged() && !isElsewhere);
    }

    /** Returns the chain of these options, with an agent or without. */
    ChainFile chainOf(List<String> ofProxies, @Nullable Path file, Path folder) {
        proxies = ofProxies;
        chain = file;
        cwd = folder;
        isProxy = !agent.isGiven() && file == null;
        return chain();
    }

    private ChainFile read(Path file) {
        contents = ChainFile.contents(file);
        return parsed(file, contents);
    }

    private ChainFile parsed(Path file, String text) {
        ChainFile read = ChainFile.parse(file, text);
        if (!print) {
            ChainFile.requireTrusted(file, text);
        }
        return read;
    }

    private List<Component> components() {
        List<Component> components = new ArrayList<>();
        Set<String> names = new TreeSet<>(ChainParts.RESERVED);
        for (String proxy : proxies) {
            Matcher named = NAMED.matcher(proxy);
            boolean hasName = named.matches();
            String command = hasName ? named.group(2) : proxy;
            Matcher madeHere = READY.matcher(command);
            ReadyProxy ready = madeHere.matches() ? ReadyProxy.find(madeHere.group(1)) : null;
            Launch launch;
            try {
                launch = ready == null ? here(Launch.parse(command)) : ready.launch(madeHere.group(2));
            } catch (IllegalArgumentException e) {
                throw new UsageException(
                        "-p " + SafeText.line(proxy) + ": " + SafeText.line(String.valueOf(e.getMessage())));
            }
            String name = hasName ? named.group(1) : free(ready == null ? file(launch) : ready.id(), names);
            if (!names.add(name)) {
                throw new UsageException(
                        ChainParts.RESERVED.contains(name)
                                ? "-p " + SafeText.line(proxy) + ": the name " + name
                                        + " is that of another part of the chain: give the proxy another one"
                                : "two components have the name " + name);
            }
            components.add(Component.of(name, launch));
        }
        return components;
    }

    private static String file(Launch launch) {
        return String.valueOf(Path.of(launch.command()).getFileName());
    }

    private static String free(String wish, Set<String> names) {
        String name = wish;
        for (int i = 2; names.contains(name); i++) {
            name = wish + "-" + i;
        }
        return name;
    }

    private Launch placed(Launch launch) {
        // A ready-made proxy runs here; with a folder of its own it would be a process.
        return cwd == null || launch.cwd() != null || ReadyProxy.of(launch) != null
                ? launch
                : launch.cwd(cwd.toAbsolutePath());
    }

    private static Launch here(Launch launch) {
        return AgentLauncher.in(Path.of("").toAbsolutePath(), launch);
    }

    /** Applies the options that name components. */
    private List<Component> adjusted(List<Component> components) {
        List<Component> adjusted = new ArrayList<>(components);
        for (String name : legacy) {
            int at = indexOf(name, adjusted, "--legacy");
            adjusted.set(at, adjusted.get(at).legacy());
        }
        for (String option : onDeath) {
            int end = option.indexOf('=');
            Component.OnDeath[] policies;
            try {
                policies = ChainFile.policies(List.of(option.substring(end + 1).split(",", -1)));
            } catch (IllegalArgumentException e) {
                throw new UsageException("--on-death: " + SafeText.line(String.valueOf(e.getMessage())));
            }
            if (option.startsWith(AGENT + "=")) {
                continue;
            }
            if (end < 0) {
                adjusted.replaceAll(component -> component.onDeath(policies));
            } else {
                int at = indexOf(option.substring(0, end), adjusted, "--on-death");
                adjusted.set(at, adjusted.get(at).onDeath(policies));
            }
        }
        return adjusted;
    }

    /** Returns what happens when the agent dies: only what names it. */
    private List<Component.OnDeath> agentOnDeath(ChainFile written) {
        List<Component.OnDeath> policies = written.agentOnDeath();
        for (String option : onDeath) {
            if (option.startsWith(AGENT + "=")) {
                try {
                    policies = ChainFile.ofAgent(ChainFile.policies(
                            List.of(option.substring(AGENT.length() + 1).split(",", -1))));
                } catch (IllegalArgumentException e) {
                    throw new UsageException("--on-death: " + SafeText.line(String.valueOf(e.getMessage())));
                }
            }
        }
        return policies;
    }

    private static int indexOf(String name, List<Component> components, String option) {
        List<String> names = components.stream().map(Component::id).toList();
        int at = names.indexOf(name);
        if (at < 0) {
            throw new UsageException(option + ": there is no proxy " + SafeText.line(name) + " in the chain; there is "
                    + (names.isEmpty() ? "none" : SafeText.line(String.join(", ", names))));
        }
        return at;
    }

    // ---- reports

    private @Nullable PrintWriter logFile() {
        if (log == null) {
            return null;
        }
        try {
            return new PrintWriter(
                    Files.newBufferedWriter(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND), true);
        } catch (IOException e) {
            throw new UsageException("the log cannot be written: " + SafeText.line(IoProblem.text(e)));
        }
    }
}
