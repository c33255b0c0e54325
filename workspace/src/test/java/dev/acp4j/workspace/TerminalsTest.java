package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.acp4j.process.Launch;
import dev.acp4j.schema.EnvVariable;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Real commands of a Unix system. */
@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
class TerminalsTest {
    @TempDir
    Path temp;

    private Path root;
    private Terminals terminals;

    @BeforeEach
    void open() throws IOException {
        root = Files.createDirectory(temp.resolve("root")).toRealPath();
        terminals = Terminals.of(Workspace.of(root));
    }

    @AfterEach
    void nothingIsLeftRunning() {
        terminals.close();
        assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Test
    void bothOutputsAreKeptInTheOrderTheyCame() throws Exception {
        TerminalId id = Commands.shell(terminals, "echo one; echo two >&2; echo three; echo €ß😀");

        TerminalExitStatus status = terminals.waitForExit(id);

        assertThat(status.exitCode()).isZero();
        assertThat(status.signal()).isNull();
        TerminalOutputResponse output = terminals.output(id);
        assertThat(output.output()).isEqualTo("one\ntwo\nthree\n€ß😀\n");
        assertThat(output.truncated()).isFalse();
        assertThat(output.exitStatus()).isEqualTo(status);
    }

    @Test
    void outputCanBeReadWhileTheCommandRuns() throws Exception {
        TerminalId id = Commands.shell(terminals, "echo ready; exec sleep 1000");

        TerminalOutputResponse output = Commands.awaitOutput(terminals, id, "ready\n"::equals);

        assertThat(output.exitStatus()).isNull();
    }

    @Test
    void exitCodeIsReported() throws Exception {
        TerminalExitStatus status = terminals.waitForExit(Commands.shell(terminals, "exit 3"));

        assertThat(status.exitCode()).isEqualTo(3);
        assertThat(status.signal()).isNull();
    }

    @Test
    void commandEndedByASignalHasItsName() throws Exception {
        assertThat(terminals
                        .waitForExit(Commands.shell(terminals, "kill -SEGV $$"))
                        .signal())
                .isEqualTo("SIGSEGV");
        TerminalExitStatus killed = terminals.waitForExit(Commands.shell(terminals, "kill -KILL $$"));
        assertThat(killed.signal()).isEqualTo("SIGKILL");
        assertThat(killed.exitCode()).isEqualTo(137);
    }

    @Test
    void commandThatAsksFindsTheEndOfItsInput() throws Exception {
        TerminalId id = Commands.shell(terminals, "read answer; echo \"got $? [$answer]\"");

        terminals.waitForExit(id);

        assertThat(terminals.output(id).output()).isEqualTo("got 1 []\n");
    }

    @Test
    @Tag("CBK-19")
    void folderAndEnvironmentAreApplied() throws Exception {
        Path folder = Files.createDirectory(root.resolve("folder"));
        TerminalId id = terminals.create(Commands.request("sh")
                .args(List.of("-c", "pwd; echo $WORD; echo $HOME"))
                .env(List.of(EnvVariable.of("WORD", "a b"), EnvVariable.of("HOME", "/elsewhere")))
                .cwd(folder.toString())
                .build());

        terminals.waitForExit(id);

        assertThat(terminals.output(id).output()).isEqualTo(folder + "\na b\n/elsewhere\n");
    }

    @Test
    @Tag("CBK-19")
    void commandStartsInTheFirstRootUnlessToldOtherwise() throws Exception {
        TerminalId id = terminals.create(Commands.request("pwd").build());

        terminals.waitForExit(id);

        assertThat(terminals.output(id).output()).isEqualTo(root + "\n");
    }

    @Test
    @Tag("CBK-19")
    void commandsFindNothingThatIsKeptFromAgents() throws Exception {
        Set<String> expected = new TreeSet<>(Launch.of("agent").environment().keySet());
        expected.add("ACP4J_LAUNCH");
        TerminalId id =
                terminals.create(Commands.request("env").args(List.of("-0")).build());

        terminals.waitForExit(id);

        Set<String> found = new TreeSet<>();
        for (String variable : terminals.output(id).output().split("\0", -1)) {
            if (!variable.isEmpty()) {
                found.add(variable.substring(0, variable.indexOf('=')));
            }
        }
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void optionsDoNotShowSecrets() {
        assertThat(TerminalOptions.DEFAULTS.withEnvironment(Map.of("TOKEN", "s3cret")))
                .asString()
                .contains("TOKEN")
                .doesNotContain("s3cret");
    }

    @Test
    @Tag("CBK-19")
    void environmentCanBeLimited() throws Exception {
        Terminals limited = Terminals.of(
                Workspace.of(root), TerminalOptions.DEFAULTS.withEnvironment(Map.of("PATH", System.getenv("PATH"))));
        try (limited) {
            TerminalId id = limited.create(
                    Commands.request("sh").args(List.of("-c", "echo [$HOME]")).build());

            limited.waitForExit(id);

            assertThat(limited.output(id).output()).isEqualTo("[]\n");
        }
    }

    @Test
    @Tag("CBK-19")
    @Tag("SEC-05")
    void folderOutsideTheRootsIsRefused() throws IOException {
        Path link = Files.createSymbolicLink(root.resolve("link"), temp);

        for (String cwd : List.of("/", temp.toString(), link.toString(), root + "/..")) {
            assertThatExceptionOfType(WorkspaceException.OutsideRoots.class)
                    .isThrownBy(() ->
                            terminals.create(Commands.request("pwd").cwd(cwd).build()));
        }
        for (String cwd : List.of("relative", "", "nul\0")) {
            assertThatExceptionOfType(WorkspaceException.InvalidArgument.class)
                    .isThrownBy(() ->
                            terminals.create(Commands.request("pwd").cwd(cwd).build()));
        }
        assertThatExceptionOfType(WorkspaceException.NotFound.class)
                .isThrownBy(() -> terminals.create(Commands.request("pwd")
                        .cwd(root.resolve("no").toString())
                        .build()));
    }

    @Test
    @Tag("CBK-19")
    void argumentsReachTheCommandAsTheyAre() throws Exception {
        List<String> arguments = List.of("[%s]", "a b", "$HOME", "`id`", "; echo x", "*", "", "\"'", "a\nb");
        TerminalId id =
                terminals.create(Commands.request("printf").args(arguments).build());

        terminals.waitForExit(id);

        assertThat(terminals.output(id).output()).isEqualTo("[a b][$HOME][`id`][; echo x][*][][\"'][a\nb]");
    }

    @Test
    @Tag("CBK-19")
    void lineWithoutArgumentsIsRunByAShell() throws Exception {
        TerminalId id = terminals.create(
                Commands.request("echo one && echo 'two  three' | tr t T").build());

        terminals.waitForExit(id);

        assertThat(terminals.output(id).output()).isEqualTo("one\nTwo  Three\n");
    }

    @Test
    @Tag("CBK-19")
    void programWithASpaceInItsNameIsNoLine() throws Exception {
        Path program = Files.writeString(root.resolve("my program"), "#!/bin/sh\necho \"$0\"\n");
        program.toFile().setExecutable(true);
        TerminalId id = terminals.create(Commands.request("./my program").build());

        terminals.waitForExit(id);

        assertThat(terminals.output(id).output()).endsWith("my program\n");
    }

    @Test
    @Tag("CBK-19")
    void lineIsRefusedWhenThereIsToBeNoShell() {
        TerminalOptions options = TerminalOptions.DEFAULTS.withShellLines(false);
        try (Terminals strict = Terminals.of(Workspace.of(root), options)) {
            assertThatExceptionOfType(WorkspaceException.NotStarted.class)
                    .isThrownBy(() -> strict.create(Commands.request("echo one").build()))
                    .withMessage(
                            "there is no program \"echo one\", and this client does not run commands by a shell: send the"
                                    + " program and its arguments separately");
        }
    }

    @Test
    void commandIsLookedForOnTheSearchPathThatItIsGiven() throws Exception {
        Path folder = Files.createDirectory(root.resolve("tools"));
        Path tool = Files.writeString(folder.resolve("only-here"), "#!/bin/sh\necho found $1\n");
        assertThat(tool.toFile().setExecutable(true)).isTrue();

        TerminalId id = terminals.create(Commands.request("only-here")
                .args(List.of("it"))
                .env(List.of(EnvVariable.of("PATH", folder.toString())))
                .build());

        assertThat(terminals.waitForExit(id).exitCode()).isZero();
        assertThat(terminals.output(id).output()).isEqualTo("found it\n");
    }

    @Test
    void commandThatDoesNotExistIsAnErrorAtOnce() {
        assertThatExceptionOfType(WorkspaceException.NotStarted.class)
                .isThrownBy(() -> terminals.create(
                        Commands.request("no-such-program").args(List.of("x")).build()))
                .withMessage("cannot run no-such-program in " + root
                        + ": there is no such program, or these arguments cannot be passed to it");
        assertThatExceptionOfType(WorkspaceException.InvalidArgument.class)
                .isThrownBy(() -> terminals.create(Commands.request(" ").build()));
        assertThatExceptionOfType(WorkspaceException.InvalidArgument.class)
                .isThrownBy(() -> terminals.create(Commands.request("pwd")
                        .env(List.of(EnvVariable.of("A=B", "secret")))
                        .build()))
                .withMessageContaining("A=B")
                .withMessageNotContaining("secret");
    }

    @Test
    @Tag("CBK-17")
    void floodLeavesItsEnd() throws Exception {
        TerminalId id = terminals.create(Commands.request("sh")
                .args(List.of("-c", "i=0; while [ $i -lt 20000 ]; do echo \"€ $i\"; i=$((i+1)); done"))
                .outputByteLimit(100L)
                .build());

        terminals.waitForExit(id);

        TerminalOutputResponse output = terminals.output(id);
        assertThat(output.truncated()).isTrue();
        assertThat(output.output()).endsWith("€ 19998\n€ 19999\n").doesNotContain("\uFFFD");
        assertThat(output.output().getBytes(StandardCharsets.UTF_8).length).isBetween(97, 100);
    }

    @Test
    @Tag("CBK-17")
    void outputIsLimitedWhateverTheAgentAsksFor() throws Exception {
        TerminalOptions options = TerminalOptions.DEFAULTS.withOutputBytes(3, 6);
        try (Terminals small = Terminals.of(Workspace.of(root), options)) {
            for (Long asked : new Long[] {null, 2L, 1_000_000L, Long.MAX_VALUE}) {
                TerminalId id = small.create(Commands.request("printf")
                        .args(List.of("0123456789"))
                        .outputByteLimit(asked)
                        .build());
                small.waitForExit(id);

                String expected = asked == null ? "789" : asked == 2 ? "89" : "456789";
                assertThat(small.output(id).output()).isEqualTo(expected);
                assertThat(small.output(id).truncated()).isTrue();
            }
        }
    }
}
