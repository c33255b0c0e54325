package dev.acp4j.proxies;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Feature;
import dev.acp4j.Stdio;
import dev.acp4j.TokenUsage;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.Cost;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.UsageUpdate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** An agent beside that of the chain, as a program that does what the first word of its prompt says. */
final class OtherProgram {
    private static final AtomicInteger TURNS = new AtomicInteger();

    private OtherProgram() {}

    static Launch launch() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classPath = System.getProperty("java.class.path");
        String modules = System.getProperty("jdk.module.path");
        String all = modules == null || modules.isEmpty()
                ? classPath
                : classPath + System.getProperty("path.separator") + modules;
        return Launch.of(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", all, OtherProgram.class.getName());
    }

    public static void main(String[] args) throws InterruptedException {
        Agent.builder("other", "1").onPrompt(OtherProgram::answer).build().serve(Stdio.system());
    }

    private static void answer(AgentTurn turn) throws Exception {
        String[] words = turn.text().split(" ", 2);
        Path cwd = turn.session().cwd();
        switch (words[0]) {
            case "offered" ->
                turn.message(turn.client().supports(Feature.READ_FILES) + " "
                        + turn.client().supports(Feature.WRITE_FILES) + " "
                        + turn.client().supports(Feature.TERMINALS) + " " + System.getenv(OtherAgent.DEPTH) + " "
                        + System.getenv("ANTHROPIC_API_KEY"));
            case "ask" -> {
                boolean isAllowed = turn.toolCall("Do it", ToolKind.of(words[1]))
                        .requestPermission()
                        .isAllowed();
                turn.message(isAllowed ? "allowed" : "not allowed");
            }
            case "read" -> turn.message(turn.files().readText(cwd.resolve(words[1])));
            case "write" -> {
                Files.writeString(cwd.resolve(words[1]), "written");
                turn.message(Files.readString(cwd.resolve("there.txt")));
            }
            case "use" -> {
                // Totals of the session.
                int turns = TURNS.incrementAndGet();
                turn.usage(UsageUpdate.builder(5, 100)
                        .cost(Cost.of(0.25 + 0.25 * turns, "USD"))
                        .build());
                turn.usage(new TokenUsage(turns == 1 ? 1200 : 2500, 1000, 200, null, null, null));
                turn.message("used");
            }
            case "wait" -> {
                turn.toolCall("Wait", ToolKind.OTHER).start();
                new CountDownLatch(1).await();
            }
            default -> {
                turn.usage(UsageUpdate.builder(5, 100).cost(Cost.of(0.5, "USD")).build());
                turn.usage(new TokenUsage(1200, 1000, 200, null, null, null));
                turn.message("other: " + turn.text());
            }
        }
    }
}
