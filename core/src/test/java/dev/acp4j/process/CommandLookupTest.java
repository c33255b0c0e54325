package dev.acp4j.process;

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
    private static final Path HERE = Path.of("");
    private static final List<String> NONE = List.of();

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
        assertThat(unix().line("agent", NONE, HERE))
                .containsExactly(second.resolve("agent").toString());

        program(first, "agent");
        assertThat(unix().line("agent", NONE, HERE))
                .containsExactly(first.resolve("agent").toString());
    }

    @Test
    void whatIsNotExecutableIsPassedOver() throws Exception {
        Files.createFile(first.resolve("agent"));
        Files.createDirectory(first.resolve("other"));
        program(second, "agent");
        program(second, "other");

        assertThat(unix().line("agent", NONE, HERE))
                .containsExactly(second.resolve("agent").toString());
        assertThat(unix().line("other", NONE, HERE))
                .containsExactly(second.resolve("other").toString());
    }

    @Test
    @Tag("PRC-18")
    void whatCannotBeRunIsExplained() throws Exception {
        Path file = Files.createFile(first.resolve("agent"));

        assertThatThrownBy(() -> unix().line("agent", NONE, HERE))
                .hasMessage("cannot run agent: " + file + " is not executable. Make it executable: chmod +x " + file);
        assertThatThrownBy(() -> unix().line(first.toString(), NONE, HERE))
                .hasMessage("cannot run " + first + ": " + first + " is a directory. Give the program in it.");
        assertThatThrownBy(() -> unix().line(first + "/missing", NONE, HERE))
                .hasMessage("command not found: " + first
                        + "/missing. There is no such file. Give the full path of the program.");
        assertThatThrownBy(() -> unix().line("gemini", NONE, HERE))
                .hasMessage("command not found: gemini. Looked in: " + first + ", " + second
                        + ". Install gemini or give its full path.");
        assertThatThrownBy(() -> new CommandLookup(Map.of(), false).line("gemini", NONE, HERE))
                .hasMessage("command not found: gemini. PATH is empty. Give its full path.");
    }

    @Test
    void theCurrentDirectoryIsNotSearched() {
        CommandLookup lookup = new CommandLookup(Map.of("PATH", "::" + first), false);

        assertThatThrownBy(() -> lookup.line("pom.xml", NONE, HERE))
                .hasMessageStartingWith("command not found: pom.xml. Looked in: " + first + ".");
    }

    @Test
    @Tag("PRC-05")
    void windowsFindsProgramsByTheirExtensions() throws Exception {
        Files.createFile(first.resolve("npx"));
        Path cmd = Files.createFile(first.resolve("npx.cmd"));
        Path exe = Files.createFile(second.resolve("node.exe"));

        assertThat(windows("").line("npx", NONE, HERE)).containsExactly(cmd.toString());
        assertThat(windows("").line("npx.cmd", NONE, HERE)).containsExactly(cmd.toString());
        assertThat(windows("").line("node", NONE, HERE)).containsExactly(exe.toString());
        assertThatThrownBy(() -> windows(".EXE").line("npx", NONE, HERE))
                .hasMessageStartingWith("command not found: npx.");
    }

    @Test
    @Tag("PRC-05")
    void batchFilesAreNotGivenWhatTheirInterpreterWouldChange() throws Exception {
        Path cmd = Files.createFile(first.resolve("NPX.CMD"));
        Path exe = Files.createFile(first.resolve("node.exe"));
        program(first, "run.bat");
        for (String argument : List.of("a\"b", "%PATH%", "now!", "two\nlines")) {
            List<String> arguments = List.of("--acp", argument);

            assertThatThrownBy(() -> windows("").line(cmd.toString(), arguments, HERE))
                    .hasMessageContaining("it is a batch file");
            assertThat(windows("").line(exe.toString(), arguments, HERE)).hasSize(3);
            assertThat(unix().line("run.bat", arguments, HERE)).hasSize(3);
        }
        assertThat(windows("").line(cmd.toString(), List.of("--acp", "C:\\My Files\\x", "a&b"), HERE))
                .containsExactly(cmd.toString(), "--acp", "C:\\My Files\\x", "a&b");
    }

    @Test
    void aRelativePathStartsFromTheDirectory() throws Exception {
        program(first, "agent");
        Path batch = Files.createFile(second.resolve("gradlew.bat"));

        assertThat(unix().line("./agent", NONE, first)).containsExactly(first + "/./agent");
        assertThat(windows("").line("./gradlew", NONE, second))
                .singleElement()
                .satisfies(file -> assertThat(Path.of(file)).isEqualTo(batch.resolveSibling("./gradlew.bat")));
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
