package dev.acp4j.testkit;

import static dev.acp4j.testkit.BadPeer.SESSION;
import static dev.acp4j.testkit.BadPeer.answer;
import static dev.acp4j.testkit.BadPeer.notification;
import static dev.acp4j.testkit.BadPeer.request;
import static dev.acp4j.testkit.BadPeer.saying;
import static dev.acp4j.testkit.BadPeer.update;

import dev.acp4j.json.JsonObject;
import dev.acp4j.testkit.Misbehaviour.Reaction;
import dev.acp4j.testkit.Misbehaviour.Script;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Misbehaviours of agents towards clients. */
final class BadAgents {
    static final String INITIALIZED = "{\"protocolVersion\":1,\"agentCapabilities\":{},\"authMethods\":[]}";
    static final String OPENED = "{\"sessionId\":\"" + SESSION + "\"}";
    static final String END = "{\"stopReason\":\"end_turn\"}";

    /** Notifies of a request that will not be answered, so that the caller knows when to cancel it. */
    private static final String WAITING = notification("_bad/waiting", "{}");

    static final List<Misbehaviour> ALL = all();

    private BadAgents() {}

    /** The reaction to a request with this id. */
    @FunctionalInterface
    interface Step {
        void play(BadPeer bad, String id) throws IOException;
    }

    private static List<Misbehaviour> all() {
        List<Misbehaviour> all = new ArrayList<>();
        bytes(all);
        messages(all);
        answers(all);
        order(all);
        questions(all);
        all.addAll(BadAgentEnds.ALL);
        return List.copyOf(all);
    }

    /** An agent that performs one step differently, the first time. */
    static Misbehaviour at(String method, String name, String description, Reaction reaction, Step step) {
        return new Misbehaviour(name, description, reaction, false, bad -> serve(bad, method, step));
    }

    /** An agent that does something between the two pieces of its first text. */
    private static Misbehaviour between(String name, String description, Script script) {
        return at("session/prompt", name, description, Reaction.GOES_ON, (bad, id) -> {
            bad.line(saying("one "));
            script.play(bad);
            bad.line(saying("two"));
            bad.line(answer(id, END));
        });
    }

    /** An agent that says the second piece of its first text differently. */
    private static Misbehaviour differently(String name, String description, Script script) {
        return at("session/prompt", name, description, Reaction.GOES_ON, (bad, id) -> {
            bad.line(saying("one "));
            script.play(bad);
            bad.line(answer(id, END));
        });
    }

    static Misbehaviour dyingAfter(long bytes) {
        return new Misbehaviour(
                "dies-after-" + bytes, "dies when it has written " + bytes + " bytes", Reaction.ENDS, false, bad -> {
                    try {
                        serve(bad.dyingAfter(bytes), "", (peer, id) -> {});
                    } catch (DyingStream.DeadException e) {
                        return; // as it was meant
                    }
                });
    }

    static void serve(BadPeer bad, String method, Step step) throws IOException {
        boolean done = false;
        for (JsonObject message = bad.receive(); message != null; message = bad.receive()) {
            String came = BadPeer.method(message);
            if (came.equals(method) && !done) {
                done = true;
                step.play(bad, BadPeer.id(message));
            } else if (!came.isEmpty() && message.get("id").isPresent()) {
                well(bad, came, BadPeer.id(message));
            }
        }
    }

    /** Answers as a good agent does. */
    static void well(BadPeer bad, String method, String id) throws IOException {
        switch (method) {
            case "initialize" -> bad.line(answer(id, INITIALIZED));
            case "session/new" -> bad.line(answer(id, OPENED));
            case "session/prompt" -> {
                bad.line(saying("one "));
                bad.line(saying("two"));
                bad.line(answer(id, END));
            }
            default -> bad.line(BadPeer.error(id, -32601, "Method not found"));
        }
    }

