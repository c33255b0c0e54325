package dev.acp4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.McpRequestId;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.ToolCallContent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class DraftRecipesTest {
    private static final Path HERE = Path.of("").toAbsolutePath();

    private interface Use {
        void with(ConnectedAgent agent) throws Exception;
    }

    private static void connected(Agent.Builder agent, Client.Builder client, Use use) throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        try (ConnectedClient served = agent.build().connect(pair.left());
                ConnectedAgent connection = client.connect(pair.right())) {
            assertThat(served.isOpen()).isTrue();
            use.with(connection);
        }
    }

    private static Client.Builder client() {
        return Client.builder("test", "1");
    }

    private static Agent.Builder agent(Agent.PromptHandler onPrompt) {
        return Agent.builder("test", "1").onPrompt(onPrompt);
    }

    /** Stores the names of two sessions. */
    private static final class Names implements DraftRecipes.Store {
        final List<String> done = new ArrayList<>();
        final Set<String> archived = new TreeSet<>();

        @Override
        public ListSessionsResponse list(ListSessionsRequest request) {
            List<SessionInfo> found = new ArrayList<>();
            for (String name : List.of("a", "b")) {
                if (archived.contains(name) == (request.archived() != null)) {
                    found.add(SessionInfo.builder(SessionId.of(name), "/").build());
                }
            }
            return ListSessionsResponse.builder(found).build();
        }

        @Override
        public void copy(SessionId from, SessionId to) {
            done.add("copied " + from);
        }

        @Override
        public void archive(SessionId id, boolean isArchived) {
            archived.add(id.value());
        }

        @Override
        public boolean has(SessionId id) {
            return true;
        }

        @Override
        public String title(SessionId id, String title) {
            done.add(title);
            return title;
        }
    }

    @Test
    void sessionsAreForkedAndArchived() throws Exception {
        Names names = new Names();
        Agent.Builder agent = DraftRecipes.keep(agent(turn -> turn.message("short")), names);

        connected(agent, client(), to -> {
            assertThat(DraftRecipes.summary(to.newSession(HERE))).isEqualTo("short");
            DraftRecipes.tidy(to, HERE);
        });

        assertThat(names.archived).containsExactly("a", "b");
        assertThat(names.done).hasSize(3).first().asString().startsWith("copied ");
    }

    @Test
    void aSystemPromptIsSentToAgentsThatTakeIt() throws Exception {
        for (boolean takes : List.of(true, false)) {
            Agent.Builder agent =
                    agent(turn -> turn.message("" + (turn.session().setup().systemPrompt() != null)));
            if (takes) {
                agent.supports(Feature.SYSTEM_PROMPT);
            }
            connected(
                    agent,
                    client(),
                    to -> assertThat(DraftRecipes.brief(to, HERE).prompt("go").text())
                            .isEqualTo("" + takes));
        }
    }

    @Test
    void tokensPlansAndSubagentsReachTheClient() throws Exception {
        connected(
                agent(DraftRecipes::count),
                client(),
                to -> assertThat(to.newSession(HERE).prompt("go").result().usage())
                        .hasValueSatisfying(usage -> assertThat(usage.total()).isEqualTo(1200)));
        connected(DraftRecipes.planning(), DraftRecipes.showing(), to -> {
            Session session = to.newSession(HERE);
            assertThat(session.prompt("go").result()).isNotNull();
            assertThat(session.view().plans()).hasSize(1);
        });
        connected(
                agent(DraftRecipes::delegate).supports(Feature.SUBAGENTS), client().supports(Feature.SUBAGENTS), to -> {
                    Session session = to.newSession(HERE);
                    assertThat(session.prompt("go").result()).isNotNull();
                    assertThat(session.subagents()).hasSize(1);
                    DraftRecipes.show(session);
                });
    }

    @Test
    void aDeletedFileIsMarked() throws Exception {
        connected(agent(turn -> DraftRecipes.delete(turn, HERE.resolve("a.txt"), "old")), client(), to -> {
            Session session = to.newSession(HERE);
            assertThat(session.prompt("go").result()).isNotNull();
            assertThat(session.view().toolCalls().getFirst().content())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            ToolCallContent.Diff.class,
                            diff -> assertThat(diff.isDeleted()).isTrue());
        });
    }

    @Test
    void anAgentAsksTheServerOfItsClient() throws Exception {
        SessionSetup setup = SessionSetup.in(HERE).withMcpServers(List.of(DraftRecipes.TOOLS));
        connected(
                agent(turn -> turn.message(DraftRecipes.ask(
                                        turn.client(),
                                        MessageMcpRequest.builder(
                                                        DraftRecipes.TOOLS.serverId(),
                                                        McpRequestId.of("1"),
                                                        "tools/list")
                                                .build())
                                .toString()))
                        .supports(Feature.MCP_ACP),
                DraftRecipes.serving(),
                to -> assertThat(to.newSession(setup).prompt("go").text()).contains("tools"));
    }

    @Test
    void anAgentWithoutProvidersOrLoginsIsLeftAlone() throws Exception {
        connected(
                agent(turn -> {}),
                client(),
                to -> assertThat(DraftRecipes.mustLogIn(to)).isFalse());
    }
}
