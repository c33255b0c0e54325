package dev.acp4j.mcp;

import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.MessageMcpNotification;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
import dev.acp4j.schema.Unstable;
import java.io.IOException;

/**
 * A {@link ToolServer} that is offered in one way, whatever an agent advertises: for tests of agents, and for clients
 * that write {@code session/new} themselves. A client with sessions of this library uses {@link ToolServer#addTo}.
 *
 * <pre>{@code
 * try (OfferedServer offered = tools.offer(OfferedServer.Way.PROGRAM)) {
 *     setup = SessionSetup.in(folder).withMcpServers(List.of(offered.declaration()));
 * }
 * }</pre>
 *
 * <p>Served from the moment it is made until it is closed. Thread-safe.
 */
@Unstable
public final class OfferedServer implements AutoCloseable {
    /** How an agent reaches the server. */
    public enum Way {
        /** Over the connection of its client, by {@code mcp/message}, which the client hands to {@link #answer}. */
        ACP,
        /** At an address of the loopback interface, with a token. */
        HTTP,
        /** By a program that the agent starts on this machine. */
        PROGRAM
    }

    /** Sends what is reported about a request to the agent that asked. */
    @FunctionalInterface
    public interface Reports {
        /** Sends a report. May block. */
        void send(MessageMcpNotification report) throws InterruptedException;
    }

    private final Endpoints endpoints = new Endpoints();
    private final McpServer declaration;

    OfferedServer(ToolServer server, Way way) throws IOException {
        Reach reach = switch (way) {
            case ACP -> Reach.ACP;
            case HTTP -> Reach.HTTP;
            case PROGRAM -> Reach.PROGRAM;
        };
        declaration = endpoints.serve(server.declaration(), server.provider(null), reach);
    }

    /** Returns what the setup of a session names. */
    public McpServer declaration() {
        return declaration;
    }

    /**
     * Answers a request over ACP. Blocks for as long as the tool runs. Interrupting the thread cancels the tool; the
     * answer is then the error that says so (-32800).
     *
     * @param reports sends what the tool reports meanwhile
     * @throws dev.acp4j.rpc.RpcError is the answer as it is: the request is cancelled, for another server, has the id
     *     of one that runs, or is one too many
     */
    public MessageMcpResponse answer(MessageMcpRequest request, Reports reports) {
        return endpoints.answer(request, reports::send);
    }

    /** Interrupts what runs, and serves nothing any more. */
    @Override
    public void close() {
        endpoints.close();
    }
}
