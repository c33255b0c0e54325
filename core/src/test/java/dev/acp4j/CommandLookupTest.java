package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class CommandLookupTest {
    @TempDir
    Path directory;

    private Path first;
    private Path second;

    @BeforeEach
    void makeDirectories() throws Exception {
        first = Files.createDirectory(directory.resolve("first"));
        second = Files.createDirectory(directory.resolve("second"));
    }

    @Test
    void theFirstProgramOfTheSearchPathIsTaken() throws Exception {
        program(second, "agent");
        assertThat(unix().find("agent")).isEqualTo(second.resolve("agent"));

        program(first, "agent");
        assertThat(unix().find("agent")).isEqualTo(first.resolve("agent"));
    }

    @Test
    void whatIsNotExecutableIsPassedOver() throws Exception {
        Files.createFile(first.resolve("agent"));
        Files.createDirectory(first.resolve("other"));
        program(second, "agent");
        program(second, "other");

        assertThat(unix().find("agent")).isEqualTo(second.resolve("agent"));
        assertThat(unix().find("other")).isEqualTo(second.resolve("other"));
    }

    @Test
    @Tag("PRC-18")
    void whatCannotBeRunIsExplained() throws Exception {
        Path file = Files.createFile(first.resolve("agent"));

        assertThatThrownBy(() -> unix().find("agent"))
                .hasMessage("cannot run agent: " + file + " is not executable. Make it so with: chmod +x " + file);
        assertThatThrownBy(() -> unix().find(first.toString()))
                .hasMessage("cannot run " + first + ": " + first + " is a directory.");
        assertThatThrownBy(() -> unix().find(first + "/missing"))
                .hasMessage("command not found: " + first
                        + "/missing. There is no such file. Give the full path of the program.");
        assertThatThrownBy(() -> unix().find("gemini"))
                .hasMessage("command not found: gemini. Looked in: " + first + ", " + second
                        + ". Install gemini or give its full path.");
        assertThatThrownBy(() -> new CommandLookup(Map.of(), false).find("gemini"))
                .hasMessage("command not found: gemini. PATH is empty. Give its full path.");
    }

    @Test
    void theCurrentDirectoryIsNotSearched() {
        CommandLookup lookup = new CommandLookup(Map.of("PATH", "::" + first), false);

        assertThatThrownBy(() -> lookup.find("pom.xml"))
                .hasMessageStartingWith("command not found: pom.xml. Looked in: " + first + ".");
    }

    @Test
    @Tag("PRC-05")
    void windowsFindsProgramsByTheirExtensions() throws Exception {
        Files.createFile(first.resolve("npx"));
        Path cmd = Files.createFile(first.resolve("npx.cmd"));
        Path exe = Files.createFile(second.resolve("node.exe"));

        assertThat(windows("").find("npx")).isEqualTo(cmd);
        assertThat(windows("").find("npx.cmd")).isEqualTo(cmd);
        assertThat(windows("").find("node")).isEqualTo(exe);
        assertThatThrownBy(() -> windows(".EXE").find("npx")).hasMessageStartingWith("command not found: npx.");
    }

    @Test
    @Tag("PRC-05")
    void batchFilesAreNotGivenWhatTheirInterpreterWouldChange() throws Exception {
        for (String argument : List.of("a\"b", "%PATH%", "now!", "two\nlines")) {
            List<String> arguments = List.of("--acp", argument);

            assertThatThrownBy(() -> windows("").checkArguments(Path.of("x/NPX.CMD"), arguments))
                    .hasMessageContaining("it is a batch file");
            windows("").checkArguments(Path.of("x/node.exe"), arguments);
            unix().checkArguments(Path.of("x/run.bat"), arguments);
        }
        windows("").checkArguments(Path.of("x/npx.cmd"), List.of("--acp", "C:\\My Files\\x", "a&b"));
    }

    private CommandLookup unix() {
        return new CommandLookup(Map.of("PATH", first + ":" + second), false);
    }

    private CommandLookup windows(String extensions) {
        return new CommandLookup(Map.of("Path", first + ";\"" + second + "\"", "PATHEXT", extensions), true);
    }

    private static void program(Path where, String name) throws Exception {
        Path file = Files.createFile(where.resolve(name));
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
