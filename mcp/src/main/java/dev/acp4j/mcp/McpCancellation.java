package dev.acp4j.mcp;

import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A transport of MCP as one of JSON-RPC connections of this library: the two have another notification by which a
 * request is cancelled, with the same member {@code requestId}.
 */
record McpCancellation(Transport transport) implements Transport, Transport.Reader, Transport.Writer {
    static final String OURS = "$/cancel_request";
    static final String THEIRS = "notifications/cancelled";

    @Override
    public Reader reader() {
        return this;
    }

    @Override
    public Writer writer() {
        return this;
    }

    @Override
    public @Nullable Message read() throws IOException, InterruptedException {
        Message message = transport.reader().read();
        return message != null && isNotification(message, THEIRS) ? renamed(message, OURS) : message;
    }

    @Override
    public boolean isReady() {
        return transport.reader().isReady();
    }

    @Override
    public void write(Message message) throws IOException {
        transport.writer().write(isNotification(message, OURS) ? renamed(message, THEIRS) : message);
    }

    private static boolean isNotification(Message message, String method) {
        return message.kind() == Message.Kind.NOTIFICATION && message.method().equals(method);
    }

    private static Message renamed(Message message, String method) {
        RawJson id = Members.of(message.params()).raw("requestId");
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("requestId");
        out.raw(Objects.requireNonNullElse(id, RawJson.NULL));
        out.endObject();
        return Message.notification(method, out.toRawJson());
    }

    @Override
    public void flush() throws IOException {
        transport.writer().flush();
    }

    @Override
    public IOException explain(IOException failure) {
        return transport.explain(failure);
    }

    @Override
    public Limits limits(Limits limits) {
        return transport.limits(limits);
    }

    @Override
    public boolean holdsCarrier() {
        return transport.holdsCarrier();
    }

    @Override
    public void close() {
        transport.close();
    }
}
