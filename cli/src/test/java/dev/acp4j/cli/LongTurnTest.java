package dev.acp4j.cli;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Turns that say more than the memory of the process holds. */
@EnabledOnOs(OS.LINUX)
class LongTurnTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"prompt stream", "prompt --json stream", "chat"})
    void theTextOfATurnMayBeLargerThanTheHeap(String line) throws Exception {
        Files.writeString(folder.resolve("notes.txt"), "");
        Path out = folder.resolve("out.txt");

        AcpRun run = acp(line.split(" "))
                .with()
                .in(folder)
                .input("stream\n")
                .env("JDK_JAVA_OPTIONS", "-Xmx32m")
                .redirected(">" + out + " 2>/dev/null")
                .run();

        assertThat(run.exitCode()).isZero();
        assertThat(Files.size(out)).isGreaterThan(39_000_000);
    }
}
