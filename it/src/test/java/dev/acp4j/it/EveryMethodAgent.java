package dev.acp4j.it;

import dev.acp4j.Agent;
import dev.acp4j.AgentSession;
import dev.acp4j.AgentTerminal;
import dev.acp4j.AgentTurn;
import dev.acp4j.ConnectedClient;
import dev.acp4j.PermissionAnswer;
import dev.acp4j.RemoteTerminal;
import dev.acp4j.Stdio;
import dev.acp4j.ToolCallHandle;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CompactionId;
import dev.acp4j.schema.CompactionStatus;
import dev.acp4j.schema.CompactionSummaryChunk;
import dev.acp4j.schema.CompactionUpdate;
import dev.acp4j.schema.CompleteElicitationNotification;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Cost;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.NoticeSeverity;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionConfigSelectOption;
import dev.acp4j.schema.SessionConfigSelectOptions;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StringPropertySchema;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.UsageUpdate;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An agent that answers every stable method of both versions, and whose prompts name the callback to use;
 * {@code every-agent.mjs} and {@code every-agent-v2.mjs} are the same on the TypeScript SDK. It wants to be
 * authenticated before it opens sessions.
 */
final class EveryMethodAgent {
    private static final AuthMethodId TOKEN = AuthMethodId.of("token");
    private static final SessionConfigId LEVEL = SessionConfigId.of("level");
    private static final SessionModeState MODES = SessionModeState.of(
            SessionModeId.of("ask"),
            List.of(
                    SessionMode.builder(SessionModeId.of("ask"), "Ask").build(),
                    SessionMode.builder(SessionModeId.of("code"), "Code").build()));

    private final AtomicBoolean authenticated = new AtomicBoolean();
    private final Map<String, AgentSession> sessions = new ConcurrentSkipListMap<>();

    private EveryMethodAgent() {}

    public static void main(String[] args) throws InterruptedException {
        create().serve(Stdio.system());
    }

    static Agent create() {
        return new EveryMethodAgent().agent();
    }

    private Agent agent() {
        return Agent.builder("every-method", "1")
                .protocol(Version.values())
                .onAuthenticate(
                        List.of(AuthMethod.Agent.builder(TOKEN, "Token").build()),
                        (client, method) -> authenticated.set(method.equals(TOKEN)))
                .onLogout(client -> authenticated.set(false))
                .onNewSession(this::open)
                .onLoadSession(session -> {
                    known(session);
                    session.userMessage(ContentBlock.text("said before"));
                    open(session);
                })
                .onResumeSession(session -> open(known(session)))
                .onListSessions(this::list)
                .onDeleteSession((client, id) -> sessions.remove(id.value()))
                .onCloseSession(session -> {})
                .onSetMode((session, mode) -> {})
                .onSetConfigOption((session, option, value) -> List.of(level(value)))
                .onPrompt(EveryMethodAgent::answer)
                .build();
    }

    private void open(AgentSession session) throws InterruptedException {
        if (!authenticated.get()) {
            throw RpcError.authRequired();
        }
        sessions.put(session.id().value(), session);
        session.modes(MODES);
        session.configOptions(List.of(level(SessionConfigOptionValue.of(SessionConfigValueId.of("low")))));
    }

    private AgentSession known(AgentSession session) {
        if (!sessions.containsKey(session.id().value())) {
            throw RpcError.sessionNotFound(session.id().value());
        }
        return session;
    }

    private static SessionConfigOption level(SessionConfigOptionValue value) {
        if (!(value instanceof SessionConfigOptionValue.Id chosen)) {
            throw RpcError.invalidParams("level is one of a list");
        }
        return SessionConfigOption.Select.builder(
                        LEVEL,
                        "Level",
                        chosen.value(),
                        SessionConfigSelectOptions.of(List.of(
                                SessionConfigSelectOption.of(SessionConfigValueId.of("low"), "Low"),
                                SessionConfigSelectOption.of(SessionConfigValueId.of("high"), "High"))))
                .build();
    }

    private ListSessionsResponse list(ConnectedClient client, ListSessionsRequest request) {
        List<SessionInfo> infos = sessions.values().stream()
                .map(session -> SessionInfo.builder(session.id(), session.cwd().toString())
                        .build())
                .toList();
        return ListSessionsResponse.builder(infos).build();
    }

    private static void answer(AgentTurn turn) throws Exception {
        String[] words = turn.text().split(" ", 2);
        switch (words[0]) {
            case "permission" -> permission(turn);
            case "form" -> form(turn);
            case "url" -> url(turn);
            case "files" -> files(turn, Path.of(words[1]));
            case "terminal" -> terminal(turn);
            case "kill" -> kill(turn);
            case "wait" -> {
                turn.message("waiting");
                new CountDownLatch(1).await();
            }
            case "updates" -> updates(turn);
            case "cancel-call" -> cancelCall(turn);
            case "cancel-terminal" -> cancelTerminal(turn);
            case "asking" -> turn.ask("Go on?");
            case "fail" -> throw new RpcError(-32000, "broken");
            default -> turn.message("what?");
        }
    }

    private static void permission(AgentTurn turn) throws InterruptedException {
        ToolCallHandle call = turn.toolCall("Edit", ToolKind.EDIT);
        PermissionAnswer permission = call.requestPermission();
        if (permission.isAllowed()) {
            call.start().complete();
        } else {
            call.fail("not allowed");
        }
    }

