package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Feature;
import dev.acp4j.RemoteFiles;
import dev.acp4j.RemoteTerminal;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.ReadTextFileRequest;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputRequest;
import dev.acp4j.schema.WaitForTerminalExitResponse;
import dev.acp4j.tap.Poll;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** An agent that uses what a client offers, over a connection. */
@Timeout(60)
class OfferTest {
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @TempDir
    Path temp;

    private Path root;
    private Path other;

    @BeforeEach
    void createFolders() throws IOException {
        root = Files.createDirectory(temp.resolve("root"));
        other = Files.createDirectory(temp.resolve("other"));
    }

    @Test
    @Tag("CBK-14")
    void agentReadsAndWritesFilesOfItsSession() throws Exception {
        Files.writeString(root.resolve("a.txt"), "1\n2\n3\n");

        String said = run(turn -> {
            RemoteFiles files = turn.files();
            files.writeText(root.resolve("new").resolve("b.txt"), files.readText(root.resolve("a.txt"), 2, 1));
            files.writeText(other.resolve("c.txt"), "c");
            turn.message(files.canRead() + " " + files.canWrite());
        });

        assertThat(said).isEqualTo("true true");
        assertThat(root.resolve("new").resolve("b.txt")).hasContent("2\n");
        assertThat(other.resolve("c.txt")).hasContent("c");
    }

    @Test
    void agentMayOnlyReadWhereNothingElseIsOffered() throws Exception {
        Files.writeString(root.resolve("a.txt"), "1\n");
        Agent.PromptHandler prompt = turn -> {
            turn.message(turn.files().readText(root.resolve("a.txt")));
            turn.message(turn.files().canWrite() + " " + turn.terminals().isOffered());
        };

        String said;
        try (Joined joined = new Joined(prompt, Workspace::offerReadingTo)) {
            said = joined.open(root).prompt("go").text();
        }

        assertThat(said).isEqualTo("1\nfalse false");
    }

    @Test
    @Tag("CBK-14")
    @Tag("CBK-15")
    void agentIsToldWhatItDoesNotGetAndWhy() throws Exception {
        Path outside = Files.writeString(temp.resolve("outside.txt"), "secret");
        Path missing = root.resolve("missing.txt");

        String said = run(turn -> {
            turn.message(error(() -> turn.files().readText(outside)) + "\n");
            turn.message(error(() -> turn.files().writeText(outside, "x")) + "\n");
            turn.message(error(() -> turn.files().readText(missing)) + "\n");
        });

        String refusal = outside + " is outside the folders of this session: " + List.of(root, other);
        assertThat(said.lines())
                .containsExactly(
                        "fs/read_text_file: " + refusal + " (-32602)",
                        "fs/write_text_file: " + refusal + " (-32602)",
                        "fs/read_text_file: " + missing + " does not exist (-32002)");
        assertThat(outside).hasContent("secret");
    }

    @Test
    @Tag("CBK-15")
    @DisabledOnOs(OS.WINDOWS)
    void agentThatSendsWhatWouldHangHoldsNobodyUp() throws Exception {
        Path below = OddFiles.pipe(root.resolve("pipe")).resolve("x");
        String endless = root + "/a".repeat(1 << 19);
        Files.writeString(root.resolve("a.txt"), "still here");
        int times = 4 * Runtime.getRuntime().availableProcessors();

        String said = run(turn -> {
            SessionId session = turn.session().id();
            List<FutureTask<String>> hanging = new ArrayList<>();
            for (int i = 0; i < times; i++) {
                hanging.add(new FutureTask<>(() -> error(() -> turn.files().writeText(below, "x"))));
                hanging.add(new FutureTask<>(() -> error(() -> turn.client()
                        .call(
                                ClientMethods.READ_TEXT_FILE,
                                ReadTextFileRequest.builder(session, endless).build()))));
                hanging.add(new FutureTask<>(() -> error(() -> turn.client()
                        .call(
                                ClientMethods.CREATE_TERMINAL,
                                CreateTerminalRequest.builder(session, "true")
                                        .cwd(endless)
                                        .build()))));
            }
            hanging.forEach(Thread::startVirtualThread);
            Set<String> errors = new TreeSet<>();
            for (FutureTask<String> one : hanging) {
                errors.add(one.get());
            }
            turn.message(String.join("\n", errors) + "\n" + turn.files().readText(root.resolve("a.txt")));
        });

        String tooLong = "the path is too long: it has " + endless.length() + " bytes, and the limit is 4095 (-32602)";
        assertThat(said.lines())
                .containsExactly(
                        "fs/read_text_file: " + tooLong,
                        "fs/write_text_file: cannot write " + below + ": pipe is not a folder (-32603)",
                        "terminal/create: " + tooLong,
                        "still here");
    }

