package dev.acp4j.cli.conduct;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.schema.HttpHeader;
import dev.acp4j.schema.McpServer;
import dev.acp4j.testkit.ScriptedPeer;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The recipes for agents in containers and in WSL, with scripts that stand in for the programs that start them. */
@Timeout(120)
class ElsewhereTest {
    @TempDir
    private Path folder;

    private Path there;
    private final List<String> stderr = new CopyOnWriteArrayList<>();

    /** Both start a command with variables of its own, in a folder of its own. */
    @BeforeEach
    void standIn() throws Exception {
        there = Files.createDirectories(folder.resolve("there"));
        script("docker", "[ \"$1 $2 $3\" = 'exec -i box' ] || exit 64; shift 3");
        script("wsl.exe", "[ \"$1\" = '--' ] || exit 64; shift");
    }

    private void script(String name, String takesItsWords) throws Exception {
        Path file = Files.writeString(
                folder.resolve(name),
                "#!/bin/sh\n" + takesItsWords + "\ncd '" + there + "' && exec env -i PATH=\"$PATH\" \"$@\"\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    /** {@code acp conduct} with an agent that a stand-in starts. */
    private Launch conduct(List<String> options, String... start) {
        List<String> words = new ArrayList<>(AcpRun.java(Acp.class));
        words.add("conduct");
        words.addAll(options);
        words.add("--");
        words.addAll(List.of(start));
        words.addAll(AcpRun.java(ConductedProgram.class));
        words.add("elsewhere");
        return Launch.of(words.get(0), words.subList(1, words.size()))
                .env("PATH", folder + ":" + System.getenv("PATH"))
                .onStderr(stderr::add);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("RMP-17")
    @Tag("MCX-37")
    void anAgentInAContainerGetsItsOwnPathsAndWithoutABridgeNothingOfThisMachine(boolean isBridged) throws Exception {
        Path here = Files.createDirectories(folder.resolve("here"));
        ToolServer tools = ToolServer.builder("own", "1")
                .tool("greet", "Greets", call -> "Hello!")
                .build();
        Path trace = folder.resolve("trace.jsonl");
        List<String> options =
                new ArrayList<>(List.of("--trace", trace.toString(), "-p", "paths:map=" + here + "=" + there));
        if (!isBridged) {
            options.add("--no-bridge");
        }
        Client.Builder editor =
                Client.builder("editor", "1").onReadTextFile((session, request) -> "unsaved " + request.path());
        try (ConnectedAgent agent =
                ToolServer.addTo(editor, tools).connect(conduct(options, "docker", "exec", "-i", "box"))) {
            Session session = agent.newSession(SessionSetup.in(here).withMcpServers(List.of(tools.declaration())));

            assertThat(session.prompt("a.txt").text())
                    .isEqualTo(there + ": unsaved " + here.resolve("a.txt") + (isBridged ? " [own__greet]" : " []"));
        }
        assertThat(stderr.stream().filter(line -> line.contains("The MCP server own is left out")))
                .hasSize(isBridged ? 0 : 1);
        assertThat(acp("trace", "show", trace.toString()).run().out().contains("The MCP server own is left out"))
                .isEqualTo(!isBridged);
    }

    @Test
    @Tag("MCX-29")
    void aServerOverHttpOfTheCommandLineReachesAnAgentThatStartsProgramsOnly() throws Exception {
        ToolServer tools = ToolServer.builder("web", "1")
                .tool("greet", "Greets", call -> "Hello!")
                .build();
        try (ToolServer.Endpoint web = tools.listen()) {
            McpServer.Http http = web.declaration();
            HttpHeader token = http.headers().getFirst();
            for (List<String> proxies : List.of(List.<String>of(), List.of("-p", "queue:"))) {
                List<String> words = new ArrayList<>(List.of("prompt", "--mcp", "web=" + http.url()));
                words.addAll(List.of("--mcp-header", "web=" + token.name() + ": " + token.value()));
                words.addAll(proxies);
                words.addAll(List.of("web.greet", "--"));
                words.addAll(AcpRun.java(ConductedProgram.class));
                words.add("calls-programs");

                AcpRun run = acp(words.toArray(String[]::new)).run();

                assertThat(run.out()).as(run.err()).contains("Hello!");
            }
        }
    }

    @Test
    @Tag("RMP-17")
    void anAgentInWslGetsTheDrivesWhereItHasThem() throws Exception {
        Path chain = Files.writeString(
                folder.resolve("chain.yaml"),
                "components: [{id: paths, command: [acp, proxy, paths, 'map=C:\\=/mnt/c']}]\nbridge: off\n");
        try (LaunchedProcess acp = conduct(List.of("--chain", chain.toString()), "wsl.exe", "--")
                        .start();
                ScriptedPeer client = new ScriptedPeer(acp.transport())) {
            client.request(
                    1,
                    "initialize",
                    "{\"protocolVersion\":1,\"clientCapabilities\":{\"fs\":{\"readTextFile\":true,\"writeTextFile\":false}}}");
            client.expectResult(1);
            client.request(2, "session/new", "{\"cwd\":\"C:\\\\src\\\\app\",\"mcpServers\":[]}");
            String session =
                    RawJson.of(client.expectResult(2)).toString().replaceAll(".*\"sessionId\":(\"[^\"]+\").*", "$1");
            client.request(
                    3,
                    "session/prompt",
                    "{\"sessionId\":" + session + ",\"prompt\":[{\"type\":\"text\",\"text\":\"a.txt\"}]}");

            JsonObject read = client.expect("fs/read_text_file");
            assertThat(RawJson.of(read).toString()).contains("\"C:\\\\src\\\\app\\\\a.txt\"");
            client.answer(read, "{\"content\":\"unsaved\"}");
            assertThat(RawJson.of(client.expect("session/update")).toString()).contains("/mnt/c/src/app: unsaved []");
            client.expectResult(3);
        }
    }
}
