package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.DroppedMessages;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentCapabilities;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CloseSessionRequest;
import dev.acp4j.schema.DeleteSessionRequest;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.LoadSessionRequest;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.ResumeSessionRequest;
import dev.acp4j.schema.SessionCapabilities;
import dev.acp4j.schema.SessionCapabilitiesV2;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether an agent handles unknown and invalid messages as the protocol requires, and supports the capabilities
 * it advertises.
 */
final class ConformanceSteps {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final SessionId NOBODYS = SessionId.of("acp-doctor-no-such-session");

    private ConformanceSteps() {}

    /** Unknown notifications are ignored, unknown methods are answered with a specific error. */
    static Finding unknown(ExaminedAgent agent) throws InterruptedException {
        long before = oddMessages(agent);
        agent.send("$/acp_doctor", RawJson.EMPTY_OBJECT);
        String method = "_acp_doctor/unknown";
        Reply reply = agent.ask(method, RawJson.EMPTY_OBJECT, SOON);
        Finding finding = refusal(reply, "an unknown method", RpcError.METHOD_NOT_FOUND);
        return finding.level() == Finding.Level.OK && oddMessages(agent) > before
                ? Finding.warning("an unknown notification, which must be ignored, was answered")
                        .next("Report it to the agent's authors.")
                : finding;
    }

    /** Responses with an id do not count: a notification has none, so they may answer an earlier request. */
    private static long oddMessages(ExaminedAgent agent) {
        return agent.problems().stream()
                .filter(problem -> problem.kind() != Problem.Kind.UNKNOWN_RESPONSE)
                .count();
    }

    /** Invalid params are answered with an error, and the agent continues. */
    static Finding badParams(ExaminedAgent agent) throws InterruptedException {
        Reply reply = agent.ask(AgentMethods.PROMPT.name(), RawJson.parse("{\"prompt\":7}"), SOON);
        return refusal(reply, "a request with bad params", RpcError.INVALID_PARAMS);
    }

    private static Finding refusal(Reply reply, String what, int code) {
        if (reply instanceof Reply.Refused refused) {
            int got = refused.error().code();
            return got == code
                    ? Finding.ok(what + " was answered with error " + code)
                    : Finding.warning(what + " was answered with error " + got + ", not " + code)
                            .because("Clients decide by the code what to do next.")
                            .next("Report it to the agent's authors.");
        }
        if (reply instanceof Reply.Result) {
            return Finding.warning(what + " was answered with a result, not with error " + code)
                    .because("Clients treat this as success.")
                    .next("Report it to the agent's authors.");
        }
        return reply.finding(what);
    }

    /** Advertised methods exist. Existing sessions are not modified. */
    static Finding promises(ExaminedAgent agent) throws InterruptedException {
        List<String> wrong = new ArrayList<>();
        int kept = 0;
        boolean second = agent.version() == Version.V2;
        List<Promise<?>> promises = second
                ? promises(agent, agent.initialized().capabilities().session())
                : promises(agent, agent.initialized().agentCapabilities());
        for (Promise<?> promise : promises) {
            String broken = broken(agent, promise);
            kept += broken.isEmpty() ? 1 : 0;
            if (!broken.isEmpty()) {
                wrong.add(promise.method.name() + " " + broken);
            }
        }
        if (wrong.isEmpty()) {
            return Finding.ok(
                    kept == 0
                            ? "nothing optional is advertised"
                            : (second ? "required and advertised" : "advertised") + " methods exist: "
                                    + Finding.count(kept, "method"));
        }
        return Finding.problem((second ? "required or advertised" : "advertised") + ", but does not work: "
                        + String.join("; ", wrong))
                .because("Editors offer what an agent must have or advertises, and fail then.")
                .next("Report it to the agent's authors.");
    }

    private record Promise<P>(Method<P, ?> method, P params) {}

