package dev.acp4j.it.sidebyside;

import static dev.acp4j.it.sidebyside.RogueClient.demand;
import static dev.acp4j.it.sidebyside.RogueClient.prompting;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What clients do to an agent. The agent obeys prompts: {@code say TEXT}, {@code size TEXT} tells its length,
 * {@code stream N} says that many numbers, {@code fill N} 10 KB each time, {@code ask} for permission, {@code read
 * FILE}, {@code wait} until cancelled, {@code print TEXT} to standard output, {@code crash}.
 */
final class ClientFaults {
    /** What a client does. */
    @FunctionalInterface
    interface Script {
        void play(RogueClient rogue) throws Exception;
    }

    /** How an agent is started. */
    enum Setting {
        /** Nothing is special. */
        NONE,
        /** The platform's charset is ASCII. */
        ASCII,
        /** There are 192 MB of memory for its objects. */
        SMALL
    }

    /**
     * A fault.
     *
     * @param title what the client does, or expects
     * @param setting what is special about the agent that is started
     * @param script how
     */
    record Fault(String title, Setting setting, Script script) {}

    static final List<Fault> ALL = all();

    private ClientFaults() {}

    private static List<Fault> all() {
        List<Fault> all = new ArrayList<>();
        lines(all);
        characters(all);
        sizes(all);
        messages(all);
        beginnings(all);
        requests(all);
        answers(all);
        words(all);
        turns(all);
        streams(all);
        cancels(all);
        ends(all);
        return List.copyOf(all);
    }

    /** Something in an open session, after which the conversation goes on. */
    private static Fault open(String title, Script script) {
        return open(title, Setting.NONE, script);
    }

    private static Fault open(String title, Setting setting, Script script) {
        return new Fault(title, setting, rogue -> {
            rogue.open();
            script.play(rogue);
            rogue.finish();
        });
    }

    private static String promptLine(RogueClient rogue, String text) {
        return "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"session/prompt\",\"params\":"
                + prompting(rogue.session(), text) + "}";
    }

    private static void lines(List<Fault> all) {
        all.add(open("writes blank lines between messages", rogue -> rogue.line("\n\r\n   ")));
        all.add(open("writes a line that is not JSON, is told -32700", rogue -> {
            rogue.line("hello {");
            rogue.refused("null", "-32700");
        }));
        all.add(open("writes half a message and goes on, is told -32700", rogue -> {
            rogue.line("{\"jsonrpc\":\"2.0\",\"meth");
            rogue.refused("null", "-32700");
        }));
        all.add(open("ends lines with CR LF", rogue -> {
            rogue.line(promptLine(rogue, "say crlf") + "\r");
            demand(rogue.ended("5", "end_turn").equals("crlf"), "mishears");
        }));
        all.add(new Fault("begins with a byte order mark", Setting.NONE, rogue -> {
            rogue.bytes(new byte[] {(byte) 0xef, (byte) 0xbb, (byte) 0xbf});
            rogue.open();
            rogue.finish();
        }));
    }

    private static void characters(List<Fault> all) {
        String text = "\u00e9\u20ac\ud83d\ude00";
        all.add(open("writes its bytes one by one, characters split", rogue -> {
            String line = promptLine(rogue, "say " + text) + "\n";
            for (byte b : line.getBytes(StandardCharsets.UTF_8)) {
                rogue.bytes(new byte[] {b});
            }
            demand(rogue.ended("5", "end_turn").equals(text), "mishears");
        }));
        all.add(open(
                "writes UTF-8 where the platform's charset is ASCII",
                Setting.ASCII,
                rogue -> demand(rogue.turn("5", "say " + text).equals(text), "mishears")));
    }

