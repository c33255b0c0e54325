package dev.acp4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.acp4j.cli.Acp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs each example as its own program, clients against agents. */
@Timeout(120)
class ExamplesTest {
    private static final Path SOURCES = Path.of("src/main/java/dev/acp4j/examples");

    @TempDir
    Path folder;

    @Test
    void askReadsTheAnswerOfTheEchoAgent() throws Exception {
        assertThat(run("", Ask.class, EchoAgent.class)).isEqualTo("You said: What is 2 + 2? [end_turn]\n");
    }

    @Test
    @Tag("REG-31")
    void askByNameStartsTheInstalledAgent() throws Exception {
        String program = "#!/bin/sh\nexec '" + String.join("' '", java(EchoAgent.class)) + "'\n";
        HttpServer host = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        host.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (var body = exchange.getResponseBody()) {
                body.write(program.getBytes(StandardCharsets.UTF_8));
            }
        });
        host.start();
        String build =
                "{\"archive\":\"http://127.0.0.1:" + host.getAddress().getPort() + "/claude\",\"cmd\":\"./claude\"}";
        Path index = Files.writeString(folder.resolve("index.json"), """
                {"version": "1.0.0", "agents": [{"id": "claude-acp", "name": "Claude", "version": "1.0.0",
                  "description": "An agent.", "distribution": {"binary": {
                    "linux-x86_64": BUILD, "linux-aarch64": BUILD, "darwin-aarch64": BUILD}}}]}
                """.replace("BUILD", build));
        List<String> add = List.of("agents", "add", "--allow-unverified", "--index", index.toString(), "claude");
        try {
            assertThat(run("", List.of(java(Acp.class), add))).contains("claude-acp 1.0.0 is installed");
        } finally {
            host.stop(0);
        }

        assertThat(run("", AskByName.class)).isEqualTo("You said: What is 2 + 2?\n");
    }

    @Test
    void theOrchestratingAgentHasTheEchoAgentWork() throws Exception {
        assertThat(run("", Ask.class, OrchestratingAgent.class, EchoAgent.class))
                .isEqualTo("You said: What is 2 + 2?\n [end_turn]\n");
    }

    @Test
    @Tag("PXL-01")
    void theBriefProxyWorksInAJvmAndUnderAConductor() throws Exception {
        String answer = "You said: What is 2 + 2?\nBe brief.";
        String proxy = String.join(" ", java(BriefProxy.class));

        assertThat(run("", AskThroughProxy.class, EchoAgent.class)).isEqualTo(answer + "\n");
        assertThat(run(
                        "",
                        List.of(
                                java(Ask.class),
                                java(Acp.class),
                                List.of("conduct", "-p", proxy, "--"),
                                java(EchoAgent.class))))
                .isEqualTo(answer + " [end_turn]\n");
    }

    @Test
    void cancelTurnEndsTheCountingAgent() throws Exception {
        assertThat(run("", CancelTurn.class, CountingAgent.class)).isEqualTo("1 2 3 [cancelled]\n");
    }

    @Test
    void permissionPromptLetsTheEditingAgentWrite() throws Exception {
        assertThat(run("1\n", PermissionPrompt.class, EditingAgent.class))
                .contains("Write greeting.txt?", "1) Allow", "would write", "greeting.txt", "Done.");
    }

    @Test
    void permissionPromptAllowsNothingWithoutAnAnswer() throws Exception {
        assertThat(run("", PermissionPrompt.class, EditingAgent.class)).doesNotContain("would write", "Done.");
    }

    @Test
    void watchSessionSeesThePlanOfThePlanningAgent() throws Exception {
        assertThat(run("", WatchSession.class, PlanningAgent.class)).contains("3 steps planned", "ended: end_turn");
    }

    @Test
    void transcriptDrawsThePlanOfThePlanningAgentInOneRow() throws Exception {
        assertThat(run("", Transcript.class, PlanningAgent.class))
                .startsWith("1 USER: Go!\n")
                .contains("2 Plan: 3 of 3 steps\n", "3 AGENT: All 3 steps are done.\n")
                .endsWith("4 End: end_turn\n");
    }

    @Test
    void aToolCallTellsItsTrace() throws Exception {
        assertThat(run("", TraceToolCalls.class))
                .startsWith("Search: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\n")
                .endsWith("end_turn, by protocol version 1\n");
    }

    @Test
    void switchModeTriesTheModesOfTheModesAgent() throws Exception {
        assertThat(run("", SwitchMode.class, ModesAgent.class)).isEqualTo("Quiet: hello.\nLoud: HELLO!\n");
    }

    @Test
    void closeAndLoadGetsTheConversationBack() throws Exception {
        assertThat(run("", CloseAndLoad.class, RememberingAgent.class))
                .isEqualTo("USER: remember me\nAGENT: You said: remember me\n");
    }

    @Test
    void anExtensionMethodIsCalled() throws Exception {
        assertThat(run("", ExtensionMethod.class)).isEqualTo("[\"LOUD\"]\nserved by protocol version 1\n");
    }

    @Test
    @Tag("PXL-27")
    void anExtensionMethodHasRecordsOfItsOwn() throws Exception {
        assertThat(run("", TypedExtension.class))
                .isEqualTo("good: /src/Main.java has 1 note\nserved by protocol version 1\n");
    }

    @Test
    void interceptorsSeeAndChangeWhatGoesOverTheWire() throws Exception {
        assertThat(run("", Interceptors.class, EchoAgent.class))
                .startsWith("--> REQUEST initialize\n<-- RESULT \n--> REQUEST session/new\n<-- RESULT \n")
                .contains("--> REQUEST session/prompt\n<-- NOTIFICATION session/update\n")
                .endsWith("You said: Hello!\nAnswer in English.\n");
    }

    @Test
    void aTransportOfOnesOwnJoinsAnAgentAndAClient() throws Exception {
        assertThat(run("", OwnTransport.class)).isEqualTo("You said: Hello!\nserved by protocol version 1\n");
    }

    @Test
    void aListenerWaitsForTheEndOfItsTurn() throws Exception {
        assertThat(run("", WaitInListener.class, EchoAgent.class))
                .isEqualTo("the listener saw the turn end: end_turn, after \"You said: Hello!\"\n");
    }

    @Test
    void twoClientsShareASessionAndOneLeavesInMidTurn() throws Exception {
        assertThat(run("", SharedSession.class)).isEqualTo("""
                        author: one
                        watcher: one done
                        author, back: two [end_turn]
                        watcher: two done three done
                        """);
    }

    @Test
    void theServersOfAFileAreConnectedByTheAgent() throws Exception {
        // A command that is no server: it fails, and the session goes on without it.
        Files.writeString(folder.resolve(".mcp.json"), "{\"mcpServers\":{\"none\":{\"command\":\"/bin/false\"}}}");

        assertThat(run("", McpClient.class, McpAgent.class)).isEqualTo("There are no tools.\n");
    }

    @Test
    void aToolOfTheClientIsCalledByTheAgent() throws Exception {
        assertThat(run("", OwnTools.class, McpAgent.class)).isEqualTo("Hello, Ada!\n");
    }

    @Test
    void theEditingSessionTakesTheSuggestionOfTheRenameAgent() throws Exception {
        assertThat(run("", EditingSession.class, RenameAgent.class)).isEqualTo("""
                        rename to total
                        int total(int a, int b) {
                            return a + b;
                        }

                        int six = total(2, 4);
                        """);
    }

    @Test
    void anAgentIsTestedInMemory() throws Exception {
        assertThat(run("", TestYourAgent.class)).startsWith("right, in ");
    }

    @Test
    void thePageOfExamplesNamesAllPrograms() throws IOException {
        String page = Files.readString(Path.of("README.md"));

        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : files.toList()) {
                if (Files.readString(file).contains("void main(")) {
                    assertThat(page).contains("(" + SOURCES.resolve(file.getFileName()) + ")");
                }
            }
        }
        Pattern.compile("bin/example ([A-Z]\\w*[a-z]\\w*)")
                .matcher(page)
                .results()
                .forEach(program ->
                        assertThat(SOURCES.resolve(program.group(1) + ".java")).exists());
    }

    private String run(String input, Class<?>... programs) throws IOException, InterruptedException {
        return run(input, Stream.of(programs).map(ExamplesTest::java).toList());
    }

    private String run(String input, List<List<String>> programs) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        programs.forEach(command::addAll);
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        for (String place : List.of("DATA", "CACHE", "CONFIG", "STATE")) {
            builder.environment()
                    .put("XDG_" + place + "_HOME", folder.resolve(place).toString());
        }
        Process process = builder.start();
        try (var stdin = process.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        }
        boolean ended = process.waitFor(60, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertThat(ended)
                .as("%s ended; it printed: %s", programs.get(0), Files.readString(output))
                .isTrue();
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
        return Files.readString(output);
    }

    private static List<String> java(Class<?> program) {
        String java = ProcessHandle.current().info().command().orElse("java");
        return List.of(
                java, "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), program.getName());
    }
}
