package dev.acp4j.testkit;

import static dev.acp4j.testkit.BadPeer.answer;
import static dev.acp4j.testkit.BadPeer.notification;
import static dev.acp4j.testkit.BadPeer.request;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.testkit.Misbehaviour.Reaction;
import dev.acp4j.testkit.Misbehaviour.Script;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Misbehaviours of clients towards agents. None needs a prompt, so they work with any agent, regardless of its model.
 */
final class BadClients {
    private static final String INITIALIZE = "{\"protocolVersion\":1,\"clientCapabilities\":{}}";
    private static final String INITIALIZE_2 =
            "{\"protocolVersion\":2,\"info\":{\"name\":\"bad\",\"version\":\"1\"},\"capabilities\":{}}";
    private static final String SESSION =
            "{\"cwd\":" + RawJson.string(Path.of("").toAbsolutePath().toString()) + ",\"mcpServers\":[]}";

    private static final Pattern SESSION_ID = Pattern.compile("\"sessionId\":(\"[^\"]+\")");

    static final List<Misbehaviour> ALL = all();

    private BadClients() {}

    private static List<Misbehaviour> all() {
        List<Misbehaviour> all = new ArrayList<>();
        bytes(all);
        messages(all);
        ids(all);
        ends(all);
        return List.copyOf(all);
    }

    /** A client that misbehaves between {@code initialize} and a session, which it must get. */
    private static Misbehaviour open(String name, String description, Script script) {
        return new Misbehaviour(name, description, Reaction.GOES_ON, false, bad -> {
            initialize(bad);
            script.play(bad);
            finish(bad);
        });
    }

    private static void initialize(BadPeer bad) throws IOException {
        bad.line(request("1", "initialize", bad.isVersion2() ? INITIALIZE_2 : INITIALIZE));
        String answer = demandAnswered(bad, "1");
        if (bad.isVersion2() && !answer.contains("\"protocolVersion\":2")) {
            throw new AssertionError("expected version 2, got " + answer);
        }
    }

    /**
     * Checks that the agent continues, in version 2 with each request that every agent knows, and that it ends when its
     * input ends.
     */
    private static void finish(BadPeer bad) throws IOException {
        bad.line(request("1000", "session/new", SESSION));
        Matcher opened = SESSION_ID.matcher(demandAnswered(bad, "1000"));
        if (bad.isVersion2() && opened.find()) {
            String id = "{\"sessionId\":" + opened.group(1);
            bad.line(request("1001", "session/resume", id + SESSION.replaceFirst("\\{", ",")));
            demandAnswered(bad, "1001");
            bad.line(request("1002", "session/close", id + "}"));
            demandAnswered(bad, "1002");
        }
        bad.closeOutput();
        bad.idle();
    }

    /** An agent that requires a login rejects a session: that is a valid response, too. */
    private static String demandAnswered(BadPeer bad, String id) throws IOException {
        JsonObject answer = bad.answerTo(id);
        String text = RawJson.of(answer).toString();
        if (answer.get("result").isEmpty() && !text.contains("-32000")) {
            throw new AssertionError("expected a result, got " + text);
        }
        return text;
    }

    private static void bytes(List<Misbehaviour> all) {
        all.add(open("blank-lines", "writes blank lines", bad -> bad.text("\n  \n\r\n")));
        all.add(open("crlf", "ends lines with CR LF", bad -> {
            bad.text(request("5", "session/new", SESSION) + "\r\n");
            demandAnswered(bad, "5");
        }));
        all.add(open("noise", "writes a line that is not JSON", bad -> bad.line("hello")));
        all.add(open("half-message", "writes half a message", bad -> bad.line("{\"jsonrpc\":\"2.0\",\"meth")));
        all.add(open("deep-nesting", "opens 100,000 arrays", bad -> bad.line("[".repeat(100_000))));
        all.add(open("long-line", "writes a line of 100 MB", bad -> bad.longLine(100_000_000)));
        all.add(open("invalid-utf8", "writes bytes that are not UTF-8", bad -> {
            bad.bytes(notification("vendor/hint", "{\"a\":\"\u00ff\u00fe\"}").getBytes(StandardCharsets.ISO_8859_1));
            bad.line("");
        }));
        all.add(open("split-utf8", "writes each byte separately", bad -> {
            String line = request("5", "vendor/question", "{\"a\":\"\u00e9\u20ac\"}") + "\n";
            for (byte each : line.getBytes(StandardCharsets.UTF_8)) {
                bad.bytes(new byte[] {each});
            }
            BadPeer.demandError(bad.answerTo("5"), -32601);
        }));
        all.add(new Misbehaviour("bom", "writes a byte order mark first", Reaction.GOES_ON, false, bad -> {
            bad.text("\ufeff");
            initialize(bad);
            finish(bad);
        }));
    }

