package dev.acp4j.mcp;

import dev.acp4j.ConnectedClient;
import dev.acp4j.Peer;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.McpError;
import dev.acp4j.schema.McpRequestId;
import dev.acp4j.schema.McpServerAcpId;
import dev.acp4j.schema.MessageMcpNotification;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * MCP over the connection of the client that has the server, as a transport: each request that is written is a
 * {@code mcp/message}, whose answer carries the server's.
 */
final class AcpTransport implements Transport, Transport.Reader, Transport.Writer {
    /** Wakes the thread that reads when the transport is closed. */
    private static final Object END = new Object();

    /**
     * Where reports of servers go: to the transport whose request they belong to, since several sessions may have the
     * same server. One for all sessions of an agent.
     */
    static final class Receivers implements Peer.NotificationHandler<ConnectedClient, MessageMcpNotification> {
        private record Request(ConnectedClient client, McpRequestId id) {}

        /** Who has asked, and the id of the request there. */
        private record Asker(AcpTransport transport, RequestId id) {}

        private final Map<Request, Asker> open = new ConcurrentHashMap<>();

        @Override
        public void handle(ConnectedClient client, MessageMcpNotification message) {
            Asker asker = open.get(new Request(client, message.requestId()));
            if (asker != null) {
                RawJson params = message.params();
                asker.transport.inbox.add(Message.notification(
                        message.method(), params == null ? null : Face.ofSubscription(asker.id, params)));
            }
        }
    }

    private final Receivers receivers;
    private final ConnectedClient client;
    private final McpServerAcpId server;

    /** Bounded by what is asked: the reports of a call are as many as its server makes of them. */
    private final LinkedBlockingQueue<Object> inbox = new LinkedBlockingQueue<>();

    /** Ids of requests are unique on the connection of the client. */
    private final String prefix = UUID.randomUUID() + "-";

    private final Map<RequestId, Call> calls = new ConcurrentHashMap<>();
    private volatile boolean closed;

    AcpTransport(Receivers receivers, ConnectedClient client, McpServerAcpId id) {
        this.receivers = receivers;
        this.client = client;
        this.server = id;
    }

    @Override
    public Reader reader() {
        return this;
    }

    @Override
    public Writer writer() {
        return this;
    }

    @Override
    public @Nullable Message read() throws InterruptedException {
        return !closed && inbox.take() instanceof Message message && !closed ? message : null;
    }

    @Override
    public void write(Message message) throws IOException {
        if (message.kind() == Message.Kind.REQUEST) {
            request(message, Objects.requireNonNull(message.id()));
        } else if (message.method().equals(McpCancellation.THEIRS)) {
            RawJson id = Members.of(message.params()).raw("requestId");
            Call cancelled = id == null ? null : calls.get(id.decode(RequestId.CODEC));
            if (cancelled != null) {
                cancelled.cancel();
            }
        }
    }

    private void request(Message message, RequestId id) {
        MessageMcpRequest request = MessageMcpRequest.builder(server, outer(id), message.method())
                .params(message.params())
                .build();
        receivers.open.put(new Receivers.Request(client, outer(id)), new Receivers.Asker(this, id));
        try {
            Call call = client.rpc()
                    .prepare(
                            ClientMethods.MESSAGE_MCP.name(),
                            request,
                            ClientMethods.MESSAGE_MCP.params(version(client)),
                            answered -> delivery(answered, id));
            calls.put(id, call);
            Call unused = call.send();
        } catch (RpcException | IllegalStateException e) {
            forget(id);
            inbox.add(Message.error(id, new RpcError(RpcError.INTERNAL_ERROR, String.valueOf(e.getMessage()))));
        }
    }

    private McpRequestId outer(RequestId id) {
        return McpRequestId.of(prefix + id);
    }

    private void forget(RequestId id) {
        calls.remove(id);
        receivers.open.remove(new Receivers.Request(client, outer(id)));
    }

    private static Version version(ConnectedClient client) {
        return client.protocolVersion() == Version.V2.number() ? Version.V2 : Version.V1;
    }

    /** The answer takes its place behind what was reported before it. */
    private Handler.Delivery delivery(Call call, RequestId id) {
        return () -> {
            forget(id);
            inbox.add(answer(call, id));
        };
    }

    private Message answer(Call call, RequestId id) {
        try {
            MessageMcpResponse response = call.result(ClientMethods.MESSAGE_MCP.result(version(client)));
            return switch (response) {
                case MessageMcpResponse.Result result -> Message.result(id, result.result());
                case MessageMcpResponse.Failure failure -> Message.error(id, error(failure.error()));
            };
        } catch (RpcError e) {
            // Of the connection, not of the server: it must not be read as an error of MCP.
            return Message.error(id, new RpcError(RpcError.INTERNAL_ERROR, e.message()));
        } catch (MalformedMessageException e) {
            return Message.error(
                    id,
                    new RpcError(
                            RunningCalls.SERVER_FAILED,
                            "the answer has neither a result nor an error of MCP: " + e.getMessage()));
        } catch (RpcException e) {
            return Message.error(id, new RpcError(RpcError.INTERNAL_ERROR, String.valueOf(e.getMessage())));
        }
    }

    static RpcError error(McpError error) {
        return new RpcError(error.code(), error.message(), error.data().applyTo(null));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        closed = true;
        calls.values().forEach(Call::cancel);
        receivers.open.values().removeIf(asker -> asker.transport.equals(this));
        inbox.add(END);
    }
}