    private static void bytes(List<Misbehaviour> all) {
        all.add(between("blank-lines", "writes blank lines", bad -> bad.text("\n  \n\r\n")));
        all.add(differently("crlf", "ends lines with CR LF", bad -> bad.text(saying("two") + "\r\n")));
        all.add(between("noise", "writes log lines", bad -> bad.line("[info] thinking\n7\n\"x\"\nnull")));
        all.add(between("half-message", "writes half a message", bad -> bad.line("{\"jsonrpc\":\"2.0\",\"meth")));
        all.add(between("deep-nesting", "opens 100,000 arrays", bad -> bad.line("[".repeat(100_000))));
        all.add(between("long-line", "writes a line of 100 MB", bad -> bad.longLine(100_000_000)));
        all.add(between("invalid-utf8", "writes bytes that are not UTF-8", bad -> {
            bad.bytes(update("agent_thought_chunk", "\"content\":{\"type\":\"text\",\"text\":\"\u00ff\u00fe\"}")
                    .getBytes(StandardCharsets.ISO_8859_1));
            bad.line("");
        }));
        all.add(differently("split-utf8", "writes each byte separately", bad -> {
            String line = update(
                    "agent_message_chunk",
                    "\"content\":{\"type\":\"text\",\"text\":\"two\",\"_meta\":{\"x\":\"\u00e9\u20ac\"}}");
            for (byte each : bad.said(line + "\n").getBytes(StandardCharsets.UTF_8)) {
                bad.bytes(new byte[] {each});
            }
        }));
        all.add(at("initialize", "bom", "writes a byte order mark first", Reaction.GOES_ON, (bad, id) -> {
            bad.text("\ufeff");
            well(bad, "initialize", id);
        }));
        all.add(at("initialize", "banner", "prints a banner first", Reaction.GOES_ON, (bad, id) -> {
            bad.line("Welcome!");
            well(bad, "initialize", id);
        }));
    }

    private static void messages(List<Misbehaviour> all) {
        all.add(between("batch", "writes a batch", bad -> bad.line("[" + saying("never") + "]")));
        all.add(between(
                "unknown-notification",
                "sends an unknown notification, without underscore",
                bad -> bad.line(notification("vendor/progress", "{\"sessionId\":\"" + SESSION + "\"}"))));
        all.add(differently(
                "unknown-members",
                "sends members unknown to the schema",
                bad -> bad.line(update(
                        "agent_message_chunk",
                        "\"x\":[{}],\"content\":{\"type\":\"text\",\"text\":\"two\",\"y\":1},\"z\":null"))));
        all.add(differently(
                "repeated-discriminator",
                "writes each discriminator twice, with the same value",
                bad -> bad.line(update(
                        "agent_message_chunk",
                        "\"sessionUpdate\":\"agent_message_chunk\",\"content\":"
                                + "{\"type\":\"text\",\"type\":\"text\",\"text\":\"two\"}"))));
        all.add(between(
                "unknown-update",
                "sends an update of an unknown kind",
                bad -> bad.line(update("hologram", "\"depth\":3"))));
        all.add(between(
                "wrong-type",
                "sends members of wrong types",
                bad -> bad.line(update("tool_call", "\"toolCallId\":{},\"title\":7"))));
    }