    @Test
    @Tag("CBK-16")
    @Tag("CBK-19")
    @DisabledOnOs(OS.WINDOWS)
    void agentRunsACommandInItsSession() throws Exception {
        String said = run(turn -> {
            try (RemoteTerminal terminal =
                    turn.terminals().start(other, "sh", List.of("-c", "basename \"$(pwd)\"; exit 3"))) {
                turn.message(terminal.waitForExit().exitCode() + " ");
                turn.message(terminal.output().output());
            }
        });

        assertThat(said).isEqualTo("3 other\n");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void agentEndsACommandThatTakesTooLongAndReadsWhatItPrinted() throws Exception {
        TerminalId[] left = new TerminalId[1];

        String said = run(turn -> {
            try (RemoteTerminal terminal =
                    turn.terminals().start(root, "sh", List.of("-c", "echo $$; exec sleep 1000"))) {
                left[0] = terminal.id();
                assertThatExceptionOfType(RequestTimeoutException.class)
                        .isThrownBy(() -> terminal.waitForExit(Duration.ofMillis(20)));
                // Nothing reports that the client has read what the command printed.
                assertThat(Poll.until(() -> !output(terminal).isEmpty())).isTrue();
                assertThat(terminal.output().exitStatus()).isNull();
                assertThat(isAlive(terminal.output().output())).isTrue();

                terminal.kill();

                WaitForTerminalExitResponse exit = terminal.waitForExit(Duration.ofSeconds(20));
                assertThat(isAlive(terminal.output().output())).isFalse();
                turn.message(exit.signal() + " " + terminal.output().output());
            }
            // RemoteTerminal.close() does not wait for the answer.
            assertThat(Poll.until(() -> error(() -> turn.client()
                                    .call(
                                            ClientMethods.TERMINAL_OUTPUT,
                                            TerminalOutputRequest.of(
                                                    turn.session().id(), left[0])))
                            .contains("it has been released")))
                    .isTrue();
        });

        assertThat(said).matches("SIGTERM [0-9]+\n");
    }

    private static boolean isAlive(String pid) {
        return ProcessHandle.of(Long.parseLong(pid.strip()))
                .filter(ProcessHandle::isAlive)
                .isPresent();
    }

    @Test
    @Tag("CBK-16")
    void agentIsToldWhichTerminalsItDoesNotGetAndWhy() throws Exception {
        TerminalId[] released = new TerminalId[1];

        String said = run(turn -> {
            turn.message(error(() -> turn.terminals().start(temp, "java", List.of())) + "\n");
            turn.message(error(() -> turn.terminals().start(root, "no-such-program", List.of())) + "\n");
            released[0] =
                    turn.terminals().start(root, JAVA, List.of("-version")).id();
            // RemoteTerminal.close() does not wait for the answer, and requests are handled in any order.
            turn.client()
                    .call(
                            ClientMethods.RELEASE_TERMINAL,
                            ReleaseTerminalRequest.of(turn.session().id(), released[0]));
            turn.message(error(() -> turn.client()
                    .call(
                            ClientMethods.TERMINAL_OUTPUT,
                            TerminalOutputRequest.of(turn.session().id(), released[0]))));
        });

        List<String> lines = said.lines().toList();
        assertThat(lines.get(0))
                .startsWith("terminal/create: " + temp + " is outside")
                .endsWith("(-32602)");
        assertThat(lines.get(1))
                .startsWith("terminal/create: cannot run no-such-program in ")
                .endsWith("(-32602)");
        assertThat(lines.get(2))
                .isEqualTo(
                        "terminal/output: there is no terminal " + released[0] + ", or it has been released (-32002)");
    }

    @Test
    @Tag("CBK-16")
    @DisabledOnOs(OS.WINDOWS)
    void terminalsEndWithTheirSessionAndWithTheConnection() throws Exception {
        Agent.PromptHandler startAndLeave = turn -> {
            RemoteTerminal terminal = turn.terminals().start(root, "sh", List.of("-c", "echo $$; exec sleep 1000"));
            assertThat(Poll.until(() -> output(terminal).endsWith("\n"))).isTrue();
            turn.message(output(terminal).strip());
        };
        Optional<ProcessHandle> left;
        try (Joined joined = new Joined(startAndLeave, Workspace::offerTo)) {
            Session session = joined.open(root);
            Optional<ProcessHandle> first =
                    ProcessHandle.of(Long.parseLong(session.prompt("go").text()));
            assertThat(first).get().matches(ProcessHandle::isAlive);

            session.close();

            assertThat(first).get().matches(process -> !process.isAlive());
            left = ProcessHandle.of(
                    Long.parseLong(joined.open(root).prompt("go").text()));
            assertThat(left).get().matches(ProcessHandle::isAlive);
        }
        assertThat(left).get().matches(process -> !process.isAlive());
    }

    @Test
    @Tag("CBK-20")
    void clientWithoutAnOfferHasNeither() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Agent agent = Agent.builder("agent", "1")
                .onPrompt(turn -> turn.message(turn.files().canRead()
                        + " " + turn.files().canWrite()
                        + " " + turn.terminals().isOffered()))
                .build();
        try (ConnectedClient agentSide = agent.connect(pair.left());
                ConnectedAgent clientSide = Client.builder("client", "1").connect(pair.right())) {
            assertThat(agentSide.isOpen()).isTrue();
            assertThat(clientSide.newSession(root).prompt("go").text()).isEqualTo("false false false");
        }
    }

