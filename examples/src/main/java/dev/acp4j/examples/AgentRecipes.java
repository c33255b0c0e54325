package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.AgentSession;
import dev.acp4j.AgentTurn;
import dev.acp4j.ConnectedClient;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.StringPropertySchema;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.logging.FileHandler;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** The recipes for agents in docs/cookbook.md, which shows them as they stand here. */
final class AgentRecipes {
    private AgentRecipes() {}

    // recipe: stream
    static void stream(AgentTurn turn) {
        turn.thought("Counting the words…");
        for (String word : turn.text().split(" ", -1)) {
            turn.message(word.length() + " ");
        }
    }
    // end

    // recipe: edit
    static void edit(AgentTurn turn) throws InterruptedException {
        Path file = turn.session().cwd().resolve("notes.txt");
        String before = turn.files().readText(file);
        String after = before.replace("teh", "the");
        var call = turn.toolCall("Correct notes.txt", ToolKind.EDIT)
                .location(file)
                .diff(file, before, after)
                .start();
        turn.files().writeText(file, after);
        call.complete();
    }
    // end

    // recipe: permission
    static void delete(AgentTurn turn) throws InterruptedException, IOException {
        Path file = turn.session().cwd().resolve(turn.text());
        var call =
                turn.toolCall("Delete " + file.getFileName(), ToolKind.DELETE).location(file);
        var permission = call.requestPermission();
        if (permission.isAllowed()) {
            call.start();
            Files.deleteIfExists(file);
            call.complete();
        } else if (permission.isCancelled()) {
            call.fail("Nobody decided.");
        } else {
            call.fail("The user does not want this.");
        }
    }
    // end

    // recipe: cancel
    static void count(AgentTurn turn) throws InterruptedException {
        var call = turn.toolCall("Count", ToolKind.THINK).start();
        try {
            for (long number = 0; ; number++) {
                turn.checkCancelled();
                if (number % 1_000_000 == 0) {
                    turn.message(number + " ");
                }
            }
        } catch (InterruptedException e) {
            call.fail("Stopped.");
            throw e;
        }
    }
    // end

    /** Some library's stream of text. */
    interface TextStream extends AutoCloseable {
        void forEach(Consumer<String> onText);

        @Override
        void close();
    }

    // recipe: callback
    static void answer(AgentTurn turn, TextStream stream) {
        turn.onCancel(stream::close);
        stream.forEach(turn::message);
    }
    // end

    // recipe: short
    static void clean(AgentTurn turn) throws InterruptedException {
        var plan = turn.plan("Clean", "Test");
        plan.next();
        if (turn.ask("Delete build/?")) {
            turn.run("rm", "-r", "build");
        }
        plan.next();
        var tests = turn.run("mvn", "-q", "test");
        turn.message(tests.output());
        plan.next();
    }
    // end

    // recipe: input
    static void askForName(AgentTurn turn) throws InterruptedException {
        var form = ElicitationSchema.builder()
                .properties(Map.of(
                        "name", StringPropertySchema.builder().maxLength(40L).build()))
                .required(List.of("name"))
                .build();
        var answer = turn.elicit(CreateElicitationRequest.form(
                ElicitationScope.session(turn.sessionId()), "How shall the project be called?", form));
        if (answer instanceof CreateElicitationResponse.Accept accepted) {
            turn.message("It is called " + accepted.content().get("name"));
        }
    }
    // end

    // recipe: modes
    static final SessionModeId PLAN = SessionModeId.of("plan");
    static final SessionModeId WORK = SessionModeId.of("work");

    static void open(AgentSession session) throws InterruptedException {
        session.modes(SessionModeState.of(
                PLAN,
                List.of(
                        SessionMode.builder(PLAN, "Plan only").build(),
                        SessionMode.builder(WORK, "Plan and do").build())));
        session.configOptions(options(false));
    }

    static List<SessionConfigOption> options(boolean brief) {
        return List.of(SessionConfigOption.Toggle.builder(SessionConfigId.of("brief"), "Brief answers", brief)
                .build());
    }
    // end

    // recipe: modes-agent
    static Agent.Builder withModes() {
        return Agent.builder("modes", "1.0")
                .onNewSession(AgentRecipes::open)
                .onSetMode((session, mode) -> session.title("Mode: " + mode))
                .onSetConfigOption((session, option, value) -> options(value.equals(SessionConfigOptionValue.of(true))))
                .onPrompt(turn -> turn.message("Ready."));
    }
    // end

    // recipe: load
    static void load(AgentSession session) throws InterruptedException, IOException {
        Path file = session.cwd().resolve(session.id() + ".log");
        if (!Files.exists(file)) {
            throw RpcError.sessionNotFound(session.id().value());
        }
        for (String line : Files.readAllLines(file)) {
            session.userMessage(ContentBlock.text(line));
            session.message("You said: " + line);
        }
    }
    // end

    // recipe: extension
    static RawJson countMembers(ConnectedClient client, RawJson params) {
        int members =
                params.value() instanceof JsonObject object ? object.members().size() : 0;
        return RawJson.number(members);
    }
    // end

    // recipe: mcp
    static void listServers(AgentTurn turn) {
        for (McpServer server : turn.session().mcpServers()) {
            switch (server) {
                case McpServer.Stdio local -> turn.message(local.name() + ": " + local.command() + "\n");
                case McpServer.Http http -> turn.message(http.name() + ": " + http.url() + "\n");
                case McpServer.Sse sse -> turn.message(sse.name() + ": " + sse.url() + "\n");
                default -> turn.message("cannot use a server of another type\n");
            }
        }
    }
    // end

    // recipe: log
    static void logTo(Path file) throws IOException {
        var handler = new FileHandler(file.toString(), true);
        handler.setFormatter(new SimpleFormatter());
        Logger.getLogger("").addHandler(handler);
    }
    // end

    static void speakBothVersions(Agent.Builder agent) {
        agent.protocol(Version.V1, Version.V2);
    }
}
