package dev.acp4j.cli.doctor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.OfferedServer;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.McpCapabilities;
import dev.acp4j.schema.McpCapabilitiesV2;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The MCP servers that {@code acp doctor --mcp} offers to an agent, one of each kind, and what the agent did with them.
 *
 * <p>The lock guards what the agent did; nothing is called while it is held.
 */
final class McpOffers implements AutoCloseable {
    /** A kind of declaration. The name in lower case is part of the JSON output. */
    enum Kind {
        STDIO(OfferedServer.Way.PROGRAM),
        HTTP(OfferedServer.Way.HTTP),
        ACP(OfferedServer.Way.ACP);

        final OfferedServer.Way way;

        Kind(OfferedServer.Way way) {
            this.way = way;
        }
    }

    /**
     * What the agent did with one server.
     *
     * @param cameNanos when its first request came; null if none did
     * @param revision the revision of MCP that it began with
     * @param listedNanos when it listed the tools; null if it did not
     * @param cameBeforeAnswer whether the first request came before {@code session/new} was answered
     */
    record Visit(
            @Nullable Long cameNanos,
            String revision,
            @Nullable Long listedNanos,
            boolean cameBeforeAnswer) {
        static final Visit NONE = new Visit(null, "", null, false);

        boolean isComplete() {
            return cameNanos != null && listedNanos != null;
        }
    }

    private final Map<Kind, OfferedServer> servers = new EnumMap<>(Kind.class);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Map<Kind, Visit> visits = new EnumMap<>(Kind.class);

    @GuardedBy("lock")
    private long sentNanos;

    @GuardedBy("lock")
    private boolean isAnswered;

    /**
     * Serves each kind that the agent takes, and returns the declarations. Called once, directly before the session is
     * opened.
     *
     * @throws IOException when no port can be opened
     */
    List<McpServer> open(InitializeResponse agent, Version version) throws IOException {
        List<McpServer> declarations = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            if (takes(kind, agent, version)) {
                String name = "acp-doctor-" + kind.name().toLowerCase(Locale.ROOT);
                OfferedServer server = ToolServer.builder(name, "1")
                        .tool("doctor_ping", "Answers pong. For tests of the connection only.", call -> "pong")
                        .onRequest(request -> asked(kind, request))
                        .build()
                        .offer(kind.way);
                servers.put(kind, server);
                declarations.add(server.declaration());
            }
        }
        lock.lock();
        try {
            sentNanos = System.nanoTime();
        } finally {
            lock.unlock();
        }
        return declarations;
    }

    private static boolean takes(Kind kind, InitializeResponse agent, Version version) {
        if (version == Version.V1) {
            McpCapabilities mcp = agent.agentCapabilities().mcpCapabilities();
            return switch (kind) {
                case STDIO -> true;
                case HTTP -> mcp.http();
                case ACP -> mcp.acp();
            };
        }
        McpCapabilitiesV2 mcp = agent.capabilities().session() == null
                ? null
                : agent.capabilities().session().mcp();
        return mcp != null
                && switch (kind) {
                    case STDIO -> mcp.stdio() != null;
                    case HTTP -> mcp.http() != null;
                    case ACP -> mcp.acp() != null;
                };
    }

    private void asked(Kind kind, ToolServer.Request request) {
        long now = System.nanoTime();
        lock.lock();
        try {
            Visit before = visits.getOrDefault(kind, Visit.NONE);
            boolean isFirst = before.cameNanos() == null;
            boolean lists = request.method().equals("tools/list") && before.listedNanos() == null;
            visits.put(
                    kind,
                    new Visit(
                            isFirst ? Long.valueOf(now - sentNanos) : before.cameNanos(),
                            isFirst ? request.revision() : before.revision(),
                            lists ? Long.valueOf(now - sentNanos) : before.listedNanos(),
                            isFirst ? !isAnswered : before.cameBeforeAnswer()));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The session is open. */
    void answered() {
        lock.lock();
        try {
            isAnswered = true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a kind was offered. */
    boolean offers(Kind kind) {
        return servers.containsKey(kind);
    }

    /**
     * Returns what the agent did. Waits for it to list the tools.
     *
     * @param mostNanos how long to wait at most, since the session was asked for
     */
    Visit await(Kind kind, long mostNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            Visit visit = visits.getOrDefault(kind, Visit.NONE);
            long left = mostNanos - (System.nanoTime() - sentNanos);
            while (!visit.isComplete() && left > 0) {
                left = changed.awaitNanos(left);
                visit = visits.getOrDefault(kind, Visit.NONE);
            }
            return visit;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Answers a request of the agent over ACP.
     *
     * @throws RpcError when no server is offered over ACP
     */
    RawJson answer(RawJson params, Version version) {
        OfferedServer server = servers.get(Kind.ACP);
        if (server == null) {
            throw RpcError.methodNotFound(ClientMethods.MESSAGE_MCP.name());
        }
        MessageMcpRequest request = params.decode(ClientMethods.MESSAGE_MCP.params(version), "params");
        // The tool reports nothing.
        MessageMcpResponse response = server.answer(request, report -> {});
        return RawJson.encode(response, ClientMethods.MESSAGE_MCP.result(version));
    }

    @Override
    public void close() {
        servers.values().forEach(OfferedServer::close);
    }
}
