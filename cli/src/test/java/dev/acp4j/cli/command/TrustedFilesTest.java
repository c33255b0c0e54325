package dev.acp4j.cli.command;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TrustedFilesTest {
    @TempDir
    private Path folder;

    private Path file;
    private TrustedFiles trusted;

    @BeforeEach
    void makeProject() throws Exception {
        Files.createDirectories(folder.resolve("project/.git"));
        file = folder.resolve("project/chain.yaml");
        trusted = TrustedFiles.in(folder.resolve("state/acp/trust"));
    }

    @Test
    @Tag("CON-04")
    void aFileIsTrustedByItsPathAndContents() throws Exception {
        Files.writeString(file, "one");
        Path copy = Files.writeString(folder.resolve("project/copy.yaml"), "one");
        assertThat(trusted.isTrusted(file, "one")).isFalse();

        trusted.trust(file, "one");
        assertThat(trusted.isTrusted(file, "one")).isTrue();
        assertThat(trusted.isTrusted(file, "two")).isFalse();
        assertThat(trusted.isTrusted(copy, "one")).isFalse();
        trusted.trust(copy, "one");
        trusted.trust(file, "two");

        assertThat(trusted.isTrusted(file, "two")).isTrue();
        assertThat(trusted.isTrusted(file, "one")).as("contents of before").isFalse();
        assertThat(trusted.isTrusted(copy, "one")).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("state/acp/trust"))))
                .isEqualTo("rwx------");
    }

    @Test
    @Tag("CON-04")
    void aChainFileOfAProjectStartsNothingBeforeItIsTrusted() throws Exception {
        Path started = folder.resolve("started");
        String contents = "agent: [touch, " + started + "]\n";
        Files.writeString(file, contents);
        Path own = Files.writeString(folder.resolve("chain.yaml"), contents);

        AcpRun refused = conduct("conduct", "--chain", file.toString());
        AcpRun headless = conduct("conduct", "trust", file.toString());

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err())
                .contains("chain.yaml is in a repository, so it starts nothing before you trust it")
                .contains("acp conduct trust " + file);
        assertThat(headless.exitCode()).isEqualTo(2);
        assertThat(headless.out()).contains("command: [\"touch\", \"" + started + "\"]");
        assertThat(headless.err()).contains("at a terminal only");
        assertThat(started).doesNotExist();
        assertThat(conduct("conduct", "--chain", file.toString(), "--print").exitCode())
                .isZero();

        trusted.trust(file, contents);
        AcpRun unused = conduct("conduct", "--chain", file.toString());
        assertThat(started).exists();

        Files.delete(started);
        Files.writeString(file, contents + "# changed\n");
        assertThat(conduct("conduct", "--chain", file.toString()).exitCode()).isEqualTo(2);
        assertThat(started).doesNotExist();

        AcpRun ofUser = conduct("conduct", "--chain", own.toString());
        assertThat(started).as(ofUser.err()).exists();
    }

    private AcpRun conduct(String... args) {
        return acp(args)
                .env("XDG_STATE_HOME", folder.resolve("state").toString())
                .run();
    }
}
