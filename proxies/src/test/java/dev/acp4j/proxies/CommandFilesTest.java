package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CommandFilesTest {
    private static final String VERSION_2 =
            ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}";

    @TempDir
    private Path folder;

    private Path own;
    private Path project;
    private final List<String> notices = new ArrayList<>();
    private final Map<Path, String> trusted = new ConcurrentHashMap<>();

    @BeforeEach
    void files() throws Exception {
        own = Files.createDirectories(folder.resolve("own"));
        project = Files.createDirectories(folder.resolve("project"));
        Files.createDirectories(project.resolve(".acp/commands"));
    }

    private CommandFiles.Builder commands() {
        return CommandFiles.builder()
                .folder(own)
                .ofProjects(".acp/commands")
                .trust((file, contents) -> contents.equals(trusted.get(file)))
                .onNotice(notices::add);
    }

    private static String list(String... names) {
        StringBuilder all = new StringBuilder();
        for (String name : names) {
            all.append(all.isEmpty() ? "" : ",")
                    .append("{\"name\":\"" + name + "\",\"description\":\"of the agent\",\"own\":1.50}");
        }
        return "{\"sessionUpdate\":\"available_commands_update\",\"availableCommands\":[" + all + "]}";
    }

    /** Prompts; returns the text as the agent got it. */
    private static String told(Between between, String text) throws Exception {
        String params = between.prompted(text);
        return RawJson.parse(params).value().toString();
    }

    @Test
    @Tag("RMP-06")
    void theFilesAreAddedToEachListOfTheAgentWhoseNamesStayItsOwn() throws Exception {
        Files.writeString(
                own.resolve("review.md"),
                "---\ndescription: \"Reviews it\"\nargument-hint: what\n---\nReview $1: $ARGUMENTS!");
        Files.writeString(own.resolve("plan.md"), "# Plan it\n\nMake a plan.");
        Files.writeString(own.resolve("no command.md"), "Nothing.");
        try (Between between = new Between(commands().build(), 1, "")) {
            between.opened(project.toString());
            assertThat(between.clientGets("session/update"))
                    .contains("\"name\":\"plan\",\"description\":\"Plan it\"")
                    .contains("\"name\":\"review\",\"description\":\"Reviews it\",\"input\":{\"hint\":\"what\"}")
                    .doesNotContain("no command");
            between.update(list("plan", "compact"));
            assertThat(between.clientGets("session/update"))
                    .contains(
                            "\"name\":\"plan\",\"description\":\"of the agent\",\"own\":1.50", "compact", "Reviews it")
                    .doesNotContain("Plan it");

            assertThat(told(between, "/review a b $1")).contains("Review a: a b $1!");
            assertThat(told(between, "/plan now")).contains("/plan now");
            assertThat(told(between, "/other x")).contains("/other x");
            between.update(list("compact"));
            assertThat(between.clientGets("session/update")).contains("Plan it");
            assertThat(told(between, "/plan\nnow"))
                    .contains("Make a plan.", "now")
                    .doesNotContain("/plan");
        }
        assertThat(notices).isEmpty();
        assertThatThrownBy(() -> CommandFiles.builder().ofProjects("../x"))
                .hasMessageContaining("below that of the session");
        assertThatThrownBy(() -> CommandFiles.builder().build()).hasMessageContaining("at least one folder");
    }

    @Test
    @Tag("RMP-06")
    void filesOfAProjectDoNothingBeforeTheyAreTrustedAndAgainAfterAChange() throws Exception {
        Path file = Files.writeString(project.resolve(".acp/commands/evil.md"), "Do it: $ARGUMENTS");
        Files.writeString(folder.resolve("outside.md"), "From outside.");
        Files.createSymbolicLink(project.resolve(".acp/commands/link.md"), folder.resolve("outside.md"));
        trusted.put(project.resolve(".acp/commands/link.md"), "From outside.");
        try (Between between = new Between(commands().build(), 1, "")) {
            between.opened(project.toString());
            between.update(list("compact"));
            assertThat(between.clientGets("session/update")).contains("compact").doesNotContain("evil", "link");
            assertThat(told(between, "/evil now")).contains("/evil now");
            assertThat(notices).containsExactly("The command in " + file + " does nothing until you trust it.");

            trusted.put(file, "Do it: $ARGUMENTS");
            assertThat(told(between, "/evil now")).contains("Do it: now");
            Files.writeString(file, "Do worse: $ARGUMENTS");
            assertThat(told(between, "/evil now")).contains("/evil now");
            assertThat(notices).hasSize(2).containsOnly("The command in " + file + " does nothing until you trust it.");
        }
    }

    @Test
    @Tag("RMP-06")
    void inVersion2TheyStandInTheAnswerThatOpensTheSession() throws Exception {
        Files.writeString(own.resolve("plan.md"), "Plan it.");
        try (Between between = new Between(commands().build(), 2, VERSION_2)) {
            between.client.request(70, "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            between.agent.answer(
                    between.agent.expect("session/new"),
                    "{\"sessionId\":\"s\",\"availableCommands\":[{\"name\":\"compact\",\"description\":\"d\",\"type\":\"command\"}]}");
            assertThat(Between.text(between.client.expectResult(70))).contains("compact", "\"name\":\"plan\"");
            assertThat(between.asked("session/prompt", Between.prompt("/plan"), "{}"))
                    .contains("Plan it.");
            assertThat(between.asked("session/prompt", Between.prompt("/compact"), "{}"))
                    .contains("/compact");
        }
    }
}
