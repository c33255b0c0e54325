package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.Durations;
import dev.acp4j.cli.command.LoginMethod;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.NewSessionRequest;
import dev.acp4j.schema.NewSessionResponse;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SetSessionConfigOptionRequest;
import dev.acp4j.schema.SetSessionModeRequest;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks whether a session can be opened and used. */
final class SessionSteps {
    private static final Duration FIRST_UPDATE = Duration.ofSeconds(2);
    private static final Duration CANCELLED_WITHIN = Duration.ofSeconds(10);

    private SessionSteps() {}

    /** Lists the ways to log in. None is used. */
    static Finding login(ExaminedAgent agent) {
        List<AuthMethod> methods = agent.initialized().authMethods();
        if (methods.isEmpty()) {
            return Finding.ok("offers no way to log in");
        }
        List<String> names = new ArrayList<>();
        for (LoginMethod method : LoginMethod.of(methods)) {
            names.add(method.safeName());
        }
        return Finding.ok("ways to log in: " + String.join(", ", names));
    }

    /** Opens a session. */
    static Finding session(ExaminedAgent agent) throws InterruptedException {
        if (agent.version() == Version.V2 && agent.initialized().capabilities().session() == null) {
            return Finding.skipped("it offers no sessions");
        }
        Reply reply = open(agent);
        if (reply instanceof Reply.Refused refused && refused.error().code() == RpcError.AUTH_REQUIRED) {
            return loggedOut(agent);
        }
        if (!(reply instanceof Reply.Result result)) {
            return reply.finding(AgentMethods.NEW_SESSION.name());
        }
        try {
            agent.session = agent.decode(AgentMethods.NEW_SESSION, result.value());
        } catch (JsonException e) {
            return new Reply.Broken(String.valueOf(e.getMessage())).finding(AgentMethods.NEW_SESSION.name());
        }
        String text = "opened after " + result.took().toMillis() + " ms";
        return agent.refusesServers()
                ? Finding.problem(text + "; with MCP servers it was refused")
                        .because("The agent offers to connect such servers, or must connect them.")
                        .next("Report it to the agent's authors.")
                : Finding.ok(text);
    }

    /** With MCP servers if they are to be tested; without them if the agent refuses those. */
    private static Reply open(ExaminedAgent agent) throws InterruptedException {
        McpOffers offers = agent.mcp;
        if (offers != null) {
            List<McpServer> servers;
            try {
                servers = offers.open(agent.initialized(), agent.version());
            } catch (IOException e) {
                throw new UncheckedIOException("MCP servers cannot be offered", e);
            }
            Reply reply = open(agent, servers);
            offers.answered();
            boolean isRefused =
                    reply instanceof Reply.Refused refused && refused.error().code() != RpcError.AUTH_REQUIRED;
            if (!isRefused || servers.isEmpty()) {
                return reply;
            }
            agent.refusedServers();
        }
        return open(agent, List.of());
    }

    private static Reply open(ExaminedAgent agent, List<McpServer> servers) throws InterruptedException {
        NewSessionRequest request =
                NewSessionRequest.builder(agent.cwd.toString(), servers).build();
        return agent.ask(AgentMethods.NEW_SESSION, request);
    }

    private static Finding loggedOut(ExaminedAgent agent) {
        List<String> ways = new ArrayList<>();
        for (LoginMethod method : LoginMethod.of(agent.initialized().authMethods())) {
            ways.add(method.safeId() + "   " + method.safeName());
        }
        return Finding.problem("the agent requires a login first")
                .because("There is no login, or it has expired.")
                .next(
                        ways.isEmpty()
                                ? "Log in with the agent's own command in a terminal."
                                : "Log in with the agent's own command, in the editor, or with: acp login METHOD -- "
                                        + agent.launch().commandLine())
                .shown("methods:", ways, 20);
    }

    /** Modes and options are consistent and can be set. */
    static Finding settings(ExaminedAgent agent) throws InterruptedException {
        NewSessionResponse session = agent.session();
        SessionModeState modes = session.modes();
        List<String> found = new ArrayList<>();
        if (modes != null) {
            found.add(Finding.count(modes.availableModes().size(), "mode"));
        }
        if (!session.configOptions().isEmpty()) {
            found.add(Finding.count(session.configOptions().size(), "option"));
        }
        int commands =
                Math.max(session.availableCommands().size(), agent.heard().commands());
        if (commands > 0) {
            found.add(Finding.count(commands, "command"));
        }
        Finding wrong = modes == null ? null : wrong(agent, session, modes);
        if (wrong == null && agent.version() == Version.V2) {
            wrong = wrong(agent, session);
        }
        if (wrong != null) {
            return wrong;
        }
        return Finding.ok(found.isEmpty() ? "no modes, options or commands" : String.join(", ", found));
    }

    private static @Nullable Finding wrong(ExaminedAgent agent, NewSessionResponse session, SessionModeState modes)
            throws InterruptedException {
        boolean isKnown = modes.availableModes().stream().map(SessionMode::id).anyMatch(modes.currentModeId()::equals);
        if (!isKnown) {
            return Finding.warning("the current mode " + modes.currentModeId() + " is not among those offered")
                    .next("Report it to the agent's authors.");
        }
        // The current mode: nothing changes.
        Reply reply =
                agent.ask(AgentMethods.SET_MODE, SetSessionModeRequest.of(session.sessionId(), modes.currentModeId()));
        return reply instanceof Reply.Result ? null : reply.finding(AgentMethods.SET_MODE.name());
    }

