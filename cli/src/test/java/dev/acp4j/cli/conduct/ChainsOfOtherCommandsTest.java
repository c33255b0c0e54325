package dev.acp4j.cli.conduct;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.process.Launch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Chains in {@code acp chat} and {@code acp doctor}, and in the settings of an editor. */
@Timeout(120)
@Tag("CON-03")
class ChainsOfOtherCommandsTest {
    @TempDir
    private Path folder;

    private Path chain;

    private static List<String> program(String... args) {
        List<String> command = new ArrayList<>(AcpRun.java(ConductedProgram.class));
        command.addAll(List.of(args));
        return command;
    }

    private static String list(List<String> command) {
        return command.stream().map(word -> "\"" + word + "\"").collect(Collectors.joining(", ", "[", "]"));
    }

    @BeforeEach
    void write() throws Exception {
        chain = Files.writeString(
                folder.resolve("chain.yaml"),
                "components: [{id: one, command: " + list(program("adds", "One.")) + "}]\nagent: {command: "
                        + list(program("echo")) + "}\n");
    }

    private static String quoted(List<String> command) {
        return command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    }

    @Test
    void theChatTalksToTheAgentOfAChain() {
        AcpRun file = acp("chat", "--chain", chain.toString()).input("Hello.\n").run();
        AcpRun proxy = acp("chat", "-p", quoted(program("adds", "Two.")))
                .agent(program("echo").toArray(String[]::new))
                .input("Hello.\n")
                .run();

        assertThat(file.exitCode()).as(file.err()).isZero();
        assertThat(file.out()).contains("\nHello. One.\n");
        assertThat(proxy.exitCode()).as(proxy.err()).isZero();
        assertThat(proxy.out()).contains("\nHello. Two.\n");
    }

    @Test
    void theDoctorExaminesWithTheSameOptions() {
        AcpRun file = acp("doctor", "--chain", chain.toString()).run();
        AcpRun proxy = acp("doctor", "-p", "two=" + quoted(program("adds", "Two.")))
                .agent(program("echo").toArray(String[]::new))
                .run();

        assertThat(file.exitCode()).as(file.out() + file.err()).isZero();
        assertThat(file.out()).contains("one alone: ").contains("the chain with its agent: ");
        assertThat(proxy.exitCode()).as(proxy.out() + proxy.err()).isZero();
        assertThat(proxy.out()).contains("two alone: ").contains("the chain with its agent: ");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void anEditorStartsAChainAsAnyAgent() throws Exception {
        Path settings = Files.writeString(
                Files.createDirectories(folder.resolve("home/.config/zed")).resolve("settings.json"), "{}\n");
        List<String> conductor = new ArrayList<>(AcpRun.java(Acp.class));
        conductor.addAll(List.of("conduct", "--chain", chain.toString()));

        AcpRun run = acp("install-into", "zed", "--yes", "--name", "chained")
                .env("HOME", folder.resolve("home").toString())
                .env("XDG_CONFIG_HOME", "")
                .env("XDG_STATE_HOME", folder.resolve("state").toString())
                .agent(conductor.toArray(String[]::new))
                .run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        try (ConnectedAgent agent = Client.builder("zed", "1").connect(written(settings))) {
            assertThat(agent.newSession(folder).prompt("Hello.").text()).isEqualTo("Hello.\nOne.");
        }
    }

    /** Returns what Zed would start. */
    private static Launch written(Path settings) throws Exception {
        JsonObject all = (JsonObject) JsonValue.parse(Files.readString(settings));
        JsonObject servers = (JsonObject) Objects.requireNonNull(all.members().get("agent_servers"));
        JsonObject server = (JsonObject) servers.members().values().iterator().next();
        JsonArray words = (JsonArray) Objects.requireNonNull(server.members().get("args"));
        List<String> arguments = words.elements().stream()
                .map(word -> ((JsonString) word).value())
                .toList();
        return Launch.of(server.text("command").orElseThrow(), arguments);
    }
}
