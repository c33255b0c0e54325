package dev.acp4j.it.sidebyside;

import static dev.acp4j.it.sidebyside.RogueAgent.END;
import static dev.acp4j.it.sidebyside.RogueAgent.answering;
import static dev.acp4j.it.sidebyside.RogueAgent.saying;
import static dev.acp4j.it.sidebyside.RogueAgent.updating;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;

/** What agents do wrong, or otherwise than one expects, to a client. */
final class AgentFaults {
    /** When something happens; what is not played otherwise goes well. */
    @SuppressWarnings("ImmutableEnumChecker") // scripts have no state
    enum At {
        INITIALIZE(rogue -> rogue.answer("{\"protocolVersion\":1,\"agentCapabilities\":{},\"authMethods\":[]}")),
        NEW(rogue -> rogue.answer("{\"sessionId\":\"s\"}")),
        PROMPT(rogue -> {
            rogue.say("one two");
            rogue.answer(END);
        }),
        CLOSED(rogue -> {});

        private final Script standard;

        At(Script standard) {
            this.standard = standard;
        }
    }

    /** What an agent does. */
    @FunctionalInterface
    interface Script {
        void play(RogueAgent rogue) throws Exception;
    }

    /**
     * A fault. What it sends differently is a piece of the text that is heard or a tool call that is known, so that it
     * is missed if it is dropped. Only what nobody is obliged to show is neither: updates and content of unknown kinds,
     * notifications of vendors, and a message beyond the limits of a client.
     *
     * @param title what the agent does
     * @param at when
     * @param script how
     * @param heard what a client has heard in the end; empty when it cannot go on
     * @param tool a tool call that is known in the end and its state, or the beginning of that; empty for none
     * @param why what a client must say of a failure, a regular expression; empty when nothing fails
     * @param setting what is special about the client that is started
     */
    record Fault(String title, At at, Script script, String heard, String tool, String why, Setting setting) {
        void play(At now, RogueAgent rogue) throws Exception {
            (now == at ? script : now.standard).play(rogue);
        }

        /** Returns true when the conversation can go on. */
        boolean mustGoOn() {
            return !heard.isEmpty();
        }
    }

    /** How a client is started. */
    enum Setting {
        /** Nothing is special. */
        NONE,
        /** The platform's charset is ASCII. */
        ASCII,
        /** The client does not wait long. */
        IMPATIENT
    }

    static final List<Fault> ALL = all();

    private AgentFaults() {}

    static Fault titled(String title) {
        return ALL.stream().filter(fault -> fault.title.equals(title)).findAny().orElseThrow();
    }

    private static List<Fault> all() {
        List<Fault> all = new ArrayList<>();
        lines(all);
        characters(all);
        sizes(all);
        contents(all);
        answers(all);
        order(all);
        questions(all);
        processes(all);
        cancels(all);
        ends(all);
        refusals(all);
        return List.copyOf(all);
    }

    private static Fault fault(String title, At at, Script script) {
        return new Fault(title, at, script, "one twofine", "", "", Setting.NONE);
    }

    private static Fault hearing(String title, String heard, At at, Script script) {
        return new Fault(title, at, script, heard, "", "", Setting.NONE);
    }

    private static Fault failing(String title, String why, At at, Script script) {
        return new Fault(title, at, script, "", "", why, Setting.NONE);
    }

    private static String thinking(String text) {
        return updating("\"agent_thought_chunk\",\"content\":{\"type\":\"text\",\"text\":\"" + text + "\"}");
    }

    /** A turn with something between its two pieces of text. */
    private static Fault between(String title, Script script) {
        return fault(title, At.PROMPT, rogue -> {
            rogue.say("one ");
            script.play(rogue);
            rogue.say("two");
            rogue.answer(END);
        });
    }

    /** A turn with a piece of text between two others, sent in a line of its own kind. */
    private static Fault piece(String title, String text, UnaryOperator<String> change) {
        return hearing(title, "one " + text + "twofine", At.PROMPT, rogue -> {
            rogue.say("one ");
            rogue.line(change.apply(saying(text)));
            rogue.say("two");
            rogue.answer(END);
        });
    }

    /** A turn with a tool call between its two pieces of text. */
    private static Fault calling(String title, String tool, Script script) {
        Fault fault = between(title, script);
        return new Fault(title, fault.at, fault.script, fault.heard, tool, "", Setting.NONE);
    }