    private String run(Agent.PromptHandler prompt) throws InterruptedException {
        try (Joined joined = new Joined(prompt, Workspace::offerTo)) {
            return joined.open(root, other).prompt("go").text();
        }
    }

    /** An agent and a client that offers it something. */
    private static final class Joined implements AutoCloseable {
        private final ConnectedClient agentSide;
        private final ConnectedAgent clientSide;

        Joined(Agent.PromptHandler prompt, UnaryOperator<Client.Builder> offer) throws InterruptedException {
            MemoryTransport.Pair pair = MemoryTransport.pair();
            agentSide = Agent.builder("agent", "1")
                    .onPrompt(prompt)
                    .supports(Feature.ADDITIONAL_DIRECTORIES)
                    .build()
                    .connect(pair.left());
            clientSide = offer.apply(Client.builder("client", "1")).connect(pair.right());
        }

        Session open(Path cwd, Path... more) throws InterruptedException {
            return clientSide.newSession(SessionSetup.in(cwd).withAdditionalDirectories(List.of(more)));
        }

        @Override
        public void close() {
            clientSide.close();
            agentSide.close();
        }
    }

    private static String error(Action action) {
        try {
            action.run();
            return "no error";
        } catch (RpcError e) {
            return String.valueOf(e.getMessage());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static String output(RemoteTerminal terminal) {
        try {
            return terminal.output().output();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Something that is to fail. */
    private interface Action {
        void run() throws Exception;
    }
}
