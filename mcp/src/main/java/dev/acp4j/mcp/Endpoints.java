package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.McpError;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpServerAcpId;
import dev.acp4j.schema.MessageMcpNotification;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
import dev.acp4j.schema.Rest;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is served for sessions, each declaration until its session ends.
 *
 * <p>The lock guards what is served; nothing is waited for while it is held but the port of HTTP.
 */
final class Endpoints {
    private static final System.Logger LOG = System.getLogger("dev.acp4j.mcp");

    /** Sends what is reported about a request to the agent that asked. */
    @FunctionalInterface
    interface Reports {
        void send(MessageMcpNotification report) throws InterruptedException;
    }

    /** A server of a session that the agent reaches over the connection of the client. */
    private record OverAcp(Face.Provider provider, RunningCalls calls) {}

    private final Map<McpServerAcpId, OverAcp> overAcp = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    /** What ends the service of each declaration. */
    @GuardedBy("lock")
    private final Map<McpServer, Runnable> served = new HashMap<>();

    /** Open while something is served there. */
    @GuardedBy("lock")
    private @Nullable HttpEndpoint http;

    @GuardedBy("lock")
    private int overHttp;

    /**
     * Serves a session. Returns the declaration for the agent, which nobody else has.
     *
     * @throws IOException when it cannot be served; nothing is left of it
     */
    McpServer serve(McpServer.Acp declared, Face.Provider provider, Reach reach) throws IOException {
        return switch (reach) {
            case ACP -> {
                McpServerAcpId id = McpServerAcpId.of(declared.name() + "-" + UUID.randomUUID());
                yield serveOverAcp(new McpServer.Acp(declared.name(), id, declared.rest()), provider);
            }
            case HTTP -> serveOverHttp(declared, provider);
            case PROGRAM -> {
                ShimEndpoint endpoint = new ShimEndpoint(declared, provider);
                yield keep(endpoint.declaration(), endpoint::close);
            }
            case NONE ->
                throw new RpcError(
                        RpcError.INVALID_PARAMS,
                        "the agent connects no MCP servers, so it cannot have " + declared.name());
        };
    }

    /** Serves a session over ACP, under the id of the declaration. */
    McpServer serveOverAcp(McpServer.Acp own, Face.Provider provider) {
        McpServerAcpId id = own.serverId();
        OverAcp server = new OverAcp(provider, new RunningCalls());
        overAcp.put(id, server);
        return keep(own, () -> {
            overAcp.remove(id);
            server.calls().close();
            provider.close();
        });
    }

    private McpServer serveOverHttp(McpServer.Acp declared, Face.Provider provider) throws IOException {
        lock.lock();
        try {
            HttpEndpoint endpoint = http == null ? new HttpEndpoint() : http;
            McpServer.Http own = endpoint.add(declared, provider);
            http = endpoint;
            overHttp++;
            return keep(own, () -> leave(endpoint, own));
        } finally {
            lock.unlock();
        }
    }

    private void leave(HttpEndpoint endpoint, McpServer.Http own) {
        endpoint.remove(own);
        boolean isLast;
        lock.lock();
        try {
            overHttp--;
            isLast = overHttp == 0;
            if (isLast) {
                http = null;
            }
        } finally {
            lock.unlock();
        }
        if (isLast) {
            endpoint.close();
        }
    }

    /** Keeps what ends the service of a declaration. */
    private McpServer keep(McpServer own, Runnable end) {
        lock.lock();
        try {
            served.put(own, end);
        } finally {
            lock.unlock();
        }
        return own;
    }

    /** Ends the service of a declaration. Does nothing for one that is not served. */
    void end(McpServer own) {
        Runnable end;
        lock.lock();
        try {
            end = served.remove(own);
        } finally {
            lock.unlock();
        }
        if (end != null) {
            end.run();
        }
    }

    /** Ends all. */
    void close() {
        List<McpServer> all;
        lock.lock();
        try {
            all = List.copyOf(served.keySet());
        } finally {
            lock.unlock();
        }
        all.forEach(this::end);
    }

    // ---- over the connection of the client

    /** Whether a server that is reached over ACP is served here. */
    boolean serves(McpServerAcpId id) {
        return overAcp.containsKey(id);
    }

    /** Answers a request over ACP to a server that is served here, and passes on others. */
    Answer<MessageMcpResponse> answer(MessageMcpRequest request, RequestHop<MessageMcpRequest, MessageMcpResponse> hop)
            throws Exception {
        if (!serves(request.serverId())) {
            return hop.forward();
        }
        // A tool may take long, and what the agent says meanwhile is not about it.
        hop.letOthersPass();
        return hop.answer(answer(request, report -> hop.agent().send(AgentMethods.MESSAGE_MCP, report)));
    }

    /**
     * Answers a request over ACP. Blocks; the thread is interrupted when the session ends.
     *
     * @throws RpcError when there is no such server
     */
    MessageMcpResponse answer(MessageMcpRequest request, Reports reports) {
        OverAcp server = overAcp.get(request.serverId());
        if (server == null) {
            throw new RpcError(RunningCalls.NO_SUCH_SERVER, "there is no MCP server " + request.serverId());
        }
        server.calls().begin(request.requestId());
        OpenRequest open = new OpenRequest(request, reports);
        try {
            if (Thread.interrupted()) {
                // It was cancelled while it waited for its turn: no tool begins.
                throw new InterruptedException();
            }
            Members params = Members.of(request.params());
            server.provider().asked(request.method(), params.object("_meta").text(Face.VERSION, ""));
            Face.check(params);
            return MessageMcpResponse.Result.of(server.provider().answer(request.method(), params, open));
        } catch (RpcError e) {
            return MessageMcpResponse.Failure.of(new McpError(
                    e.code(),
                    e.message(),
                    e.data().<Change<RawJson>>map(Change::replace).orElse(Change.keep()),
                    Rest.NONE));
        } catch (InterruptedException e) {
            throw RpcError.cancelled();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a request of MCP failed: " + request.method(), e);
            throw new RpcError(RunningCalls.SERVER_FAILED, "the MCP server " + request.serverId() + " failed");
        } finally {
            open.end();
            server.calls().end(request.requestId());
        }
    }

    /**
     * A request over ACP that is being answered. Nothing is reported about it any more once its answer is certain.
     *
     * <p>The lock guards whether it is open, and is held while a report is queued: so the answer is behind it.
     */
    private static final class OpenRequest implements Face.Notices {
        private final MessageMcpRequest request;
        private final Reports reports;
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private boolean ended;

        OpenRequest(MessageMcpRequest request, Reports reports) {
            this.request = request;
            this.reports = reports;
        }

        @Override
        public void send(String method, RawJson about) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                if (!ended) {
                    reports.send(MessageMcpNotification.builder(request.serverId(), request.requestId(), method)
                            .params(Face.ofSubscription(
                                    RequestId.of(request.requestId().value()), about))
                            .build());
                }
            } finally {
                lock.unlock();
            }
        }

        void end() {
            lock.lock();
            try {
                ended = true;
            } finally {
                lock.unlock();
            }
        }
    }
}
