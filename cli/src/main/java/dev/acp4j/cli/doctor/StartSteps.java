package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.Protocol;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.AgentCapabilities;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientCapabilities;
import dev.acp4j.schema.ClientCapabilitiesV2;
import dev.acp4j.schema.ErrorCode;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.InitializeRequest;
import dev.acp4j.schema.InitializeRequestBuilder;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.McpCapabilitiesV2;
import dev.acp4j.schema.PromptCapabilities;
import dev.acp4j.schema.PromptCapabilitiesV2;
import dev.acp4j.schema.SessionCapabilities;
import dev.acp4j.schema.SessionCapabilitiesV2;
import dev.acp4j.schema.Version;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks whether an agent can be found, starts and responds. */
final class StartSteps {
    private static final int SLOW_MILLIS = 10_000;
    private static final int LONGEST_HEAD = 256;

    /** The search path of programs that were not started from a shell. */
    private static final Set<String> DESKTOP_PATH =
            Set.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/snap/bin");

    private StartSteps() {}

    /** The program exists and can be run. */
    static Finding command(ExaminedAgent agent) throws InterruptedException {
        Launch launch = agent.launch();
        Path file;
        try {
            file = launch.program().normalize();
        } catch (IOException e) {
            return elsewhere(agent);
        }
        agent.found(true);
        String text = file + interpreter(file);
        if (file.endsWith("npx")
                && !launch.arguments().contains("-y")
                && !launch.arguments().contains("--yes")) {
            return Finding.warning(text)
                    .because(
                            "npx asks before it installs a package, and its question cannot be answered here or in an editor.")
                    .next("Use npx -y, or install the agent and give its own command.");
        }
        if (isOnlyInThisPath(launch.command(), file)) {
            return Finding.warning(text)
                    .because("An editor that was started from the desktop has a shorter PATH and may not find "
                            + launch.command() + ".")
                    .next("If it does not start there, give the editor the full path: " + file);
        }
        return Finding.ok(text);
    }

    /**
     * A program that is not in the PATH of this process may be in the PATH of the user's shell, which is also searched
     * when an agent is started.
     */
    private static Finding elsewhere(ExaminedAgent agent) throws InterruptedException {
        try {
            agent.start();
        } catch (IOException e) {
            return notStarted(e);
        }
        agent.found(true);
        return Finding.warning("found in the PATH of your shell, not in that of this program")
                .because("Editors that do not use the PATH of your shell cannot find it.")
                .next("Give the editor the full path: command -v "
                        + agent.launch().command() + " prints it.");
    }

    /** The message of the failure consists of sentences: the problem, sometimes details, the next step. */
    private static Finding notStarted(IOException failure) {
        String[] sentences = String.valueOf(failure.getMessage()).split("\\. (?=[A-Z])", 3);
        Finding finding = Finding.problem(sentences[0]);
        return switch (sentences.length) {
            case 1 -> finding;
            case 2 -> finding.next(sentences[1]);
            default -> finding.because(sentences[1] + ".").next(sentences[2]);
        };
    }

    private static boolean isOnlyInThisPath(String command, Path file) {
        Path folder = file.getParent();
        return File.separatorChar == '/'
                && command.indexOf('/') < 0
                && folder != null
                && !DESKTOP_PATH.contains(folder.toString());
    }

    private static String interpreter(Path file) {
        try (var in = Files.newInputStream(file)) {
            String head = new String(in.readNBytes(LONGEST_HEAD), StandardCharsets.ISO_8859_1);
            return head.startsWith("#!")
                    ? ", a script for "
                            + head.substring(2).lines().findFirst().orElse("").strip()
                    : "";
        } catch (IOException e) {
            return "";
        }
    }

    /** The system starts it. */
    static Finding start(ExaminedAgent agent) throws InterruptedException {
        try {
            if (!agent.isStarted()) {
                agent.start();
            }
        } catch (IOException e) {
            return notStarted(e);
        }
        return Finding.ok("runs as process " + agent.running().pid());
    }

    /** It responds to the first request. */
    static Finding initialize(ExaminedAgent agent) throws InterruptedException {
        Reply reply = agent.ask(AgentMethods.INITIALIZE, request(newest(agent.protocol), agent.protocol));
        if (agent.protocol == Protocol.AUTO
                && reply instanceof Reply.Refused refused
                && refused.error().code() == ErrorCode.UNSUPPORTED_PROTOCOL_VERSION.value()) {
            reply = agent.ask(AgentMethods.INITIALIZE, request(1, agent.protocol));
        }
        if (agent.heard().echoes()) {
            return Finding.problem("it echoes its input")
                    .because("The command is not an agent.")
                    .next("Check the command; agents often need an argument such as --acp or acp.");
        }
        if (!(reply instanceof Reply.Result result)) {
            return reply.finding(AgentMethods.INITIALIZE.name());
        }
        try {
            initialized(agent, result.value());
            agent.answered(result.value());
        } catch (JsonException e) {
            return new Reply.Broken(String.valueOf(e.getMessage())).finding(AgentMethods.INITIALIZE.name());
        }
        String text = "answered after " + result.took().toMillis() + " ms";
        return result.took().toMillis() < SLOW_MILLIS
                ? Finding.ok(text)
                : Finding.warning(text)
                        .because("Startup is slow, and editors have a timeout.")
                        .next("If it downloads something at each start (npx, uvx), install the agent instead.");
    }

