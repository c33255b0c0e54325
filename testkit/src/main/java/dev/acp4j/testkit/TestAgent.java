package dev.acp4j.testkit;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Feature;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.AvailableCommandInput;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * A deterministic agent that is scripted by the prompt. Each line of a prompt is a command; {@code help} lists them
 * all. There is one for each kind of update and of content, for each request to the client and for each way to end a
 * turn:
 *
 * <ul>
 *   <li>{@code say TEXT}, {@code think TEXT}, {@code content KIND}, {@code tool TITLE}, {@code plan A,B}, … send
 *       updates to the client
 *   <li>{@code ask TITLE}, {@code read PATH}, {@code run COMMAND ARGUMENT …}, {@code form}, … send requests to the
 *       client and report the results
 *   <li>{@code stop REASON}, {@code wait}, {@code fail CODE MESSAGE}, {@code exit CODE}, … end the turn or the agent
 *   <li>{@code all} runs every command that does not end the turn
 * </ul>
 *
 * <p>Any other line is echoed. Sessions are numbered {@code test-1}, {@code test-2}, …; their conversation is kept in
 * memory for load and resume. The agent answers every method of the protocol, and the extension {@code _test/echo} with
 * its params. {@code acp test-agent} is this agent as a program.
 */
public final class TestAgent {
    private static final AuthMethodId LOGIN = AuthMethodId.of("test-login");

    private static final Map<String, TestCommand> COMMANDS = commands();

    private TestAgent() {}

    /** Returns the agent. */
    public static Agent create() {
        return builder().build();
    }

    /** Returns a builder of the agent, to change it for a test. */
    public static Agent.Builder builder() {
        return builder(new TestSessions());
    }

    /** Returns a builder of an agent that requires {@code authenticate} before a session. */
    public static Agent.Builder requiringLogin() {
        TestSessions sessions = new TestSessions();
        sessions.login(false);
        return builder(sessions)
                .onAuthenticate(
                        List.of(AuthMethod.Agent.builder(LOGIN, "Test login").build()),
                        (client, method) -> sessions.login(true))
                .onLogout(client -> sessions.login(false));
    }

    private static Agent.Builder builder(TestSessions sessions) {
        return Agent.builder("acp4j-test-agent", "1")
                .title("Test agent")
                .protocol(Version.values())
                .supports(
                        Feature.PROMPT_RESOURCES,
                        Feature.PROMPT_IMAGES,
                        Feature.PROMPT_AUDIO,
                        Feature.MCP_STDIO,
                        Feature.MCP_HTTP,
                        Feature.MCP_SSE,
                        Feature.ADDITIONAL_DIRECTORIES)
                .sessionIds(sessions::nextId)
                .onNewSession(session -> {
                    sessions.opened(session);
                    session.commands(availableCommands());
                })
                .onLoadSession(sessions::load)
                .onResumeSession(sessions::resume)
                .onListSessions(sessions::list)
                .onCloseSession(session -> {})
                .onDeleteSession(sessions::delete)
                .onSetMode((session, mode) -> {})
                .onSetConfigOption(TestSessions::set)
                .on("_test/echo", (client, params) -> params == null ? RawJson.NULL : params)
                .onPrompt(turn -> {
                    sessions.remember(turn);
                    obey(turn, turn.text());
                });
    }

    private static void obey(AgentTurn turn, String lines) throws Exception {
        for (String line : lines.lines().toList()) {
            turn.checkCancelled();
            String plain = line.startsWith("/") ? line.substring(1) : line;
            @Nullable TestCommand command = COMMANDS.get(TestCommand.firstWord(plain));
            if (command == null) {
                turn.message(ContentBlock.text(line));
            } else {
                command.action().run(turn, TestCommand.rest(plain));
            }
        }
    }

    private static Map<String, TestCommand> commands() {
        List<TestCommand> all = new ArrayList<>(UpdateCommands.ALL);
        all.addAll(ClientCommands.ALL);
        all.addAll(List.of(
                new TestCommand("session", "session", "says its folders and MCP servers", TestAgent::session),
                new TestCommand(
                        "meta",
                        "meta",
                        "says the extension data of the prompt",
                        (turn, rest) -> turn.message(turn.meta().toString())),
                new TestCommand("all", "all", "does everything above once", TestAgent::all)));
        all.addAll(EndCommands.ALL);
        all.add(new TestCommand("help", "help", "lists the commands", TestAgent::help));
        Map<String, TestCommand> commands = new LinkedHashMap<>();
        all.forEach(command -> commands.put(command.name(), command));
        return commands;
    }

    private static List<AvailableCommand> availableCommands() {
        List<AvailableCommand> commands = new ArrayList<>();
        for (TestCommand command : COMMANDS.values()) {
            var available = AvailableCommand.builder(command.name(), command.about());
            if (!command.hint().isEmpty()) {
                available.input(AvailableCommandInput.Unstructured.of(command.hint()));
            }
            commands.add(available.build());
        }
        return commands;
    }

    private static void all(AgentTurn turn, String rest) throws Exception {
        for (TestCommand command : COMMANDS.values()) {
            if (command.name().equals("all")) {
                return;
            }
            obey(turn, command.example());
        }
    }

    private static void session(AgentTurn turn, String rest) throws InterruptedException {
        StringJoiner roots = new StringJoiner(", ");
        for (Path root : turn.session().roots()) {
            roots.add(root.toString());
        }
        StringJoiner servers = new StringJoiner(", ");
        for (McpServer server : turn.session().mcpServers()) {
            servers.add(name(server));
        }
        turn.message("folders: " + roots + "; MCP servers: " + servers);
    }

    private static String name(McpServer server) {
        return switch (server) {
            case McpServer.Stdio stdio -> stdio.name();
            case McpServer.Http http -> http.name();
            case McpServer.Sse sse -> sse.name();
            default -> "?";
        };
    }

    private static void help(AgentTurn turn, String rest) throws InterruptedException {
        StringBuilder text = new StringBuilder();
        for (TestCommand command : COMMANDS.values()) {
            text.append("- `")
                    .append(command.usage())
                    .append("`: ")
                    .append(command.about())
                    .append('\n');
        }
        turn.message(text.toString());
    }
}
