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
                            .endsWith("Look at it and trust it with: acp proxy trust " + file));

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