    private static List<Promise<?>> promises(ExaminedAgent agent, AgentCapabilities capabilities) {
        SessionCapabilities sessions = capabilities.sessionCapabilities();
        String cwd = agent.cwd.toString();
        List<Promise<?>> promises = new ArrayList<>();
        if (sessions.list() != null) {
            ListSessionsRequest here = ListSessionsRequest.builder().cwd(cwd).build();
            promises.add(new Promise<>(AgentMethods.LIST_SESSIONS, here));
        }
        if (capabilities.loadSession()) {
            LoadSessionRequest load =
                    LoadSessionRequest.builder(NOBODYS, cwd, List.of()).build();
            promises.add(new Promise<>(AgentMethods.LOAD_SESSION, load));
        }
        if (sessions.resume() != null) {
            promises.add(new Promise<>(
                    AgentMethods.RESUME_SESSION,
                    ResumeSessionRequest.builder(NOBODYS, cwd).build()));
        }
        if (sessions.delete() != null) {
            promises.add(new Promise<>(AgentMethods.DELETE_SESSION, DeleteSessionRequest.of(NOBODYS)));
        }
        if (sessions.close() != null && agent.session != null) {
            promises.add(new Promise<>(
                    AgentMethods.CLOSE_SESSION,
                    CloseSessionRequest.of(agent.session().sessionId())));
        }
        return promises;
    }

    /** In version 2 every agent with sessions lists, resumes and closes them. */
    private static List<Promise<?>> promises(ExaminedAgent agent, @Nullable SessionCapabilitiesV2 sessions) {
        if (sessions == null) {
            return List.of();
        }
        String cwd = agent.cwd.toString();
        List<Promise<?>> promises = new ArrayList<>();
        promises.add(new Promise<>(
                AgentMethods.LIST_SESSIONS,
                ListSessionsRequest.builder().cwd(cwd).build()));
        promises.add(new Promise<>(
                AgentMethods.RESUME_SESSION,
                ResumeSessionRequest.builder(NOBODYS, cwd).build()));
        if (sessions.delete() != null) {
            promises.add(new Promise<>(AgentMethods.DELETE_SESSION, DeleteSessionRequest.of(NOBODYS)));
        }
        if (agent.session != null) {
            promises.add(new Promise<>(
                    AgentMethods.CLOSE_SESSION,
                    CloseSessionRequest.of(agent.session().sessionId())));
        }
        return promises;
    }

    /** Returns the problem with an advertised method, or an empty text. */
    private static <P> String broken(ExaminedAgent agent, Promise<P> promise) throws InterruptedException {
        Method<P, ?> method = promise.method;
        Reply reply = agent.ask(method.name(), agent.encode(method, promise.params), SOON);
        return switch (reply) {
            case Reply.Result result -> unreadable(agent, result.value(), method);
            case Reply.Refused refused ->
                refused.error().code() == RpcError.METHOD_NOT_FOUND
                        ? "is unknown to it (" + RpcError.METHOD_NOT_FOUND + ")"
                        : "";
            case Reply.Broken broken -> "is answered with an invalid response: " + broken.why();
            case Reply.Silence silence -> "is not answered";
            case Reply.Gone gone -> "ends the agent";
        };
    }

    private static String unreadable(ExaminedAgent agent, RawJson result, Method<?, ?> method) {
        try {
            // Decoding it is the test.
            var unused = agent.decode(method, result);
            return "";
        } catch (JsonException e) {
            return "is answered with an unexpected result: " + e.getMessage();
        }
    }

    /** Other violations of the protocol. */
    static Finding rules(ExaminedAgent agent) {
        List<String> lost = new ArrayList<>();
        List<String> broken = new ArrayList<>();
        for (Problem problem : agent.problems()) {
            if (DroppedMessages.isLoss(problem)) {
                lost.add(problem.detail());
                continue;
            }
            switch (problem.kind()) {
                case NOISE, OUT_OF_ORDER, HANDLER_STUCK -> {}
                default -> broken.add(problem.detail());
            }
        }
        for (String path : agent.heard().unreadable()) {
            lost.add("an invalid update: " + path);
        }
        for (String method : agent.heard().unoffered()) {
            broken.add(method + " was called, although the client did not offer it");
        }
        if (!lost.isEmpty()) {
            return Finding.problem("messages that could not be read: " + agent.lost())
                    .because("Clients drop them, so that the user does not see what they say.")
                    .next("Report it to the agent's authors.")
                    .shown("dropped:", lost, 10)
                    .shown("other violations:", broken, 10);
        }
        return broken.isEmpty()
                ? Finding.ok("all messages were valid")
                : Finding.warning("messages that violate the protocol: " + broken.size())
                        .because("Clients may ignore them, or end the connection.")
                        .next("Report it to the agent's authors.")
                        .shown("violations:", broken, 10);
    }
}
