package dev.acp4j.testkit;

import dev.acp4j.testkit.Misbehaviour.Reaction;
import java.io.IOException;
import java.util.List;

/** Misbehaviours of agents at their end and with their process. Some require that the agent is a process. */
final class BadAgentEnds {
    private static final String PROMPT = "session/prompt";

    static final List<Misbehaviour> ALL = List.of(
            BadAgents.at(PROMPT, "dies-in-turn", "dies during a turn", Reaction.ENDS, (bad, id) -> {
                bad.line(BadPeer.saying("one "));
                bad.closeOutput();
            }),
            BadAgents.at(PROMPT, "dies-in-message", "dies in the middle of a message", Reaction.ENDS, (bad, id) -> {
                bad.text("{\"jsonrpc\":\"2.0\",\"meth");
                bad.closeOutput();
            }),
            BadAgents.at(
                    "initialize",
                    "dies-at-once",
                    "dies before it answers",
                    Reaction.ENDS,
                    (bad, id) -> bad.closeOutput()),
            BadAgents.at(
                    PROMPT,
                    "closes-output",
                    "closes its standard output and runs until its input ends",
                    Reaction.ENDS,
                    (bad, id) -> {
                        bad.closeOutput();
                        bad.idle();
                    }),
            process(
                    PROMPT,
                    "exit-code",
                    "exits with code 3 and prints the reason to standard error",
                    Reaction.ENDS,
                    (bad, id) -> {
                        System.err.println("quota used up");
                        Runtime.getRuntime().halt(3);
                    }),
            process(PROMPT, "closes-input", "closes its standard input and keeps running", Reaction.ENDS, (bad, id) -> {
                bad.closeInput();
                BadAgents.well(bad, PROMPT, id);
                stay();
            }),
            process(PROMPT, "stderr-closed", "closes its standard error", Reaction.GOES_ON, (bad, id) -> {
                System.err.close();
                BadAgents.well(bad, PROMPT, id);
            }),
            process(PROMPT, "stderr-flood", "writes 5 MB to standard error", Reaction.GOES_ON, (bad, id) -> {
                String line = "x".repeat(1000);
                for (int i = 0; i < 5000; i++) {
                    System.err.println(line);
                }
                BadAgents.well(bad, PROMPT, id);
            }),
            process(PROMPT, "leaves-child", "leaves a child process running", Reaction.GOES_ON, (bad, id) -> {
                child();
                BadAgents.well(bad, PROMPT, id);
            }),
            new Misbehaviour("ignores-eof", "keeps running when its input has ended", Reaction.GOES_ON, true, bad -> {
                BadAgents.serve(bad, "", (peer, id) -> {});
                stay();
            }));

    private BadAgentEnds() {}

    private static Misbehaviour process(
            String method, String name, String description, Reaction reaction, BadAgents.Step step) {
        return new Misbehaviour(name, description, reaction, true, bad -> BadAgents.serve(bad, method, step));
    }

    private static void child() throws IOException {
        Process unused = new ProcessBuilder("sleep", "600")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Runs until it is killed. */
    private static void stay() {
        try {
            Thread.currentThread().join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