    private static void lines(List<Fault> all) {
        all.add(fault("prints a banner before its first message", At.INITIALIZE, rogue -> {
            rogue.line("Welcome to the agent!");
            At.INITIALIZE.standard.play(rogue);
        }));
        all.add(between("writes blank lines between messages", rogue -> rogue.line("\n\r\n   ")));
        all.add(between("writes a log line between messages", rogue -> rogue.line("[info] thinking")));
        all.add(between("writes JSON that is no message", rogue -> rogue.line("[1,2]\n42\n{\"a\":1}\nnull")));
        all.add(between("writes half a message and goes on", rogue -> rogue.line("{\"jsonrpc\":\"2.0\",\"meth")));
        all.add(piece("ends lines with CR LF", "crlf ", line -> line + "\r"));
        all.add(fault("begins with a byte order mark", At.INITIALIZE, rogue -> {
            rogue.bytes(new byte[] {(byte) 0xef, (byte) 0xbb, (byte) 0xbf});
            At.INITIALIZE.standard.play(rogue);
        }));
    }

    private static void characters(List<Fault> all) {
        Script split = rogue -> {
            for (byte b : (saying("\u00e9\u20ac\ud83d\ude00") + "\n").getBytes(StandardCharsets.UTF_8)) {
                rogue.bytes(new byte[] {b});
            }
            rogue.answer(END);
        };
        String text = "\u00e9\u20ac\ud83d\ude00fine";
        all.add(hearing("writes its bytes one by one, characters split", text, At.PROMPT, split));
        all.add(new Fault(
                "writes UTF-8 where the platform's charset is ASCII", At.PROMPT, split, text, "", "", Setting.ASCII));
        // Its text is not known: better none than a wrong one.
        all.add(between("writes bytes that are no UTF-8", rogue -> {
            rogue.bytes(saying("\u00ff\u00fe").getBytes(StandardCharsets.ISO_8859_1));
            rogue.line("");
        }));
        all.add(hearing("writes half a surrogate pair", "one \ud83dtwofine", At.PROMPT, rogue -> {
            rogue.say("one ");
            rogue.say("\\ud83d");
            rogue.say("two");
            rogue.answer(END);
        }));
    }

