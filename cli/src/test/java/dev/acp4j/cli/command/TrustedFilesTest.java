package dev.acp4j.cli.command;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.process.Launch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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
    @Tag("MCX-28")
    void aFileOfMcpServersOfAProjectIsUsedByEachSessionOnlyAsItIsTrusted() throws Exception {
        Path started = folder.resolve("started");
        String contents = "{\"mcpServers\":{\"own\":{\"command\":\"touch\",\"args\":[\"" + started + "\"]}}}";
        Files.writeString(file, contents);
        List<String> command = AcpRun.java(Acp.class);
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of("conduct", "-p", "mcp:config=" + file, "--"));
        all.addAll(command);
        all.addAll(List.of("agent"));
        List<String> stderr = new CopyOnWriteArrayList<>();
        Launch chain = Launch.of(all.get(0), all.subList(1, all.size()))
                .env("XDG_STATE_HOME", folder.resolve("state").toString())
                .onStderr(stderr::add);
        try (ConnectedAgent agent = Client.builder("test", "1").connect(chain)) {
            usesTheServers(agent);
            assertThat(started).doesNotExist();
            assertThat(stderr)
                    .anySatisfy(line -> assertThat(line)
                            .contains("MCP servers are missing in this session: ")
                            .contains("Look at it and trust it with: acp proxy trust " + file)
                            .endsWith("(without a terminal: acp proxy trust --sha256 DIGEST " + file + ")"));

            trusted.trust(file, contents);
            usesTheServers(agent);
            assertThat(started).exists();

            Files.delete(started);
            Files.writeString(file, contents + "\n");
            usesTheServers(agent);
            assertThat(started).doesNotExist();
        }
    }

    private void usesTheServers(ConnectedAgent agent) throws InterruptedException {
        assertThat(agent.newSession(folder).prompt("/tools").text()).isNotEmpty();
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
        assertThat(headless.err()).contains("at a terminal, and there is nobody here to ask", "--sha256 DIGEST");
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

    @Test
    @Tag("CON-04")
    @Tag("MCX-28")
    void withoutATerminalADigestTrustsExactlyTheFileThatItWasTakenOf() throws Exception {
        Files.writeString(file, "abc");
        Path other = Files.writeString(folder.resolve("project/other.json"), "{}");
        String ofAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

        AcpRun wrong = conduct("proxy", "trust", "--sha256", "0" + ofAbc.substring(1), file.toString());
        AcpRun none = conduct("proxy", "trust", "--sha256", "abc", file.toString());
        AcpRun few = conduct("proxy", "trust", "--sha256", ofAbc, file.toString(), other.toString());

        assertThat(wrong.exitCode()).isEqualTo(1);
        assertThat(wrong.err()).contains("its SHA-256 is " + ofAbc + ", not 0a78");
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("expected 64 hexadecimal digits", "got abc");
        assertThat(few.err()).contains("expected one for each file, got 1 for 2 files");
        assertThat(trusted.isTrusted(file, "abc")).isFalse();

        AcpRun right = conduct("proxy", "trust", "--sha256", ofAbc, file.toString());
        assertThat(right.exitCode()).as(right.err()).isZero();
        assertThat(right.out()).contains("abc");
        assertThat(trusted.isTrusted(file, "abc")).isTrue();
        assertThat(trusted.isTrusted(other, "{}")).isFalse();

        String chain = "agent: [\"true\"]\n";
        Files.writeString(other, chain);
        AcpRun started = conduct("conduct", "trust", "--sha256", TrustedFiles.digest(chain), other.toString());
        assertThat(started.exitCode()).as(started.err()).isZero();
        assertThat(trusted.isTrusted(other, chain)).isTrue();
    }

    private AcpRun conduct(String... args) {
        return acp(args)
                .env("XDG_STATE_HOME", folder.resolve("state").toString())
                .run();
    }
}
