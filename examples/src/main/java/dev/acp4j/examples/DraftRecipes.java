package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.AgentSubagent;
import dev.acp4j.AgentTurn;
import dev.acp4j.AuthStatus;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.TokenUsage;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.LlmProtocol;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpServerAcpId;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
import dev.acp4j.schema.PlanId;
import dev.acp4j.schema.PlanUpdateContent;
import dev.acp4j.schema.ProviderId;
import dev.acp4j.schema.SessionArchiveFilter;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.SetProviderRequest;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.SystemPrompt;
import dev.acp4j.schema.SystemPromptMode;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The recipes of docs/drafts.md, which shows them as they stand here. */
final class DraftRecipes {
    private DraftRecipes() {}

    /** What an agent stores of its sessions. */
    interface Store {
        ListSessionsResponse list(ListSessionsRequest request);

        void copy(SessionId from, SessionId to);

        void archive(SessionId id, boolean archived);

        boolean has(SessionId id);

        String title(SessionId id, String title);
    }

    // recipe: sessions-agent
    static Agent.Builder keep(Agent.Builder agent, Store store) {
        return agent.onListSessions((client, request) -> store.list(request))
                .onForkSession((session, source) -> store.copy(source, session.id()))
                .onArchiveSession((client, id, archived) -> store.archive(id, archived))
                .onSessionStatus((client, id) -> store.has(id))
                .onSetTitle((client, id, title) -> store.title(id, title.strip()));
    }
    // end

    // recipe: fork
    static String summary(Session session) throws InterruptedException {
        ConnectedAgent agent = session.agent();
        try (Session fork = agent.forkSession(session.id(), session.setup())) {
            return fork.prompt("Summarize this conversation.").text();
        }
    }
    // end

    // recipe: archive
    static void tidy(ConnectedAgent agent, Path folder) throws InterruptedException {
        for (var stored : agent.listSessions(folder)) {
            agent.archiveSession(stored.sessionId());
        }
        for (var archived : agent.listSessions(folder, SessionArchiveFilter.ONLY)) {
            String title = agent.setTitle(archived.sessionId(), "Done: " + archived.title());
            System.out.println(
                    title + ": " + agent.sessionStatus(archived.sessionId()).status());
        }
    }
    // end

    // recipe: system-prompt
    static Session brief(ConnectedAgent agent, Path folder) throws InterruptedException {
        var prompt = SystemPrompt.of(SystemPromptMode.APPEND, List.of(ContentBlock.text("Answer in one sentence.")));
        var setup = SessionSetup.in(folder);
        return agent.newSession(agent.supports(Feature.SYSTEM_PROMPT) ? setup.withSystemPrompt(prompt) : setup);
    }
    // end

    // recipe: providers
    static void routeThrough(ConnectedAgent agent, String gateway, String token) throws InterruptedException {
        for (var provider : agent.providers()) {
            if (provider.supported().contains(LlmProtocol.OPENAI)) {
                agent.setProvider(SetProviderRequest.builder(provider.providerId(), LlmProtocol.OPENAI, gateway)
                        .headers(Map.of("Authorization", "Bearer " + token))
                        .build());
            } else if (!provider.required()) {
                ProviderId other = provider.providerId();
                agent.disableProvider(other);
            }
        }
    }
    // end

    // recipe: auth-status
    static boolean mustLogIn(ConnectedAgent agent) throws InterruptedException {
        if (!agent.supports(Feature.AUTH_STATUS)) {
            return false; // Opening a session says so.
        }
        AuthStatus status = agent.authStatus();
        status.accounts().forEach(account -> System.out.println(account.label()));
        return !status.isLoggedIn();
    }
    // end

    // recipe: tokens
    static void count(AgentTurn turn) {
        turn.message("Done.");
        turn.usage(new TokenUsage(1200, 1000, 200, null, 800L, null));
    }
    // end

    // recipe: plans
    static Agent.Builder planning() {
        PlanId design = PlanId.of("design");
        return Agent.builder("planning", "1.0").supports(Feature.PLANS).onPrompt(turn -> {
            turn.update(SessionUpdate.PlanUpdate.of(PlanUpdateContent.Markdown.of(design, "# Design\n\nOne class.")));
            turn.plan("Write it", "Test it").next();
            turn.update(SessionUpdate.PlanRemoved.of(design));
        });
    }

    static Client.Builder showing() {
        return Client.builder("showing", "1.0").supports(Feature.PLANS);
    }
    // end

    // recipe: subagents
    static void delegate(AgentTurn turn) {
        AgentSubagent tests = turn.session().subagent(SessionId.of("tests-1"), "Tests");
        tests.state(StateUpdate.Running.builder().build());
        tests.message("All of them pass.");
        tests.state(StateUpdate.Idle.builder().stopReason(StopReason.END_TURN).build());
    }

    static void show(Session session) {
        for (Session subagent : session.subagents()) {
            subagent.view().messages().forEach(message -> System.out.println(subagent.id() + ": " + message.text()));
        }
    }
    // end

    // recipe: deleted
    static void delete(AgentTurn turn, Path file, String text) {
        turn.toolCall("Delete " + file.getFileName(), ToolKind.DELETE)
                .content(ToolCallContent.deleted(file.toString(), text))
                .complete();
    }
    // end

    // recipe: mcp
    static final McpServer.Acp TOOLS = McpServer.Acp.of("tools", McpServerAcpId.of("tools-1"));

    static Client.Builder serving() {
        return Client.builder("serving", "1.0")
                .on(
                        ClientMethods.MESSAGE_MCP,
                        (agent, request) -> MessageMcpResponse.Result.of(RawJson.parse("{\"tools\":[]}")));
    }

    static MessageMcpResponse ask(ConnectedClient client, MessageMcpRequest request) throws InterruptedException {
        return client.call(ClientMethods.MESSAGE_MCP, request);
    }
    // end
}