    /** Sets an option to its current value: nothing changes. In version 2 modes are one of the options. */
    private static @Nullable Finding wrong(ExaminedAgent agent, NewSessionResponse session)
            throws InterruptedException {
        for (SessionConfigOption option : session.configOptions()) {
            if (option instanceof SessionConfigOption.Select select) {
                Reply reply = agent.ask(
                        AgentMethods.SET_CONFIG_OPTION,
                        SetSessionConfigOptionRequest.of(
                                session.sessionId(), select.id(), SessionConfigOptionValue.of(select.currentValue())));
                return reply instanceof Reply.Result ? null : reply.finding(AgentMethods.SET_CONFIG_OPTION.name());
            }
        }
        return null;
    }

    /** A turn ends. */
    static Finding prompt(ExaminedAgent agent) throws InterruptedException {
        if (agent.prompt == null) {
            return Finding.skipped("no turn was tested, because it may cost money; use --prompt TEXT");
        }
        int before = agent.heard().updates();
        int lostBefore = agent.lost();
        agent.heard().beginTurn();
        long begin = System.nanoTime();
        Reply reply =
                agent.ask(AgentMethods.PROMPT, PromptRequest.of(agent.session().sessionId(), agent.prompt));
        if (!(reply instanceof Reply.Result result)) {
            return reply.finding(AgentMethods.PROMPT.name());
        }
        String reason = stopReason(agent, result.value(), agent.timeout());
        if (reason == null) {
            // In version 1 the request that is given up is cancelled. A turn that goes on would keep the next waiting.
            sendCancel(agent);
            var unused = agent.heard().awaitEnd(agent.atMost(CANCELLED_WITHIN));
            return endless(agent.timeout());
        }
        long took = Duration.ofNanos(System.nanoTime() - begin).toMillis();
        int updates = agent.heard().updates() - before;
        int asked = agent.heard().permissions();
        String text = "ended with " + reason + " after " + took + " ms and " + Finding.count(updates, "update")
                + (asked == 0 ? "" : "; permissions asked for and refused: " + asked);
        int lost = agent.lost() - lostBefore;
        if (lost > 0) {
            return Finding.problem(text + "; messages that could not be read: " + lost)
                    .because("Clients drop them, so that the user does not see what they say.")
                    .next("Report it to the agent's authors; the step rules shows the messages.");
        }
        return updates > 0
                ? Finding.ok(text)
                : Finding.warning(text)
                        .because("The agent ended its turn without any output.")
                        .next("Check the agent's log; its model may have failed.");
    }

    /** A cancelled turn ends. */
    static Finding cancel(ExaminedAgent agent) throws InterruptedException {
        if (agent.prompt == null) {
            return Finding.skipped("no turn was tested");
        }
        agent.heard().beginTurn();
        PromptRequest request = PromptRequest.of(agent.session().sessionId(), agent.prompt);
        Call call = agent.begin(AgentMethods.PROMPT.name(), agent.encode(AgentMethods.PROMPT, request));
        boolean second = agent.version() == Version.V2;
        if (second) {
            // A prompt that was not accepted is cancelled otherwise.
            Reply accepted = agent.reply(call, agent.timeout());
            if (!(accepted instanceof Reply.Result)) {
                return accepted.finding(AgentMethods.PROMPT.name());
            }
        }
        agent.heard().awaitUpdate(FIRST_UPDATE);
        if (second ? agent.heard().hasEnded() : call.isDone()) {
            return Finding.skipped("the turn ended before it could be cancelled; try a longer --prompt");
        }
        sendCancel(agent);
        long begin = System.nanoTime();
        Reply reply = agent.reply(call, CANCELLED_WITHIN);
        if (reply instanceof Reply.Result result) {
            Duration most = agent.atMost(CANCELLED_WITHIN);
            String reason = stopReason(agent, result.value(), most);
            if (reason == null) {
                return endless(most);
            }
            long took = Duration.ofNanos(System.nanoTime() - begin).toMillis();
            return reason.equals(StopReason.CANCELLED.value()) || reason.equals(StopReason.END_TURN.value())
                    ? Finding.ok("ended with " + reason + " after " + took + " ms")
                    : Finding.warning("a cancelled turn ended with " + reason + ", not with cancelled");
        }
        Finding finding = reply.finding("a cancelled session/prompt");
        return reply instanceof Reply.Refused
                ? finding.because(
                                "A cancelled turn must end with the stop reason cancelled: otherwise editors show an error.")
                        .next("Report it to the agent's authors.")
                : finding;
    }

    private static void sendCancel(ExaminedAgent agent) throws InterruptedException {
        agent.send(
                AgentMethods.CANCEL.name(),
                agent.encode(
                        AgentMethods.CANCEL,
                        CancelNotification.of(agent.session().sessionId())));
    }

    private static Finding endless(Duration most) {
        return Finding.problem("the turn did not end within " + Durations.text(most))
                .because("A turn ends with the update state_update and the state idle, which did not come.")
                .next("Report it to the agent's authors.");
    }

    /**
     * Returns why a turn ended. In version 2 the response says only that it has begun, and the agent must become idle;
     * null if it does not.
     */
    private static @Nullable String stopReason(ExaminedAgent agent, RawJson result, Duration most)
            throws InterruptedException {
        try {
            if (agent.version() == Version.V2) {
                // Decoding it is a test.
                var unused = agent.decode(AgentMethods.PROMPT_V2, result);
                return agent.heard().awaitEnd(most);
            }
            return agent.decode(AgentMethods.PROMPT, result).stopReason().value();
        } catch (JsonException e) {
            return "an invalid response (" + e.getMessage() + ")";
        }
    }
}
