package dev.acp4j.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
class LoginShellTest {
    @TempDir
    Path directory;

    @Test
    void theSearchPathOfTheUsersShellComesFirst() throws Exception {
        assumeFalse(LoginShell.hasTerminal(), "with a terminal the shell is not asked");
        String shell = shell("echo Welcome; PATH=/opt/node/bin:/usr/bin; shift; eval \"$1\"");

        assertThat(LoginShell.searchPath(Map.of("SHELL", shell, "PATH", "/usr/bin:/bin")))
                .isEqualTo("/opt/node/bin:/usr/bin:/bin");
        assertThat(LoginShell.searchPath(Map.of("SHELL", shell, "PATH", "/opt/node/bin:/usr/bin")))
                .isNull();
    }

    @Test
    void theShellDoesNotStartInTheFolderOfAProject() throws Exception {
        assumeFalse(LoginShell.hasTerminal(), "with a terminal the shell is not asked");
        String shell = shell("PATH=$(pwd); shift; eval \"$1\"");

        assertThat(LoginShell.searchPath(Map.of("SHELL", shell, "PATH", "/bin")))
                .isEqualTo("/:/bin");
    }

    @Test
    void aShellThatFailsChangesNothing() throws Exception {
        assertThat(LoginShell.searchPath(Map.of("SHELL", shell("exit 1"), "PATH", "/bin")))
                .isNull();
        assertThat(LoginShell.searchPath(Map.of("SHELL", "/no/such/shell", "PATH", "/bin")))
                .isNull();
        assertThat(LoginShell.searchPath(Map.of())).isNull();
    }

    private String shell(String script) throws Exception {
        Path file = Files.writeString(directory.resolve("shell"), "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file.toString();
    }
}
