package dev.acp4j.cli.conduct;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Chains of programs that are changed while they run, and what their recordings show. */
@Timeout(180)
class ChangedChainTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private Path file = Path.of("");
    private final LinkedBlockingQueue<String> reports = new LinkedBlockingQueue<>();

    @BeforeEach
    void place() {
        file = folder.resolve("chain.yaml");
    }

    private static String program(String... args) {
        List<String> command = new ArrayList<>(AcpRun.java(ConductedProgram.class));
        command.addAll(List.of(args));
        return command.stream().map(word -> "\"" + word + "\"").collect(Collectors.joining(", ", "[", "]"));
    }

    private static String component(String id, String... args) {
        return "{id: " + id + ", command: " + program(args) + "}";
    }

    private void write(String... components) throws IOException {
        Files.writeString(
                file,
                "components: [" + String.join(", ", components) + "]\nagent: {command: " + program("echo") + "}\n");
    }

    private Launch conduct(String... options) {
        List<String> command = new ArrayList<>();
        if (System.getProperty("os.name").equals("Linux")) {
            // It hears SIGHUP also when the tests run in the background of a shell, which ignores it.
            command.addAll(List.of("env", "--default-signal=HUP"));
        }
        command.addAll(AcpRun.java(Acp.class));
        command.addAll(List.of("conduct", "--chain", file.toString()));
        command.addAll(List.of(options));
        return Launch.of(command.get(0), command.subList(1, command.size()))
                .env("XDG_STATE_HOME", folder.resolve("state").toString())
                .onStderr(line -> {
                    if (line.startsWith("acp: ")) {
                        reports.add(line);
                    }
                });
    }

    private String report() throws InterruptedException {
        String line = reports.poll(120, TimeUnit.SECONDS);
        assertThat(line).as("a report").isNotNull();
        return String.valueOf(line);
    }

    private static void hangUp(LaunchedProcess acp) throws Exception {
        assertThat(new ProcessBuilder("kill", "-HUP", Long.toString(acp.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    @Test
    @Tag("CON-21")
    void aChainTakesWhatItsFileSaysAtASignalAndABrokenFileChangesNothing() throws Exception {
        write(component("one", "adds", "One."));
        try (LaunchedProcess acp = conduct().start();
                ConnectedAgent agent = Client.builder("test", "1").connect(acp.transport())) {
            Session session = agent.newSession(folder);
            assertThat(session.prompt("Hello.").text()).isEqualTo("Hello.\nOne.");

            write(component("two", "adds", "Two."), component("one", "adds", "One."));
            hangUp(acp);
            assertThat(report()).isEqualTo("acp: The chain has changed, it is now: mcp-relay, two, one, mcp-bridge.");
            assertThat(session.prompt("Hello.").text()).isEqualTo("Hello.\nTwo.\nOne.");

            write(component("gone", "exits", "3"));
            hangUp(acp);
            assertThat(report())
                    .startsWith("acp: The chain stays as it is: ")
                    .contains("the component gone has ended: exit code 3");
            Files.writeString(file, "components: [{id: two, comand: x}]\n");
            hangUp(acp);
            assertThat(report())
                    .startsWith("acp: The chain stays as it is: ")
                    .contains("line 1: a component has no key comand. Did you mean command?");
            assertThat(session.prompt("Hello.").text()).isEqualTo("Hello.\nTwo.\nOne.");
        }
    }

    @Test
    @Tag("CON-06")
    @Tag("CON-21")
    void aWrapperAndWhatIsBehindItStayWhenTheChainBeforeThemChanges() throws Exception {
        String wrapper = component("wrapper", "wraps", "{}");
        String behind = component("behind", "adds", "Behind.");
        write(component("one", "adds", "One."), wrapper, behind);
        try (LaunchedProcess acp = conduct().start();
                ConnectedAgent agent = Client.builder("test", "1").connect(acp.transport())) {
            Session session = agent.newSession(folder);
            assertThat(session.prompt("Hello.").text()).isEqualTo("Hello.\nOne.\nBehind.");

            write(component("two", "adds", "Two."), wrapper, behind);
            hangUp(acp);
            assertThat(report()).isEqualTo("acp: The chain has changed, it is now: mcp-relay, two, mcp-bridge.");
            assertThat(session.prompt("Hello.").text()).isEqualTo("Hello.\nTwo.\nBehind.");

            write(component("one", "adds", "One."), wrapper);
            hangUp(acp);
            assertThat(report()).isEqualTo("acp: The chain has changed, it is now: mcp-relay, one, mcp-bridge.");
            assertThat(report()).startsWith("acp: the agent stays as it was");
            assertThat(session.prompt("Hello.").text()).isEqualTo("Hello.\nOne.\nBehind.");
        }
    }

    @Test
    @Tag("CON-21")
    @Tag("CON-04")
    void aChangedFileOfAProjectIsTrustedAnewBeforeAnythingOfItStarts() throws Exception {
        write(component("one", "adds", "One."));
        try (LaunchedProcess acp = conduct().start();
                ConnectedAgent agent = Client.builder("test", "1").connect(acp.transport())) {
            Files.createDirectory(folder.resolve(".git"));
            Path started = folder.resolve("started");
            write(component("other", "touches", started.toString()));
            hangUp(acp);

            assertThat(report()).startsWith("acp: The chain stays as it is: ").contains("Next: acp conduct trust ");
            assertThat(started).doesNotExist();
            assertThat(agent.newSession(folder).prompt("Hello.").text()).isEqualTo("Hello.\nOne.");
        }
    }

    @Test
    @Tag("CON-21")
    void aWatchedFileChangesTheChainWhenItIsWritten() throws Exception {
        write(component("one", "adds", "One."));
        try (LaunchedProcess acp = conduct("--watch").start();
                ConnectedAgent agent = Client.builder("test", "1").connect(acp.transport())) {
            Session session = agent.newSession(folder);
            assertThat(session.prompt("Hello.").text()).isEqualTo("Hello.\nOne.");
            Path draft = folder.resolve("draft.yaml");
            Path target = file;
            file = draft;
            write();
            Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);

            assertThat(report()).isEqualTo("acp: The chain has changed, it is now: the agent alone.");
            assertThat(session.prompt("Hello.").text()).isEqualTo("Hello.");
        }
    }

    @Test
    @Tag("CON-22")
    @Tag("TRC-02")
    void aRecordingShowsTheChainAndWhatEachHopHasChanged() throws Exception {
        write(component("one", "adds", "One."), component("two", "adds", "Two."));
        Path trace = folder.resolve("t.trace.jsonl");
        try (LaunchedProcess acp = conduct("--trace", trace.toString()).start();
                ConnectedAgent agent = Client.builder("test", "1").connect(acp.transport())) {
            assertThat(agent.newSession(folder).prompt("Hello.").text()).isEqualTo("Hello.\nOne.\nTwo.");
        }

        AcpRun prompts = acp("trace", "show", "--method", "session/prompt", "--json", trace.toString())
                .run();
        String flow = prompts.out().replaceAll("(?s).*?\"flow\":(\\d+).*", "$1");
        AcpRun followed = acp("trace", "show", "--flow", flow, "--changes", trace.toString())
                .run();
        AcpRun all = acp("trace", "show", trace.toString()).run();
        AcpRun times = acp("trace", "show", "--times", trace.toString()).run();

        assertThat(all.out())
                .contains("client — mcp-relay — one — two — mcp-bridge — agent")
                .contains("one         ! stderr  I add One.");
        assertThat(followed.lines())
                .filteredOn(line -> line.contains("session/prompt") || line.contains("+ "))
                .hasSize(8)
                .satisfies(lines -> {
                    assertThat(lines.get(0))
                            .contains("client → one ")
                            .contains("▸ session/prompt")
                            .contains("“Hello.”");
                    assertThat(lines.get(1)).contains("one → two ").contains("“Hello.” “One.”");
                    assertThat(lines.get(2)).contains("+ prompt[1]: {\"type\":\"text\",\"text\":\"One.\"}");
                    assertThat(lines.get(3)).contains("two → agent ");
                    assertThat(lines.get(4)).contains("+ prompt[2]: {\"type\":\"text\",\"text\":\"Two.\"}");
                    assertThat(lines.get(5)).contains("two ← agent ").contains("✓ session/prompt");
                    assertThat(lines.get(7)).contains("client ← one ");
                });
        assertThat(times.out()).containsPattern("one [\\d.]+ m?s, two [\\d.]+ m?s, agent [\\d.]+ m?s");
    }

    @Test
    @Tag("CON-22")
    @Tag("CON-33")
    void secretsBehindAWrapperAndOfAnEarlierChainStayHiddenInTheRecording() throws Exception {
        String first = "{id: first, env: {OWN_TOKEN: s3cr3t-of-the-first}, command: " + program("adds", "One.") + "}";
        String wrapper = component("wrapper", "wraps", "{}");
        String behind = "{id: behind, env: {OWN_TOKEN: s3cr3t-behind-it}, command: " + program("adds", "Behind.") + "}";
        String said = "Say s3cr3t-of-the-first and s3cr3t-behind-it.";
        write(first, wrapper, behind);
        Path trace = folder.resolve("t.trace.jsonl");
        try (LaunchedProcess acp = conduct("--trace", trace.toString()).start();
                ConnectedAgent agent = Client.builder("test", "1").connect(acp.transport())) {
            Session session = agent.newSession(folder);
            assertThat(session.prompt(said).text()).isEqualTo(said + "\nOne.\nBehind.");

            write(component("two", "adds", "Two."), wrapper, behind);
            hangUp(acp);
            assertThat(report()).isEqualTo("acp: The chain has changed, it is now: mcp-relay, two, mcp-bridge.");
            assertThat(session.prompt(said).text()).isEqualTo(said + "\nTwo.\nBehind.");
        }

        assertThat(Files.readString(trace)).contains("One.", "Two.", "Behind.").doesNotContain("s3cr3t-");
    }
}