    /** An agent may answer with version 2, and say the rest as in version 1. */
    private static void initialized(ExaminedAgent agent, RawJson result) {
        InitializeResponse first = result.decode(AgentMethods.INITIALIZE.result(Version.V1), "result");
        if (first.protocolVersion() != Version.V2.number() || newest(agent.protocol) < first.protocolVersion()) {
            agent.initialized(first, Version.V1);
            return;
        }
        try {
            agent.initialized(result.decode(AgentMethods.INITIALIZE.result(Version.V2), "result"), Version.V2);
        } catch (JsonException e) {
            if (first.agentCapabilities().equals(AgentCapabilities.NONE)) {
                throw e;
            }
            agent.initialized(first, Version.V1);
        }
    }

    private static int newest(Protocol protocol) {
        Version[] versions = protocol.versions();
        return versions[versions.length - 1].number();
    }

    /** Returns a request with the members of all versions that may be spoken. */
    static InitializeRequest request(int version, Protocol protocol) {
        Implementation doctor = Implementation.builder("acp-doctor", dev.acp4j.cli.command.Version.text())
                .title("acp doctor")
                .build();
        InitializeRequestBuilder request = InitializeRequest.builder(version);
        if (protocol != Protocol.TWO) {
            request.clientCapabilities(ClientCapabilities.NONE).clientInfo(doctor);
        }
        if (protocol != Protocol.ONE) {
            request.capabilities(ClientCapabilitiesV2.NONE).info(doctor);
        }
        return request.build();
    }

    /** It supports the requested version. */
    static Finding version(ExaminedAgent agent) {
        int version = agent.initialized().protocolVersion();
        int newest = newest(agent.protocol);
        int oldest = agent.protocol.versions()[0].number();
        if (version < oldest || version > newest) {
            return otherVersion(agent, version, oldest, newest);
        }
        if (agent.version().number() == version) {
            return Finding.ok("protocol version " + version);
        }
        String text = "it responded with protocol version 2, and with the capabilities of version 1";
        String cause = "The agent repeats the version that it is asked for, and does not know it.";
        if (agent.protocol == Protocol.AUTO) {
            return Finding.warning(text + "; version 1 is tested")
                    .because(cause)
                    .next("Report it to the agent's authors.");
        }
        agent.initialized = null;
        return Finding.problem(text).because(cause).next("Use version 1: --protocol 1.");
    }

    private static Finding otherVersion(ExaminedAgent agent, int version, int oldest, int newest) {
        agent.initialized = null;
        String wanted = oldest == newest ? "" + newest : oldest + " or " + newest;
        String next = version > newest ? "Use a client that supports version " + version + "." : "Update the agent.";
        boolean canBeTested = version == Version.V1.number() || version == Version.V2.number();
        return Finding.problem("it responded with protocol version " + version + ", not " + wanted)
                .because(
                        version > newest
                                ? "The agent no longer supports version " + newest + "."
                                : "The agent is older than version " + oldest + " of the protocol.")
                .next(canBeTested ? "Test the version that it speaks: --protocol " + version + "." : next);
    }

    /** Shows its name and capabilities. */
    static Finding agent(ExaminedAgent agent) {
        InitializeResponse response = agent.initialized();
        boolean second = agent.version() == Version.V2;
        Implementation info = second ? response.info() : response.agentInfo();
        String name = info == null ? "an agent without a name" : info.name() + " " + info.version();
        List<String> offers = second ? offers(response.capabilities().session()) : offers(response.agentCapabilities());
        return Finding.ok(name + "; offers " + (offers.isEmpty() ? "nothing optional" : String.join(", ", offers)));
    }

    private static List<String> offers(AgentCapabilities capabilities) {
        List<String> offers = new ArrayList<>();
        PromptCapabilities prompt = capabilities.promptCapabilities();
        SessionCapabilities session = capabilities.sessionCapabilities();
        add(offers, prompt.image(), "images");
        add(offers, prompt.audio(), "audio");
        add(offers, prompt.embeddedContext(), "embedded context");
        add(offers, capabilities.mcpCapabilities().http(), "MCP over HTTP");
        add(offers, capabilities.mcpCapabilities().sse(), "MCP over SSE");
        add(offers, capabilities.loadSession(), "session/load");
        add(offers, session.list() != null, "session/list");
        add(offers, session.resume() != null, "session/resume");
        add(offers, session.close() != null, "session/close");
        add(offers, session.delete() != null, "session/delete");
        return offers;
    }

    /** What every agent with sessions has in version 2 is not listed. */
    private static List<String> offers(@Nullable SessionCapabilitiesV2 session) {
        if (session == null) {
            return List.of();
        }
        List<String> offers = new ArrayList<>();
        PromptCapabilitiesV2 prompt = session.prompt();
        McpCapabilitiesV2 mcp = session.mcp();
        add(offers, true, "sessions");
        add(offers, prompt != null && prompt.image() != null, "images");
        add(offers, prompt != null && prompt.audio() != null, "audio");
        add(offers, prompt != null && prompt.embeddedContext() != null, "embedded context");
        add(offers, mcp != null && mcp.stdio() != null, "MCP over standard streams");
        add(offers, mcp != null && mcp.http() != null, "MCP over HTTP");
        add(offers, session.delete() != null, "session/delete");
        return offers;
    }

    private static void add(List<String> offers, boolean offered, String what) {
        if (offered) {
            offers.add(what);
        }
    }
}