    private static void sizes(List<Fault> all) {
        all.add(large("writes a line of 560 KB", 560_000));
        all.add(large("writes a line of 25 MB", 25_000_000));
        // A thought, which these clients do not report.
        all.add(between("writes a line of 100 MB, which may be skipped", rogue -> {
            String[] ends = thinking("HERE").split("HERE", 2);
            rogue.bytes(ends[0].getBytes(StandardCharsets.UTF_8));
            byte[] megabyte = "x".repeat(1_000_000).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < 100; i++) {
                rogue.bytes(megabyte);
            }
            rogue.line(ends[1]);
        }));
        all.add(nesting("nests 2,000 arrays, which may be skipped", 2_000));
        all.add(nesting("nests 1,000,000 arrays, which may be skipped", 1_000_000));
    }

    /** Nested this deeply, it is beyond the limits of a client or not. */
    private static Fault nesting(String title, int depth) {
        return between(
                title,
                rogue -> rogue.update("\"tool_call\",\"toolCallId\":\"t\",\"title\":\"t\",\"rawInput\":"
                        + "[".repeat(depth) + "]".repeat(depth)));
    }

    private static Fault large(String title, int length) {
        return hearing(title, "x".repeat(length) + "fine", At.PROMPT, rogue -> {
            rogue.say("x".repeat(length));
            rogue.answer(END);
        });
    }

    private static void contents(List<Fault> all) {
        all.add(between("sends an update of a kind nobody knows", rogue -> rogue.update("\"hologram\",\"depth\":3")));
        all.add(between(
                "sends content of a kind nobody knows",
                rogue -> rogue.update("\"agent_thought_chunk\",\"content\":{\"type\":\"smell\",\"of\":\"tea\"}")));
        all.add(
                calling(
                        "sends a status and a kind of tool nobody knows",
                        "t=",
                        rogue -> rogue.update(
                                "\"tool_call\",\"toolCallId\":\"t\",\"title\":\"t\",\"kind\":\"dream\",\"status\":\"paused\"")));
        all.add(piece(
                "sends members that the schema does not know",
                "more ",
                line -> line.replace("\"content\"", "\"x\":[{}],\"content\"")
                        .replace("\"text\":", "\"y\":1,\"text\":")
                        .replace("\"sessionId\"", "\"z\":null,\"sessionId\"")));
        all.add(piece(
                "writes the name of a class into each object",
                "class ",
                line -> line.replaceAll("\\{(?!\"type\")", "{\"type\":\"org.example.Message\",")));
        all.add(calling(
                "sends an optional member of a wrong type",
                "t=",
                rogue -> rogue.update(
                        "\"tool_call\",\"toolCallId\":\"t\",\"title\":\"t\",\"locations\":7,\"status\":false")));
        all.add(between(
                "sends a notification nobody knows",
                rogue -> rogue.line(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"x.ai/progress\",\"params\":{\"sessionId\":\"s\"}}")));
        all.add(piece(
                "writes each discriminator twice, one at the end",
                "twice ",
                line -> line.replace("}}}", ",\"type\":\"text\"},\"sessionUpdate\":\"agent_message_chunk\"}}")));
    }

    private static void answers(List<Fault> all) {
        Script error = rogue -> {
            rogue.say("one two");
            rogue.error("{\"code\":-32603,\"message\":\"Internal error\",\"data\":{\"details\":\"quota used up\"}}");
        };
        all.add(new Fault(
                "answers a prompt with an error and details",
                At.PROMPT,
                error,
                "one twofine",
                "",
                "quota used up",
                Setting.NONE));
        all.add(between("answers what nobody asked", rogue -> rogue.line(answering("4711", "{}"))));
        all.add(between(
                "answers with an error without id",
                rogue -> rogue.line("{\"jsonrpc\":\"2.0\",\"id\":null,"
                        + "\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}")));
        all.add(fault("answers twice", At.NEW, rogue -> {
            At.NEW.standard.play(rogue);
            At.NEW.standard.play(rogue);
        }));
    }

    private static void order(List<Fault> all) {
        all.add(hearing("updates a session before it has answered session/new", "early one twofine", At.NEW, rogue -> {
            rogue.say("early ");
            At.NEW.standard.play(rogue);
        }));
        all.add(hearing("updates a session after the turn's answer", "one two late fine", At.PROMPT, rogue -> {
            At.PROMPT.standard.play(rogue);
            rogue.say(" late ");
        }));
        StringBuilder burst = new StringBuilder();
        for (int i = 0; i < 2000; i++) {
            burst.append(i).append(' ');
        }
        all.add(hearing("sends 2,000 updates and the answer at once", burst + "fine", At.PROMPT, rogue -> {
            StringBuilder lines = new StringBuilder();
            for (int i = 0; i < 2000; i++) {
                lines.append(saying(i + " ")).append('\n');
            }
            rogue.bytes((lines + rogue.answering(END) + "\n").getBytes(StandardCharsets.UTF_8));
        }));
        all.add(calling(
                "updates a tool call that it has not announced",
                "t=completed",
                rogue -> rogue.update("\"tool_call_update\",\"toolCallId\":\"t\",\"status\":\"completed\"")));
        all.add(calling("asks for permission before the tool call", "t=completed", rogue -> {
            rogue.check(rogue.ask("\"p\"", "session/request_permission", permission("reject_once")), "\"yes\"");
            rogue.update("\"tool_call\",\"toolCallId\":\"t\",\"title\":\"t\",\"status\":\"completed\"");
        }));
    }

    private static String permission(String kind) {
        return "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"t\"},\"options\":[{\"optionId\":\"odd\",\"name\":\"Odd\","
                + "\"kind\":\"" + kind + "\"},{\"optionId\":\"yes\",\"name\":\"Yes\",\"kind\":\"allow_once\"}]}";
    }

    private static void questions(List<Fault> all) {
        String read = "{\"sessionId\":\"s\",\"path\":\"/a\"}";
        all.add(between(
                "offers a permission option of a kind nobody knows",
                rogue -> rogue.check(
                        rogue.ask("\"p\"", "session/request_permission", permission("allow_twice")), "\"yes\"")));
        all.add(between(
                "asks with a method nobody knows, without underscore",
                rogue -> rogue.check(rogue.ask("7", "x.ai/question", "{\"sessionId\":\"s\"}"), "-32601")));
        all.add(between(
                "asks with bad params",
                rogue -> rogue.check(
                        rogue.ask("8", "fs/read_text_file", "{\"sessionId\":\"s\",\"path\":{}}"), "-32602")));
        all.add(between(
                "asks with an id beyond 2^53",
                rogue -> rogue.check(rogue.ask("9007199254740993", "fs/read_text_file", read), "content of /a")));
        all.add(between(
                "asks with the id of the request that it is answering",
                rogue -> rogue.check(rogue.ask(rogue.runningId(), "fs/read_text_file", read), "content of /a")));
        all.add(between("asks twice with the same id", rogue -> {
            rogue.line(RogueAgent.asking("\"d\"", "fs/read_text_file", read));
            rogue.check(rogue.ask("\"d\"", "fs/read_text_file", read), "\"id\":\"d\"");
            rogue.check(rogue.answerTo("\"d\""), "\"id\":\"d\"");
        }));
        all.add(between("asks 50 times in a turn", rogue -> {
            for (int i = 0; i < 50; i++) {
                rogue.check(rogue.ask("\"r" + i + "\"", "fs/read_text_file", read), "content of /a");
            }
        }));
    }

    private static void processes(List<Fault> all) {
        all.add(between("writes 5 MB to standard error", rogue -> {
            for (int i = 0; i < 5000; i++) {
                System.err.println("x".repeat(1000));
            }
        }));
        all.add(between("closes its standard error", rogue -> System.err.close()));
        all.add(fault("stays when its input ends", At.CLOSED, rogue -> new CountDownLatch(1).await()));
        all.add(fault("leaves a child behind", At.PROMPT, rogue -> {
            rogue.child("exec sleep 100");
            At.PROMPT.standard.play(rogue);
        }));
    }

    /** The client cancels its turn when it hears {@code cancel}, and closes the connection at {@code close}. */
    private static void cancels(List<Fault> all) {
        all.add(hearing("goes on in a cancelled turn, then ends it", "cancel on fine", At.PROMPT, rogue -> {
            rogue.say("cancel");
            rogue.await("session/cancel");
            rogue.say(" on ");
            rogue.answer(END);
        }));
        all.add(hearing("ends a cancelled turn as if it was not", "cancelfine", At.PROMPT, rogue -> {
            rogue.say("cancel");
            rogue.await("session/cancel");
            rogue.answer(END);
        }));
    }

    /** Here a client cannot go on. */
    private static void ends(List<Fault> all) {
        all.add(failing("dies during a turn", "exit code 3|status 3|code 3|quota used up", At.PROMPT, rogue -> {
            rogue.say("one ");
            System.err.println("quota used up");
            System.exit(3);
        }));
        all.add(failing("dies in the middle of a message", "exit code 3|status 3|code 3", At.PROMPT, rogue -> {
            rogue.bytes("{\"jsonrpc\":\"2.0\",\"meth".getBytes(StandardCharsets.UTF_8));
            System.exit(3);
        }));
        all.add(failing(
                "dies in the middle of its answer to session/new", "exit code 3|status 3|code 3", At.NEW, rogue -> {
                    rogue.bytes("{\"jsonrpc\":\"2.0\",\"id".getBytes(StandardCharsets.UTF_8));
                    System.exit(3);
                }));
        all.add(failing("dies at once and says why on standard error", "no key|exit code 4", At.INITIALIZE, rogue -> {
            System.err.println("no key");
            System.exit(4);
        }));
    }

    /** Nor here. */
    private static void refusals(List<Fault> all) {
        all.add(failing("closes its output and stays", ".", At.PROMPT, rogue -> {
            rogue.say("one ");
            System.out.close();
            new CountDownLatch(1).await();
        }));
        all.add(failing(
                "speaks another protocol version",
                "99",
                At.INITIALIZE,
                rogue -> rogue.answer("{\"protocolVersion\":99,\"agentCapabilities\":{},\"authMethods\":[]}")));
        all.add(failing("never answers a prompt, not when it is cancelled either", ".", At.PROMPT, rogue -> {
            rogue.say("cancel");
            rogue.await("session/cancel");
            rogue.say("close");
            new CountDownLatch(1).await();
        }));
        Script silence = rogue -> new CountDownLatch(1).await();
        all.add(new Fault(
                "never answers initialize",
                At.INITIALIZE,
                silence,
                "",
                "",
                "initialize|(?i)time|within",
                Setting.IMPATIENT));
    }
}
