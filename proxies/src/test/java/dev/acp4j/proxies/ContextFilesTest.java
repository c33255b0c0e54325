package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.acp4j.proxy.Proxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ContextFilesTest {
    private static final String EMBEDS =
            ",\"agentCapabilities\":{\"loadSession\":true,\"promptCapabilities\":{\"embeddedContext\":true}}";

    @TempDir
    private Path outside;

    private Path repository = Path.of("");
    private Path cwd = Path.of("");
    private final List<String> notices = new ArrayList<>();

    @BeforeEach
    void makeRepository() throws IOException {
        outside = outside.toRealPath();
        Files.writeString(outside.resolve("AGENTS.md"), "not of this repository");
        repository = Files.createDirectories(outside.resolve("repository"));
        Files.createDirectory(repository.resolve(".git"));
        cwd = Files.createDirectories(repository.resolve("module/src"));
        Files.writeString(repository.resolve("AGENTS.md"), "Rules of all.");
        Files.writeString(cwd.resolve("AGENTS.md"), "Rules of the sources.");
    }

    private Between between(ContextFiles.Builder builder, String answer) throws Exception {
        Between between = new Between(builder.onNotice(notices::add).build(), 1, answer);
        between.opened(cwd.toString());
        return between;
    }

    @Test
    @Tag("RMP-03")
    void filesUpToTheRepositoryAreGivenOnceAndAgainAfterAChange() throws Exception {
        try (Between between = between(ContextFiles.builder("AGENTS.md"), EMBEDS)) {
            assertThat(between.prompted("Hello."))
                    .containsSubsequence("{\"type\":\"resource\"", "Rules of all.", "Rules of the sources.", "Hello.")
                    .doesNotContain("not of this repository");
            assertThat(between.prompted("Again.")).isEqualTo(Between.prompt("Again."));
            Files.writeString(cwd.resolve("AGENTS.md"), "Other rules.");
            assertThat(between.prompted("More.")).contains("Other rules.").doesNotContain("Rules of all.");
        }
        assertThat(notices).isEmpty();
    }

    @Test
    @Tag("RMP-03")
    @Tag("RMP-04")
    void anAgentWithoutResourcesGetsTextWhichReplaysHideAndDoNotRepeat() throws Exception {
        String given;
        try (Between between = between(ContextFiles.builder("AGENTS.md"), "")) {
            given = between.prompted("Hello.");
            assertThat(given).doesNotContain("\"resource\"").contains("Rules of all.");
        }
        List<String> blocks = new ArrayList<>();
        Matcher block = Pattern.compile("\\{\"type\":\"text\".*?\"}").matcher(given);
        while (block.find()) {
            blocks.add(block.group());
        }

        try (Between between = between(ContextFiles.builder("AGENTS.md"), "")) {
            assertThat(blocks).hasSize(3);
            for (String text : blocks) {
                between.update("{\"sessionUpdate\":\"user_message_chunk\",\"content\":" + text + "}");
            }
            assertThat(between.clientGets("session/update")).contains("Hello.").doesNotContain("Rules");
            assertThat(between.prompted("More.")).isEqualTo(Between.prompt("More."));
        }
    }

    @Test
    @Tag("RMP-04")
    void nothingOutsideOfTheRepositoryIsReadNotEvenThroughLinks() throws Exception {
        Files.delete(cwd.resolve("AGENTS.md"));
        Files.createSymbolicLink(cwd.resolve("AGENTS.md"), outside.resolve("AGENTS.md"));
        Files.createSymbolicLink(repository.resolve("module/AGENTS.md"), repository.resolve("AGENTS.md"));

        try (Between between = between(ContextFiles.builder("AGENTS.md"), EMBEDS)) {
            assertThat(between.prompted("Hello.")).contains("Rules of all.").doesNotContain("not of this repository");
        }
        assertThatThrownBy(() -> ContextFiles.of("../AGENTS.md"))
                .hasMessageContaining("below the folders that are searched");
    }

    @Test
    @Tag("RMP-04")
    void anAgentThatReadsTheFileItselfGetsNone() throws Exception {
        String answer = ",\"agentInfo\":{\"name\":\"OpenCode\",\"version\":\"1\"}";
        try (Between between = between(ContextFiles.builder("AGENTS.md"), answer)) {
            assertThat(between.prompted("Hello.")).isEqualTo(Between.prompt("Hello."));
        }
        try (Between between =
                between(ContextFiles.builder("AGENTS.md"), answer.replace("OpenCode", "Kimi Code CLI"))) {
            assertThat(between.prompted("Hello.")).isEqualTo(Between.prompt("Hello."));
        }
        Files.writeString(cwd.resolve("STYLE.md"), "Rules of style.");
        try (Between between = between(ContextFiles.builder("./AGENTS.md", "STYLE.md"), answer)) {
            assertThat(between.prompted("Hello.")).contains("Rules of style.").doesNotContain("Rules of all.");
        }
        try (Between between =
                between(ContextFiles.builder("AGENTS.md", "STYLE.md").notFor("opencode"), answer)) {
            assertThat(between.prompted("Hello.")).isEqualTo(Between.prompt("Hello."));
        }
        try (Between between = between(ContextFiles.builder("AGENTS.md").notFor("another"), answer)) {
            assertThat(between.prompted("Hello.")).contains("Rules of all.");
        }
    }

    @Test
    @Tag("RMP-03")
    void whatIsTooLongIsCutAndThatIsSaid() throws Exception {
        Files.writeString(repository.resolve("AGENTS.md"), "ééééééé");
        try (Between between = between(ContextFiles.builder("AGENTS.md").maxBytes(5), EMBEDS)) {
            assertThat(between.prompted("Hello."))
                    .contains("éé\\n[The rest of this file is left out.]")
                    .doesNotContain("ééé", "Rules of the sources.");
        }
        assertThat(notices).hasSize(2).first().asString().contains("too long");
    }

    @Test
    void inVersion2TheyAreResourcesToo() throws Exception {
        String answer = ",\"info\":{\"name\":\"a\",\"version\":\"1\"},"
                + "\"capabilities\":{\"session\":{\"prompt\":{\"embeddedContext\":{}}}}";
        try (Between between = new Between(ContextFiles.of("AGENTS.md"), 2, answer)) {
            between.opened(cwd.toString());
            assertThat(between.asked("session/prompt", Between.prompt("Hello."), "{}"))
                    .contains("{\"type\":\"resource\"", "Rules of all.");
        }
    }

    @Test
    @Tag("RMP-03")
    void aFileThatCannotBeReadIsSaidAndTheOthersAreGiven() throws Exception {
        Path folder = Path.of("/proc/self");
        assumeTrue(Files.isRegularFile(folder.resolve("mem")), "has a file that nobody reads");
        Proxy proxy =
                ContextFiles.builder("limits", "mem").onNotice(notices::add).build();
        try (Between between = new Between(proxy, 1, "")) {
            between.opened(folder.toString());
            assertThat(between.prompted("Hello.")).contains("Max open files");
        }
        assertThat(notices).singleElement().asString().contains("mem cannot be read");
    }

    @Test
    @Tag("RMP-03")
    void whatAPromptThatFailedHadIsGivenWithTheNextOne() throws Exception {
        try (Between between = between(ContextFiles.builder("AGENTS.md"), EMBEDS)) {
            between.client.request(70, "session/prompt", Between.prompt("Hello."));
            String id = Between.text(
                    between.agent.expect("session/prompt").get("id").orElseThrow());
            between.agent.send(
                    "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":{\"code\":-32000,\"message\":\"log in\"}}");
            between.client.expectError(70);

            assertThat(between.prompted("Hello.")).contains("Rules of all.");
        }
    }
}
