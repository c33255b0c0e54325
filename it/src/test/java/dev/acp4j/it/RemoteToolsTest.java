package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.SessionSetup;
import dev.acp4j.http.Http;
import dev.acp4j.http.RemoteAgent;
import dev.acp4j.http.RunningServer;
import dev.acp4j.mcp.McpBridge;
import dev.acp4j.mcp.McpServers;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.proxy.Conductor;
import dev.acp4j.rpc.MemoryTransport;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tools of a client for an agent whose address is not one of loopback: a forwarder at another address of this machine.
 */
@Timeout(60)
class RemoteToolsTest {
    @TempDir
    Path folder;

    private final ToolServer tools = ToolServer.builder("own", "1")
            .tool("greet", "Greets", call -> "Hello!")
            .build();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private ServerSocket outside;

    @BeforeEach
    void listen() throws IOException {
        Optional<InetAddress> address = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(one -> one instanceof Inet4Address && !one.isLoopbackAddress())
                .findFirst();
        assumeThat(address).as("an address but that of loopback").isPresent();
        outside = new ServerSocket();
        outside.bind(new InetSocketAddress(address.orElseThrow(), 0));
    }

    @AfterEach
    void close() throws IOException {
        outside.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private String authority() {
        return outside.getInetAddress().getHostAddress() + ":" + outside.getLocalPort();
    }

    private RunningServer serve(Agent agent) throws IOException {
        RunningServer server = Http.on(0).allowedHosts(authority()).start(agent::connect);
        Thread.ofPlatform().daemon().start(() -> forward(server.uri().getPort()));
        return server;
    }

    /** Takes connections at the other address and passes their bytes on. */
    private void forward(int port) {
        try {
            while (true) {
                Socket from = outside.accept();
                Socket to = new Socket(InetAddress.getLoopbackAddress(), port);
                sockets.add(from);
                sockets.add(to);
                pass(from, to);
                pass(to, from);
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private static void pass(Socket from, Socket to) {
        Thread.ofPlatform().daemon().start(() -> {
            try (from;
                    to) {
                from.getInputStream().transferTo(to.getOutputStream());
            } catch (IOException e) {
                // One of them is closed.
            }
        });
    }

    private RemoteAgent remote(RunningServer server) {
        return Http.to(URI.create("http://" + authority()))
                .allowCleartext()
                .bearer(() -> server.token().orElseThrow());
    }

    private static Agent agent(McpServers.Builder mcp) {
        return mcp.addTo(Agent.builder("helper", "1")
                        .onPrompt(turn ->
                                turn.message(McpServers.of(turn).tools(turn).toString())))
                .build();
    }

    private SessionSetup setup() {
        return SessionSetup.in(folder).withMcpServers(List.of(tools.declaration()));
    }

    @Tag("MCX-37")
    @Test
    void anAgentElsewhereThatTakesServersOverAcpReachesTheToolsOfTheClient() throws Exception {
        try (RunningServer server = serve(agent(McpServers.builder().acp()));
                ConnectedAgent agent =
                        ToolServer.addTo(Client.builder("ide", "1"), tools).connect(remote(server))) {
            assertThat(agent.newSession(setup()).prompt("tools").text()).contains("greet");
        }
    }

    @Tag("MCX-37")
    @Test
    void anAgentElsewhereThatTakesNoneIsRefusedTheToolsWithTheReason() throws Exception {
        try (RunningServer server = serve(agent(McpServers.builder().http()));
                ConnectedAgent agent =
                        ToolServer.addTo(Client.builder("ide", "1"), tools).connect(remote(server))) {
            assertThatThrownBy(() -> agent.newSession(setup()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "the MCP server own cannot be offered: it would be served on this machine, but the agent is"
                                    + " on another one and takes no MCP servers over ACP; leave it out of the setup");
            assertThat(agent.newSession(folder).prompt("tools").text()).isEqualTo("[]");
        }
    }

    @Tag("MCX-37")
    @Test
    void aBridgeInFrontOfAnAgentElsewhereLeavesTheToolsOutAndReportsIt() throws Exception {
        List<String> notices = new CopyOnWriteArrayList<>();
        MemoryTransport.Pair pair = MemoryTransport.pair();
        try (RunningServer server = serve(agent(McpServers.builder()));
                McpBridge bridge = new McpBridge(notices::add);
                var chain = Conductor.builder()
                        .proxy(bridge.relay())
                        .proxy(bridge.proxy())
                        .agent(remote(server)::open)
                        .build()
                        .start(pair.right());
                ConnectedAgent agent =
                        ToolServer.addTo(Client.builder("ide", "1"), tools).connect(pair.left())) {
            assertThat(agent.newSession(setup()).prompt("tools").text()).isEqualTo("[]");
            assertThat(chain.failure()).isEmpty();
        }
        assertThat(notices)
                .containsExactly(
                        "The MCP server own is left out: it is served on this machine, which the agent cannot reach.");
    }
}
