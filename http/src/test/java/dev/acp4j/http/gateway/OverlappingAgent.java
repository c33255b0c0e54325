package dev.acp4j.http.gateway;

import dev.acp4j.process.Launch;
import dev.acp4j.rpc.Message;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * An agent as a program that works on requests of a session at the same time, which an agent of ours does not: a load
 * is answered while the close of {@code test-1}, or the deletion of {@code test-2}, waits for {@code _test/release},
 * and a prompt with "wait" for {@code _test/answer}. It takes every session for one that it has. With the argument
 * {@code slow} a new session waits for {@code _test/release}, too; with {@code loses} it ends sessions at once, and the
 * first that it is to delete is gone already.
 */
public final class OverlappingAgent {
    /** A form that has what only a question for a permission has. */
    private static final String FORM = "{\"jsonrpc\":\"2.0\",\"id\":\"f\",\"method\":\"elicitation/create\",\"params\":"
            + "{\"sessionId\":\"SESSION\",\"mode\":\"form\",\"message\":\"Who?\",\"requestedSchema\":"
            + "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}},"
            + "\"options\":[{\"optionId\":\"a\",\"name\":\"Allow\",\"kind\":\"allow_once\"}]}}";

    private final Set<String> open = new HashSet<>();
    private int created;
    private String waiting = "";
    private String deleted = "";
    private String prompted = "";
    private boolean loses;
    private final boolean isSlow;

    private final boolean endsAtOnce;

    private OverlappingAgent(String way) {
        loses = way.equals("loses");
        endsAtOnce = loses;
        isSlow = way.equals("slow");
    }

    static Launch launch() {
        return launch("");
    }

    static Launch launch(String way) {
        return Launch.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                OverlappingAgent.class.getName(),
                way);
    }

    /** Serves on standard input and output. */
    public static void main(String[] args) throws IOException {
        OverlappingAgent agent = new OverlappingAgent(args[0]);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                agent.take(Message.parse(line));
            }
        }
    }

    private void take(Message request) {
        if (request.kind() != Message.Kind.REQUEST) {
            return;
        }
        String id = String.valueOf(request.id());
        String session = request.session();
        switch (request.method()) {
            case "initialize" ->
                answer(
                        id,
                        "{\"protocolVersion\":" + version(request)
                                + ",\"agentCapabilities\":{\"loadSession\":true,\"sessionCapabilities\":{\"close\":{}}},\"authMethods\":[]}");
            case "session/new" -> {
                open.add("test-" + ++created);
                if (isSlow) {
                    waiting = id;
                } else {
                    answer(id, "{\"sessionId\":\"test-" + created + "\"}");
                }
            }
            case "session/load" -> {
                open.add(session);
                answer(id, "{}");
            }
            case "session/close" -> {
                if (session.equals("test-1") && !endsAtOnce) {
                    waiting = id;
                } else {
                    answer(id, "{}");
                }
            }
            case "session/delete" -> {
                deleted = session;
                if (loses) {
                    loses = false;
                    System.out.println("{\"jsonrpc\":\"2.0\",\"id\":" + id
                            + ",\"error\":{\"code\":-32002,\"message\":\"Session not found\"}}");
                } else if (session.equals("test-2") && !endsAtOnce) {
                    waiting = id;
                } else {
                    answer(id, "{}");
                }
            }
            case "_test/state" -> {
                System.out.println("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\""
                        + session + "\",\"update\":{\"sessionUpdate\":\"state_update\",\"state\":\"running\"}}}");
                answer(id, "{}");
            }
            case "_test/deleted" -> answer(id, "{\"session\":\"" + deleted + "\"}");
            case "_test/release" -> {
                open.remove("test-1");
                answer(waiting, isSlow ? "{\"sessionId\":\"test-" + created + "\"}" : "{}");
                answer(id, "{}");
            }
            case "_test/answer" -> {
                answer(prompted, "{\"stopReason\":\"end_turn\"}");
                answer(id, "{}");
            }
            case "session/prompt" -> {
                if (String.valueOf(request.params()).contains("form with options")) {
                    System.out.println(FORM.replace("SESSION", session));
                }
                if (String.valueOf(request.params()).contains("\"wait\"")) {
                    prompted = id;
                    return;
                }
                answer(id, "{\"stopReason\":\"" + (open.contains(session) ? "end_turn" : "refusal") + "\"}");
            }
            default -> answer(id, "{}");
        }
    }

    private static String version(Message initialize) {
        return String.valueOf(initialize.params()).contains("\"protocolVersion\":2") ? "2" : "1";
    }

    private static void answer(String id, String result) {
        System.out.println("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}");
    }
}
