package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * acpx, a client for command lines, runs agents by the entries that {@code acp install-into} writes. See docs/peers.md.
 */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class AcpxTest {
    private static final String VERSION = "0.19.1";

    @TempDir
    Path folder;

    private Path home;

    @BeforeEach
    void makeHome() throws IOException {
        home = Files.createDirectories(folder.resolve("home"));
        Files.createDirectories(home.resolve(".acpx"));
    }

    @Test
    @Tag("EDT-09")
    @Tag("EDT-10")
    void acpxRunsTheBuiltInAgentAlsoFromAPathWithSpaces() throws Exception {
        Path spaced = Files.createDirectories(folder.resolve("my tools")).resolve("agent's");
        Files.writeString(
                spaced,
                "#!/bin/sh\nexec '" + String.join("' '", ClientProgram.java("dev.acp4j.cli.Acp", "agent")) + "'\n");
        Files.setPosixFilePermissions(spaced, PosixFilePermissions.fromString("rwxr-xr-x"));

        acp("install-into", "acpx", "--yes");
        acp("install-into", "acpx", "--yes", "--name", "spaced", "--", spaced.toString());

        assertThat(acpx("acp4j", "exec", "hello")).contains("Hello!").contains("[done] end_turn");
        assertThat(acpx("spaced", "exec", "hello")).contains("Hello!").contains("[done] end_turn");
        acp("uninstall-from", "acpx", "--yes");
        assertThat(home.resolve(".acpx/config.json")).doesNotExist();
    }

    private void acp(String... words) throws Exception {
        List<String> command = new ArrayList<>(ClientProgram.java("dev.acp4j.cli.Acp"));
        command.addAll(List.of(words));
        run(command);
    }

    private String acpx(String... words) throws Exception {
        Path program = NodePrograms.packageFolder("acpx", VERSION).resolve("dist/cli.js");
        List<String> command = new ArrayList<>(List.of(NodePrograms.node22(), program.toString()));
        command.addAll(List.of(words));
        return run(command);
    }

    /** Runs a program that must end well; returns what it printed. */
    private String run(List<String> command) throws Exception {
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(output.toFile());
        builder.environment().put("HOME", home.toString());
        builder.environment().put("XDG_STATE_HOME", folder.resolve("state").toString());
        Process process = builder.start();
        boolean ended = process.waitFor(120, TimeUnit.SECONDS);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        String printed = Files.readString(output);
        assertThat(ended && process.exitValue() == 0)
                .as("%s%n%s", command.getLast(), printed)
                .isTrue();
        return printed;
    }
}