    private static void messages(List<Misbehaviour> all) {
        all.add(open(
                "batch",
                "writes a batch",
                bad -> bad.refused("null", "[" + request("5", "session/new", SESSION) + "]", -32600)));
        all.add(open(
                "wrong-params",
                "asks with params of wrong types",
                bad -> bad.refused("5", request("5", "session/new", "{\"cwd\":7}"), -32602)));
        all.add(open(
                "unknown-method",
                "sends a request with an unknown method, without underscore",
                bad -> bad.refused("5", request("5", "vendor/question", "{}"), -32601)));
        all.add(open(
                "unknown-notification",
                "sends an unknown notification",
                bad -> bad.line(notification("vendor/hint", "{}"))));
        all.add(open("unknown-members", "sends members unknown to the schema", bad -> {
            bad.line(request("5", "session/new", SESSION.replaceFirst("\\{", "{\"x\":[{}],\"y\":null,")));
            demandAnswered(bad, "5");
        }));
        all.add(open("unknown-session", "prompts a session that was never opened", bad -> {
            bad.line(request("5", "session/prompt", "{\"sessionId\":\"none\",\"prompt\":[]}"));
            if (bad.answerTo("5").get("error").isEmpty()) {
                throw new AssertionError("expected an error");
            }
        }));
        all.add(open("cancels-nothing", "cancels a session and a request that do not exist", bad -> {
            bad.line(notification("session/cancel", "{\"sessionId\":\"none\"}"));
            bad.line(notification("$/cancel_request", "{\"requestId\":4711}"));
        }));
        all.add(open("wrong-id", "answers a request that was not sent", bad -> {
            bad.line(answer("4711", "{}"));
            bad.line(answer("\"none\"", "null"));
        }));
        all.add(open(
                "result-and-error",
                "answers a request that was not sent, with a result and an error",
                bad -> bad.line(
                        "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{},\"error\":{\"code\":1,\"message\":\"both\"}}")));
    }

    private static void ids(List<Misbehaviour> all) {
        all.add(asking("id-string", "asks with a string as id", "\"a-b\""));
        all.add(asking("id-negative", "asks with a negative id", "-1"));
        all.add(asking("id-huge", "asks with an id beyond 2^53", "9007199254740993"));
        all.add(open("id-null", "asks with null as id", bad -> bad.line(question("null"))));
        all.add(open("id-fraction", "asks with a fraction as id", bad -> bad.line(question("1.5"))));
        all.add(open("duplicate-id", "asks twice with the same id", bad -> {
            bad.line(question("7"));
            bad.line(question("7"));
            BadPeer.demandError(bad.answerTo("7"), -32601);
        }));
    }

    private static String question(String id) {
        return request(id, "vendor/question", "{}");
    }

    /** A request with an unknown method, which a good agent rejects, with the original id. */
    private static Misbehaviour asking(String name, String description, String id) {
        return open(name, description, bad -> bad.refused(id, question(id), -32601));
    }

    private static void ends(List<Misbehaviour> all) {
        all.add(ending("says-nothing", "ends its output before the first message", bad -> {}));
        all.add(ending("dies-in-message", "dies in the middle of a message", bad -> {
            initialize(bad);
            bad.text("{\"jsonrpc\":\"2.0\",\"meth");
        }));
        all.add(ending("dies-in-request", "dies before its request is answered", bad -> {
            initialize(bad);
            bad.line(request("5", "session/new", SESSION));
        }));
    }

    /** A client that ends; a good agent ends as well, and {@code idle} returns. */
    private static Misbehaviour ending(String name, String description, Script script) {
        return new Misbehaviour(name, description, Reaction.ENDS, false, bad -> {
            script.play(bad);
            bad.closeOutput();
            bad.idle();
        });
    }
}