    private static void sizes(List<Fault> all) {
        all.add(open(
                "prompts with a line of 560 KB",
                rogue -> demand(rogue.turn("5", "size " + "x".repeat(560_000)).equals("560000"), "mishears")));
        all.add(open(
                "prompts with a line of 25 MB",
                rogue ->
                        demand(rogue.turn("5", "size " + "x".repeat(25_000_000)).equals("25000000"), "mishears")));
        all.add(open("prompts with a line of 100 MB, is answered or refused", rogue -> {
            String[] ends = (promptLine(rogue, "size HERE") + "\n").split("HERE", 2);
            rogue.bytes(ends[0].getBytes(StandardCharsets.UTF_8));
            byte[] megabyte = "x".repeat(1_000_000).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < 100; i++) {
                rogue.bytes(megabyte);
            }
            rogue.bytes(ends[1].getBytes(StandardCharsets.UTF_8));
            rogue.answerOrRefusal("5");
            rogue.forget();
        }));
        all.add(nesting("nests 2,000 arrays, is answered or refused", 2_000));
        all.add(nesting("nests 1,000,000 arrays, is answered or refused", 1_000_000));
    }

    private static Fault nesting(String title, int depth) {
        return open(title, rogue -> {
            String arrays = "\"_meta\":{\"a\":" + "[".repeat(depth) + "]".repeat(depth) + "},\"prompt\"";
            rogue.request(
                    "5",
                    "session/prompt",
                    prompting(rogue.session(), "say deep").replace("\"prompt\"", arrays));
            rogue.answerOrRefusal("5");
            rogue.forget();
        });
    }

    private static void messages(List<Fault> all) {
        all.add(open("sends members that the schema does not know", rogue -> {
            rogue.request(
                    "5",
                    "session/prompt",
                    prompting(rogue.session(), "say more")
                            .replace("\"type\"", "\"x\":[{}],\"type\"")
                            .replace("\"prompt\"", "\"y\":1,\"prompt\""));
            demand(rogue.ended("5", "end_turn").equals("more"), "mishears");
        }));
        all.add(open("writes the name of a class into each object", rogue -> {
            rogue.line(
                    promptLine(rogue, "say more").replaceAll("\\{(?!\"type\")", "{\"type\":\"org.example.Message\","));
            demand(rogue.ended("5", "end_turn").equals("more"), "mishears");
        }));
        all.add(open("writes each discriminator twice, one at the end", rogue -> {
            rogue.request(
                    "5",
                    "session/prompt",
                    prompting(rogue.session(), "say more").replace("}]", ",\"type\":\"text\"}]"));
            demand(rogue.ended("5", "end_turn").equals("more"), "mishears");
        }));
        all.add(open(
                "sends a notification nobody knows",
                rogue -> rogue.line("{\"jsonrpc\":\"2.0\",\"method\":\"x.ai/hint\",\"params\":{}}")));
        all.add(open("sends a batch, is told -32600", rogue -> {
            rogue.line("[{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"session/new\",\"params\":{}}]");
            rogue.refused("null", "-32600");
        }));
    }

    private static void beginnings(List<Fault> all) {
        all.add(new Fault("prompts before initialize, is refused", Setting.NONE, rogue -> {
            rogue.prompt("5", "s", "say early");
            demand(rogue.answer("5").contains("\"error\""), "obeys");
            rogue.open();
            rogue.finish();
        }));
        all.add(new Fault("speaks version 99, is offered 1", Setting.NONE, rogue -> {
            rogue.request("5", "initialize", "{\"protocolVersion\":99,\"clientCapabilities\":{}}");
            demand(rogue.answer("5").contains("\"protocolVersion\":1"), "takes it");
        }));
    }

    private static void requests(List<Fault> all) {
        all.add(open("calls a method nobody knows, is told -32601", rogue -> {
            rogue.request("5", "x.ai/question", "{}");
            rogue.refused("5", "-32601");
        }));
        all.add(open("sends bad params, is told -32602", rogue -> {
            rogue.request("5", "session/prompt", "{\"sessionId\":7,\"prompt\":\"hello\"}");
            rogue.refused("5", "-32602");
        }));
        all.add(open("asks with id null, is answered with id null", rogue -> {
            rogue.request("null", "x.ai/question", "{}");
            rogue.answer("null");
        }));
        for (String id : List.of("9007199254740993", "-1", "\"a-b\"")) {
            all.add(open(
                    "asks with the id " + id.replace("\"", "") + (id.startsWith("\"") ? ", a string" : ""),
                    rogue -> demand(rogue.turn(id, "say it").equals("it"), "mishears")));
        }
        all.add(open("prompts with the id of a turn that runs, is answered twice", rogue -> {
            rogue.prompt("5", "stream 200");
            rogue.prompt("5", "say again");
            rogue.answer("5");
            rogue.answer("5");
            demand(rogue.forget().contains(" 198 199 "), "loses pieces");
        }));
    }

    private static void answers(List<Fault> all) {
        all.add(open(
                "answers what nobody asked", rogue -> rogue.line("{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{}}")));
        all.add(open("answers a question for permission twice", rogue -> {
            String yes = "\"result\":{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"%s\"}}";
            rogue.outcome(yes, 2);
            demand(rogue.turn("5", "ask").equals("allowed"), "mishears");
        }));
        all.add(open("answers it with a wrong id first", rogue -> {
            rogue.answerUnderWrongIdFirst();
            demand(rogue.turn("5", "ask").equals("allowed"), "mishears");
        }));
        all.add(open("answers it with an outcome nobody knows: no approval", rogue -> {
            rogue.outcome("\"result\":{\"outcome\":{\"outcome\":\"postponed\",\"optionId\":\"%s\"}}", 1);
            rogue.prompt("5", "ask");
            rogue.answer("5");
            demand(!rogue.forget().contains("allowed"), "takes it for approval");
        }));
        all.add(open("answers it with an error: no approval", rogue -> {
            rogue.outcome("\"error\":{\"code\":-32603,\"message\":\"no\"}", 1);
            rogue.prompt("5", "ask");
            rogue.answer("5");
            demand(!rogue.forget().contains("allowed"), "takes it for approval");
        }));
    }

    private static void words(List<Fault> all) {
        all.add(open("does not see what a failing handler said", rogue -> {
            rogue.prompt("5", "crash");
            String line = rogue.answer("5");
            demand(line.contains("-32603"), "answers " + RogueClient.shortly(line) + " instead of -32603");
            demand(!line.contains("secret"), "tells its inside");
        }));
        all.add(open("sees its _meta not in updates", rogue -> {
            rogue.request(
                    "5",
                    "session/prompt",
                    prompting(rogue.session(), "say meta").replace("\"prompt\"", "\"_meta\":{\"mine\":1},\"prompt\""));
            demand(!rogue.next().contains("\"mine\""), "copies it");
            rogue.answer("5");
            rogue.forget();
        }));
        all.add(open("sees each member of an update once", rogue -> {
            rogue.prompt("5", "say once");
            String line = rogue.next();
            demand(line.indexOf("\"sessionUpdate\"") == line.lastIndexOf("\"sessionUpdate\""), "writes it twice");
            demand(line.indexOf("\"type\"") == line.lastIndexOf("\"type\""), "writes it twice");
            rogue.answer("5");
            rogue.forget();
        }));
        all.add(open(
                "does not see what the agent prints",
                rogue -> demand(rogue.turn("5", "print careless").equals("printed"), "mishears")));
    }

    private static void turns(List<Fault> all) {
        all.add(open("prompts 50 times, each at once after the answer", rogue -> {
            for (int i = 0; i < 50; i++) {
                demand(rogue.turn(String.valueOf(10 + i), "say " + i).equals(String.valueOf(i)), "mixes up turns");
            }
        }));
        all.add(open("prompts again during a turn", rogue -> {
            rogue.prompt("5", "stream 200");
            rogue.prompt("6", "say second");
            demand(rogue.ended("5", "end_turn").endsWith(" 199 "), "mixes up turns");
            demand(rogue.ended("6", "end_turn").equals("second"), "mixes up turns");
        }));
        all.add(open("prompts in another session during a turn", rogue -> {
            rogue.prompt("5", "wait");
            rogue.hear("waiting");
            rogue.prompt("6", rogue.newSession("7"), "say other");
            demand(rogue.ended("6", "end_turn").equals("other"), "mixes up turns");
            rogue.cancel();
            rogue.ended("5", "cancelled");
        }));
    }

    private static StringBuilder numbers(int count) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < count; i++) {
            all.append(i).append(' ');
        }
        return all;
    }

    private static void streams(List<Fault> all) {
        all.add(open("asks 50 times while a turn streams, is answered", rogue -> {
            rogue.prompt("5", "stream 20000");
            for (int i = 10; i < 60; i++) {
                rogue.request(String.valueOf(i), "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            }
            rogue.answers(10, 60);
            demand(rogue.forget().contentEquals(numbers(20_000)), "loses or mixes up pieces");
        }));
        all.add(open("hears 10,000 pieces in order, then the answer", rogue -> {
            demand(rogue.turn("5", "stream 10000").contentEquals(numbers(10_000)), "loses or mixes up pieces");
        }));
    }

    private static void cancels(List<Fault> all) {
        all.add(open("cancels a turn and prompts again at once", rogue -> {
            rogue.prompt("5", "wait");
            rogue.hear("waiting");
            rogue.cancel();
            rogue.prompt("6", "say next");
            rogue.ended("5", "cancelled");
            demand(rogue.ended("6", "end_turn").equals("next"), "mixes up turns");
        }));
        all.add(open("cancels a request with $/cancel_request", rogue -> {
            rogue.prompt("5", "wait");
            rogue.hear("waiting");
            rogue.line("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":5}}");
            rogue.answer("5");
            rogue.forget();
        }));
        all.add(open("never answers a question for permission, and cancels the turn", rogue -> {
            rogue.prompt("5", "ask");
            rogue.question();
            rogue.cancel();
            rogue.ended("5", "cancelled");
        }));
        all.add(open("cancels a turn and a request that are not there", rogue -> {
            rogue.cancel();
            rogue.line("{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"none\"}}");
            rogue.line("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":4711}}");
        }));
    }

    private static void ends(List<Fault> all) {
        all.add(new Fault("ends its output in a turn, is sent the rest", Setting.NONE, rogue -> {
            rogue.open();
            rogue.prompt("5", "stream 5000");
            rogue.end();
            demand(rogue.ended("5", "end_turn").endsWith(" 4999 "), "loses pieces");
            rogue.exits();
        }));
        all.add(new Fault("goes away while a turn waits", Setting.NONE, rogue -> {
            rogue.open();
            rogue.prompt("5", "wait");
            rogue.hear("waiting");
            rogue.end();
            rogue.exits();
        }));
        all.add(new Fault("ends in the middle of a message", Setting.NONE, rogue -> {
            rogue.open();
            rogue.bytes("{\"jsonrpc\":\"2.0\",\"meth".getBytes(StandardCharsets.UTF_8));
            rogue.end();
            rogue.exits();
        }));
        all.add(open("does not read for 3 s while 300 MB are written, 192 MB of heap", Setting.SMALL, rogue -> {
            rogue.prompt("5", "fill 30000");
            rogue.stall(Duration.ofSeconds(3));
            demand(rogue.ended("5", "end_turn").length() == 30_000, "loses pieces");
        }));
    }
}
