package dev.acp4j.cli;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Turn;
import dev.acp4j.UnsupportedException;
import dev.acp4j.process.Launch;
import dev.acp4j.process.ProcessFailedException;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.RpcException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What people read when an agent fails, of the library and of the command, for every way to fail. The texts are read
 * and approved by people: they are in {@code failures} of the test resources, and {@code -Dupdate=true} writes them
 * anew.
 */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
class FailureTextsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    static Stream<FailingAgents.Case> all() {
        return FailingAgents.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("all")
    void theTextsOfAFailureAreThoseApproved(FailingAgents.Case failing) throws Exception {
        Path agent = agent(failing);

        // Both at once: some of them wait.
        FutureTask<String> command = new FutureTask<>(() -> command(failing, agent));
        Thread.ofVirtual().start(command);
        String text = "The agent: " + failing.script().strip() + "\n"
                + (failing.isForCommandsOnly() ? "" : "\n" + library(failing, agent))
                + "\n" + command.get();

        check(failing.name(), text);
    }

    static Stream<FailingAgents.Case> inChats() {
        Set<String> names = Set.of(
                "command-missing",
                "exits-with-stderr",
                "login-required",
                "session-refused",
                "dies-in-turn",
                "leaves-in-turn",
                "turn-refused",
                "secrets-in-an-error");
        return all().filter(failing -> names.contains(failing.name()));
    }

    @ParameterizedTest
    @MethodSource("inChats")
    void theTextsOfAFailureInAChatAreThoseApproved(FailingAgents.Case failing) throws Exception {
        AcpRun run = acp("chat", "--no-history", "--cwd", folder.toString(), "--env", "MY_TOKEN=hunter2hunter2")
                .agent(agent(failing).toString(), "--api-key", "swordfish")
                .input("hello\n")
                .run();

        check(
                "chat-" + failing.name(),
                "The agent: " + failing.script().strip() + "\n\nacp chat shows:\n" + run.out() + "\nand ends with "
                        + run.exitCode() + (run.err().isEmpty() ? "\n" : ", saying:\n" + run.err()));
    }

    @Test
    @Tag("TRC-06")
    void aTraceHasNoSecretThatTheAgentWasGiven() throws Exception {
        Path agent = agent(FailingAgents.ALL.stream()
                .filter(failing -> failing.name().equals("secrets-in-an-error"))
                .findFirst()
                .orElseThrow());
        Path trace = folder.resolve("a.trace.jsonl");

        AcpRun run = acp("prompt", "--env", "MY_TOKEN=hunter2hunter2", "--trace", trace.toString(), "hello")
                .agent(agent.toString())
                .run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(Files.readString(trace)).contains("401 for ***").doesNotContain("hunter2");
    }

    private Path agent(FailingAgents.Case failing) throws IOException {
        Path agent = folder.resolve("agent");
        if (!failing.script().isEmpty()) {
            String prelude = failing.script().startsWith("#!") ? "" : FailingAgents.PRELUDE;
            String rights = failing.isExecutable() ? "rwxr-xr-x" : "rw-r--r--";
            Files.createFile(agent, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(rights)));
            Files.writeString(agent, prelude + failing.script() + "\n");
        }
        return agent;
    }

    private void check(String name, String text) throws IOException {
        String shown = normal(text);
        assertThat(shown)
                .doesNotContain("\tat ")
                .doesNotContain("hunter2")
                .doesNotContain("swordfish")
                .doesNotContainPattern("(?m)^(?!The agent).*sk-abc");
        Golden.check("failures/" + name + ".txt", shown);
    }

    private String library(FailingAgents.Case failing, Path agent) throws InterruptedException {
        Launch launch = Launch.of(agent.toString(), "--api-key", "swordfish")
                .env("MY_TOKEN", "hunter2hunter2")
                .shutdownTimes(Duration.ofMillis(100), Duration.ofMillis(100));
        Duration patience = Duration.ofSeconds(failing.isImpatient() ? 3 : 60);
        Client client = Client.builder("app", "1.0")
                .startTimeout(patience)
                .limits(Limits.STANDARD.withRequestTimeout(patience))
                .onProblem(problem -> {})
                .build();
        try (ConnectedAgent connection = client.connect(launch);
                Turn turn = connection.newSession(folder).prompt("hello")) {
            if (failing.isCancelled()) {
                turn.iterator().next();
                turn.cancel();
            }
            return "The library ends the turn: " + turn.result().stopReason() + "\n";
        } catch (UnsupportedException e) {
            return "The library throws UnsupportedException:\n" + e.getMessage() + "\n";
        } catch (RpcException e) {
            return "The library throws " + e.getClass().getSimpleName() + ":\n" + e.getMessage() + "\n" + more(e);
        }
    }

    private static String more(RpcException e) {
        return e instanceof ProcessFailedException failed
                ? "\nwith the report:\n" + failed.report() + "\n"
                : "\nwith the next step:\n" + e.nextStep() + "\n";
    }

    private String command(FailingAgents.Case failing, Path agent) throws IOException {
        List<String> args = new ArrayList<>(List.of("prompt", "--cwd", folder.toString()));
        args.addAll(List.of("--env", "MY_TOKEN=hunter2hunter2"));
        args.addAll(failing.options());
        args.addAll(List.of("hello", "--", agent.toString(), "--api-key", "swordfish"));
        AcpRun run = acp(args.toArray(String[]::new)).run();
        return "acp prompt" + (failing.options().isEmpty() ? "" : " " + String.join(" ", failing.options()))
                + " ends with " + run.exitCode() + " and says:\n" + run.err();
    }

    /** Takes out what differs from run to run and from machine to machine. */
    private String normal(String text) throws IOException {
        return text.replace(folder.toRealPath().toString(), "/folder")
                .replace(folder.toString(), "/folder")
                // Sent when the time is over, at the moment of the report.
                .replaceAll("\n    --> \\$/cancel_request \\(\\d+ bytes\\)", "")
                .replaceAll("\\(\\d+ bytes\\)", "(… bytes)")
                .replaceAll("Looked in: .*?\\. Install", "Looked in: … . Install")
                // What an agent writes to its standard error has no order with what it says.
                .replaceAll("(?m)^(! .*\n)(│ agent: .*\n)", "$2$1")
                .replaceAll("(?m)[ \\t]+$", "");
    }
}