    private static void answers(List<Misbehaviour> all) {
        all.add(between("wrong-id", "answers a request that was not sent", bad -> {
            bad.line(answer("4711", "{}"));
            bad.line(answer("\"none\"", "{}"));
        }));
        all.add(at("session/new", "double-answer", "answers twice", Reaction.GOES_ON, (bad, id) -> {
            bad.line(answer(id, OPENED));
            bad.line(answer(id, "{\"sessionId\":\"another\"}"));
        }));
        all.add(at(
                "session/prompt",
                "result-null",
                "answers null",
                Reaction.REQUEST_FAILS,
                (bad, id) -> bad.line(answer(id, "null"))));
        all.add(at(
                "session/prompt",
                "wrong-result",
                "answers with members of wrong types",
                Reaction.REQUEST_FAILS,
                (bad, id) -> bad.line(answer(id, "{\"stopReason\":{}}"))));
        all.add(at(
                "session/prompt",
                "result-and-error",
                "answers with a result and an error",
                Reaction.REQUEST_FAILS,
                (bad, id) -> bad.line("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + END
                        + ",\"error\":{\"code\":-32603,\"message\":\"both\"}}")));
        all.add(at(
                "session/new", "no-answer", "never answers", Reaction.CALLER_GIVES_UP, (bad, id) -> bad.line(WAITING)));
        all.add(at(
                "session/prompt",
                "ignores-cancel",
                "never answers a prompt, not even when it is cancelled",
                Reaction.CALLER_GIVES_UP,
                (bad, id) -> bad.line(WAITING)));
    }

    private static void order(List<Misbehaviour> all) {
        all.add(at(
                "session/new",
                "early-update",
                "updates a session before it has answered session/new",
                Reaction.GOES_ON,
                (bad, id) -> {
                    bad.line(update("agent_thought_chunk", "\"content\":{\"type\":\"text\",\"text\":\"early\"}"));
                    bad.line(answer(id, OPENED));
                }));
        all.add(at(
                "session/prompt",
                "late-update",
                "updates a session after the answer of the turn",
                Reaction.GOES_ON,
                (bad, id) -> {
                    well(bad, "session/prompt", id);
                    bad.line(update("agent_thought_chunk", "\"content\":{\"type\":\"text\",\"text\":\"late\"}"));
                }));
        all.add(between("update-before-tool-call", "updates a tool call before it reports it", bad -> {
            bad.line(update("tool_call_update", "\"toolCallId\":\"t\",\"status\":\"in_progress\""));
            bad.line(update("tool_call", "\"toolCallId\":\"t\",\"title\":\"Look\""));
        }));
        all.add(between("permission-before-tool-call", "asks for permission before it reports the tool call", bad -> {
            bad.line(request(
                    "\"p\"",
                    "session/request_permission",
                    "{\"sessionId\":\"" + SESSION
                            + "\",\"toolCall\":{\"toolCallId\":\"t\"},\"options\":"
                            + "[{\"optionId\":\"yes\",\"name\":\"Yes\",\"kind\":\"allow_once\"}]}"));
            demandResult(bad.answerTo("\"p\""));
            bad.line(update("tool_call", "\"toolCallId\":\"t\",\"title\":\"Look\""));
        }));
    }

    private static void demandResult(JsonObject answer) {
        if (answer.get("result").isEmpty()) {
            throw new AssertionError("expected a result, got " + answer);
        }
    }

    private static void questions(List<Misbehaviour> all) {
        all.add(asking("id-string", "asks with a string as id", "\"a-b\""));
        all.add(asking("id-negative", "asks with a negative id", "-1"));
        all.add(asking("id-huge", "asks with an id beyond 2^53", "9007199254740993"));
        all.add(between("id-null", "asks with null as id", bad -> bad.line(question("null"))));
        all.add(between("id-fraction", "asks with a fraction as id", bad -> bad.line(question("1.5"))));
        all.add(between("duplicate-id", "asks twice with the same id", bad -> {
            bad.line(question("7"));
            bad.line(question("7"));
            BadPeer.demandError(bad.answerTo("7"), -32601);
        }));
        all.add(between(
                "wrong-params",
                "asks with params of wrong types",
                bad -> bad.refused("8", request("8", "session/request_permission", "{\"options\":7}"), -32602)));
    }

    private static String question(String id) {
        return request(id, "vendor/question", "{\"sessionId\":\"" + SESSION + "\"}");
    }

    /** A request with an unknown method, which a good client rejects, with the original id. */
    private static Misbehaviour asking(String name, String description, String id) {
        return between(name, description, bad -> bad.refused(id, question(id), -32601));
    }
}
