package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Entry;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.EnvVariable;
import dev.acp4j.schema.McpServer;
import dev.acp4j.testkit.TestClient;
import dev.acp4j.testkit.Transports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client and an agent that does what prompts say: {@code call TOOL ARGUMENTS} calls a tool, {@code tools} names them,
 * {@code servers} tells what the servers are doing.
 */
@Timeout(60)
abstract class McpSession {
    @TempDir
    Path folder;

    final TestClient client = TestClient.create();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    /** Whether the agent offers the prompts of the servers as commands. */
    boolean offersPrompts;

    private @Nullable Transports transports;
    private @Nullable Agent agent;
    private @Nullable ConnectedClient served;

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    final <T extends AutoCloseable> T closing(T one) {
        open.push(one);
        return one;
    }

    final ConnectedAgent connect(McpServers.Builder mcp) throws Exception {
        return connect(mcp, client.builder());
    }

    final ConnectedAgent connect(McpServers.Builder mcp, Client.Builder with) throws Exception {
        return connect(mcp, with, UnaryOperator.identity());
    }

    final ConnectedAgent connect(McpServers.Builder mcp, Client.Builder with, UnaryOperator<Transport> before)
            throws Exception {
        Agent built = agent(mcp, session -> {
            if (offersPrompts) {
                McpServers.of(session).commands(List.of(AvailableCommand.of("own", "Of the agent")));
            }
        });
        agent = built;
        Transports ends = closing(Transports.joined());
        transports = ends;
        served = closing(built.connect(ends.agent()));
        return closing(with.connect(before.apply(ends.client())));
    }

    static Agent agent(McpServers.Builder mcp) {
        return agent(mcp, session -> {});
    }

    private static Agent agent(McpServers.Builder mcp, Agent.SessionHandler opening) {
        return mcp.addTo(Agent.builder("agent", "1")
                        .onNewSession(opening)
                        .onPrompt(McpSession::obey)
                        .onResumeSession(session -> {})
                        .onCloseSession(session -> {})
                        .onDeleteSession((client, session) -> {}))
                .build();
    }

    final void endSessions() {
        Objects.requireNonNull(agent).endSessions();
    }

    /** Returns the client, as the agent sees it. */
    final ConnectedClient served() {
        return Objects.requireNonNull(served);
    }

    final List<String> wire() {
        return Objects.requireNonNull(transports).wire().messages();
    }

    static void obey(AgentTurn turn) throws Exception {
        McpServers mcp = McpServers.of(turn);
        var filled = mcp.command(turn);
        if (filled.isPresent()) {
            turn.message(filled.get().toString());
            return;
        }
        String[] words = turn.text().split(" ", 3);
        switch (words[0]) {
            case "call" -> {
                ToolResult result = mcp.call(turn, words[1], RawJson.parse(words.length < 3 ? "{}" : words[2]));
                turn.message((result.isError() ? "error: " : "") + result.text());
            }
            case "offer" -> {
                mcp.commands(List.of(AvailableCommand.of("own", "Of the agent")));
                turn.message("offered");
            }
            case "tools" -> {
                List<String> names = new ArrayList<>();
                mcp.tools(turn).forEach(tool -> names.add(tool.modelName()));
                turn.message(String.join("\n", names));
            }
            case "servers" -> {
                List<Tool> unused = mcp.tools(turn);
                List<String> lines = new ArrayList<>();
                for (ConnectedServer server : mcp.servers()) {
                    lines.add(server + " " + server.protocolVersion().orElse("-")
                            + server.failure().map(why -> " " + why).orElse(""));
                }
                turn.message(String.join("\n", lines));
            }
            default -> turn.message("?");
        }
    }

    /** Returns a scripted server, which writes into a file of its name. */
    final McpServer scripted(String name, String... behaviour) {
        List<String> arguments = new ArrayList<>(List.of(
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                ScriptedServer.class.getName(),
                "log=" + log(name)));
        arguments.addAll(List.of(behaviour));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return McpServer.Stdio.of(name, java, arguments, List.of(EnvVariable.of("CANARY", "kanarienvogel-4711")));
    }

    final Path log(String name) {
        return folder.resolve(name + ".log");
    }

    /** Returns what a scripted server has written about something. */
    final List<String> logged(String name, String about) throws IOException {
        return Files.readAllLines(log(name)).stream()
                .filter(line -> line.startsWith(about + " ") || line.equals(about))
                .toList();
    }

    final ProcessHandle process(String name, String about) throws IOException {
        long pid = Long.parseLong(logged(name, about).getLast().substring(about.length() + 1));
        return ProcessHandle.of(pid).orElseThrow();
    }

    final SessionSetup with(McpServer... servers) {
        return SessionSetup.in(folder).withMcpServers(List.of(servers));
    }

    static String say(Session session, String prompt) throws Exception {
        return session.prompt(prompt).text();
    }

    static Entry.ToolCall lastCall(Session session) {
        List<Entry.ToolCall> calls = session.view().toolCalls();
        assertThat(calls).isNotEmpty();
        return calls.getLast();
    }
}
