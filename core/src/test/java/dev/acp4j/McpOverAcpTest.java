package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.McpError;
import dev.acp4j.schema.McpRequestId;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpServerAcpId;
import dev.acp4j.schema.MessageMcpNotification;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
import dev.acp4j.schema.Version;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages of MCP go over the connection of an agent and a client, in both versions of the protocol. */
@Timeout(20)
final class McpOverAcpTest {
    private static final McpServerAcpId SERVER = McpServerAcpId.of("tools-1");
    private static final SessionSetup SETUP =
            SessionSetup.in(Joined.HERE).withMcpServers(List.of(McpServer.Acp.of("tools", SERVER)));

    @RegisterExtension
    final Joined joined = new Joined();

    /** The server of a client: answers one method, and reports its progress before. */
    private static MessageMcpResponse serve(ConnectedAgent agent, MessageMcpRequest request) throws Exception {
        if (!request.method().equals("tools/list")) {
            return MessageMcpResponse.Failure.of(
                    McpError.builder(-32601, "no " + request.method()).build());
        }
        agent.send(
                AgentMethods.MESSAGE_MCP,
                MessageMcpNotification.builder(request.serverId(), request.requestId(), "notifications/progress")
                        .params(RawJson.parse("{\"progress\":1}"))
                        .build());
        return MessageMcpResponse.Result.of(RawJson.parse("{\"tools\":[{\"name\":\"look\"}]}"));
    }

    @Tag("MCP-01")
    @Tag("MCP-11")
    @ParameterizedTest
    @EnumSource
    void anAgentAsksTheServerOfAClientAndHearsOfItsProgress(Version version) throws Exception {
        BlockingQueue<MessageMcpNotification> told = new LinkedBlockingQueue<>();
        ConnectedAgent agent = joined.join(
                Joined.agent(turn -> {
                            McpServer.Acp server =
                                    (McpServer.Acp) turn.session().mcpServers().getFirst();
                            MessageMcpResponse answer = turn.client()
                                    .call(
                                            ClientMethods.MESSAGE_MCP,
                                            MessageMcpRequest.builder(
                                                            server.serverId(), McpRequestId.of("1"), turn.text())
                                                    .build());
                            turn.message(
                                    switch (answer) {
                                        case MessageMcpResponse.Result result ->
                                            result.result().toString();
                                        case MessageMcpResponse.Failure failure ->
                                            failure.error().message();
                                    });
                        })
                        .protocol(Version.V1, Version.V2)
                        .supports(Feature.MCP_ACP)
                        .onNotification(AgentMethods.MESSAGE_MCP, (client, message) -> told.add(message)),
                Joined.client().protocol(version).on(ClientMethods.MESSAGE_MCP, McpOverAcpTest::serve));

        assertThat(agent.supports(Feature.MCP_ACP)).isTrue();
        Session session = agent.newSession(SETUP);

        assertThat(session.prompt("tools/list").text()).isEqualTo("{\"tools\":[{\"name\":\"look\"}]}");
        MessageMcpNotification progress = told.take();
        assertThat(progress.serverId()).isEqualTo(SERVER);
        assertThat(progress.requestId()).isEqualTo(McpRequestId.of("1"));
        assertThat(progress.params()).isEqualTo(RawJson.parse("{\"progress\":1}"));
        assertThat(session.prompt("tools/burn").text()).isEqualTo("no tools/burn");
    }

    @Tag("MCP-03")
    @ParameterizedTest
    @EnumSource
    void aServerIsDeclaredByItsIdToAnAgentThatOffersIt(Version version) throws Exception {
        ConnectedAgent agent = joined.join(
                Joined.agent(turn -> {}).protocol(Version.V1, Version.V2).supports(Feature.MCP_ACP),
                Joined.client().protocol(version));

        assertThat(agent.raw().toString())
                .contains(version == Version.V1 ? "\"mcpCapabilities\":{\"acp\":true}" : "\"mcp\":{\"acp\":{}}");
        assertThat(RawJson.encode(McpServer.Acp.of("tools", SERVER), Codecs.mcpServer(version)))
                .isEqualTo(RawJson.parse("{\"type\":\"acp\",\"name\":\"tools\",\"serverId\":\"tools-1\"}"));
    }

    @Tag("MCP-02")
    @ParameterizedTest
    @EnumSource
    void theConnectionsOfEarlierProposalsAreUnknown(Version version) throws Exception {
        BlockingQueue<Integer> codes = new LinkedBlockingQueue<>();
        ConnectedAgent agent = joined.join(
                Joined.agent(turn -> {
                            for (String method : List.of("mcp/connect", "mcp/disconnect")) {
                                try {
                                    RawJson unused =
                                            turn.client().rpc().call(method, RawJson.parse("{\"acpId\":\"tools-1\"}"));
                                } catch (RpcError e) {
                                    codes.add(e.code());
                                }
                            }
                        })
                        .protocol(Version.V1, Version.V2)
                        .supports(Feature.MCP_ACP),
                Joined.client().protocol(version).on(ClientMethods.MESSAGE_MCP, McpOverAcpTest::serve));

        String unused = agent.newSession(SETUP).prompt("connect").text();

        assertThat(codes).containsExactly(RpcError.METHOD_NOT_FOUND, RpcError.METHOD_NOT_FOUND);
    }

    @ParameterizedTest
    @EnumSource
    void aServerOverAcpIsNotGivenToAnAgentThatDoesNotOfferIt(Version version) throws Exception {
        ConnectedAgent agent = joined.join(
                Joined.agent(turn -> {}).protocol(Version.V1, Version.V2),
                Joined.client().protocol(version));

        assertThatThrownBy(() -> agent.newSession(SETUP)).isInstanceOfSatisfying(UnsupportedException.class, e -> {
            assertThat(e.feature()).isEqualTo(Feature.MCP_ACP);
            assertThat(e.version()).isEqualTo(version.number());
        });
    }
}