    private static void form(AgentTurn turn) throws InterruptedException {
        ElicitationSchema fields = ElicitationSchema.builder()
                .properties(Map.of("name", StringPropertySchema.builder().build()))
                .required(List.of("name"))
                .build();
        CreateElicitationResponse answer =
                turn.elicit(CreateElicitationRequest.form(scope(turn), "What is your name?", fields));
        if (answer instanceof CreateElicitationResponse.Accept accept
                && accept.content().get("name") instanceof ElicitationContentValue.Text name) {
            turn.message("hello " + name.value());
        }
    }

    private static void url(AgentTurn turn) throws InterruptedException {
        ElicitationId id = ElicitationId.of("login-1");
        CreateElicitationResponse answer =
                turn.elicit(CreateElicitationRequest.url(scope(turn), "Log in", id, "https://example.com/login"));
        turn.client().send(ClientMethods.COMPLETE_ELICITATION, CompleteElicitationNotification.of(id));
        turn.message(answer instanceof CreateElicitationResponse.Accept ? "logged in" : "not logged in");
    }

    private static ElicitationScope scope(AgentTurn turn) {
        return ElicitationScope.session(turn.sessionId());
    }

    private static void files(AgentTurn turn, Path folder) throws InterruptedException {
        Path file = folder.resolve("written.txt");
        turn.files().writeText(file, "one\ntwo\nthree\n");
        turn.message(turn.files().readText(file, 2, 1).strip());
    }

    private static void terminal(AgentTurn turn) throws InterruptedException {
        try (RemoteTerminal terminal = start(turn, "console.log('hello')")) {
            Long code = terminal.waitForExit().exitCode();
            turn.message(terminal.output().output().strip() + " " + code);
        }
    }

    private static void kill(AgentTurn turn) throws InterruptedException {
        try (RemoteTerminal terminal = start(turn, "setInterval(() => {}, 1000)")) {
            boolean running = terminal.output().exitStatus() == null;
            terminal.kill();
            terminal.waitForExit();
            turn.message(running && terminal.output().exitStatus() != null ? "killed" : "not killed");
        }
    }

    private static RemoteTerminal start(AgentTurn turn, String script) throws InterruptedException {
        return turn.terminals().start(turn.session().cwd(), "node", List.of("-e", script));
    }

    /** Says everything that there is an update for, in the words of either version. */
    private static void updates(AgentTurn turn) throws InterruptedException {
        turn.userMessage(ContentBlock.text("And "));
        turn.thought("Let ");
        turn.update(SessionUpdate.UserMessage.builder(MessageId.of("u"))
                .content(List.of(ContentBlock.text("And then?")))
                .build());
        turn.update(SessionUpdate.AgentThought.builder(MessageId.of("t"))
                .content(List.of(ContentBlock.text("Let me see.")))
                .build());
        turn.message(ContentBlock.text("It is"), MessageId.of("a"));
        turn.update(SessionUpdate.AgentMessage.builder(MessageId.of("a"))
                .content(List.of(ContentBlock.text("It is 4.")))
                .build());
        Path file = turn.session().cwd().resolve("a.txt");
        try (ToolCallHandle call = turn.toolCall("Look", ToolKind.READ).start();
                AgentTerminal terminal =
                        call.openTerminal("make", turn.session().cwd())) {
            call.location(file, 3).diff(file, "one\n", "two\n").rawOutput(RawJson.parse("{\"lines\":3}"));
            turn.update(SessionUpdate.ToolCallContentChunk.of(call.id(), ToolCallContent.text("part")));
            terminal.print("built\n");
            terminal.exited(0);
            call.complete();
        }
        turn.plan("Look").next();
        turn.commands(List.of(AvailableCommand.builder("test", "Runs tests").build()));
        turn.mode(SessionModeId.of("code"));
        turn.configOptions(List.of(level(SessionConfigOptionValue.of(SessionConfigValueId.of("high")))));
        turn.title("Sums");
        turn.usage(UsageUpdate.builder(10, 100).cost(Cost.of(0.5, "USD")).build());
        turn.notice(NoticeSeverity.WARNING, "Careful", null);
        CompactionId compaction = CompactionId.of("c");
        turn.compaction(CompactionUpdate.builder(compaction, CompactionStatus.IN_PROGRESS)
                .build());
        turn.compaction(CompactionSummaryChunk.of(compaction, ContentBlock.text("Sums were done")));
        turn.compaction(
                CompactionUpdate.builder(compaction, CompactionStatus.COMPLETED).build());
    }

    private static void cancelCall(AgentTurn turn) throws InterruptedException {
        CountDownLatch cancelled = new CountDownLatch(1);
        ToolCallHandle call = turn.toolCall("Build", ToolKind.EXECUTE).start().onCancel(cancelled::countDown);
        cancelled.await();
        call.cancelled();
    }

    private static void cancelTerminal(AgentTurn turn) throws InterruptedException {
        CountDownLatch cancelled = new CountDownLatch(1);
        ToolCallHandle call = turn.toolCall("Serve", ToolKind.EXECUTE).start();
        AgentTerminal terminal = call.openTerminal("make", turn.session().cwd()).onCancel(cancelled::countDown);
        cancelled.await();
        terminal.killed("SIGTERM");
        call.complete();
    }
}
