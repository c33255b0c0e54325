package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A connection whose peer is played by hand, closed after the test; prints the wire when that failed. */
final class Wired implements Handler, AfterTestExecutionCallback {
    /** Answers requests. */
    interface Answering {
        RawJson answer(IncomingRequest request) throws Exception;
    }

    /** Accepts requests. */
    interface Accepting {
        Task accept(IncomingRequest request) throws Exception;
    }

    /** Hears notifications. */
    interface Hearing {
        void hear(String method, @Nullable RawJson params) throws Exception;
    }

    final List<Problem> problems = Collections.synchronizedList(new ArrayList<>());
    private final MemoryTransport.Pair pair = MemoryTransport.pair();
    private final List<AutoCloseable> open = new ArrayList<>();

    volatile Answering answering = request -> RawJson.NULL;
    volatile Accepting accepting = request -> () -> answering.answer(request);
    volatile String answeredAtOnce = "";
    volatile Hearing hearing = (method, params) -> {};
    volatile Runnable onEnded = () -> {};

    RawPeer peer = new RawPeer(pair.right());

    Connection start() {
        return start(pair, Limits.STANDARD);
    }

    Connection start(Limits limits) {
        return start(pair, limits);
    }

    /** Starts a connection that can hand over one message at a time: the next waits until that was received. */
    Connection startNarrow(Limits limits) {
        return start(MemoryTransport.pair(1), limits);
    }

    private Connection start(MemoryTransport.Pair ends, Limits limits) {
        peer = new RawPeer(ends.right());
        open.add(peer);
        return start(ends.left(), limits);
    }

    /** Starts a connection to which the end of its input is a failure. */
    Connection startOverACable() {
        return start(cut(pair.left()), Limits.STANDARD);
    }

    Connection start(Transport transport, Limits limits) {
        Connection connection = Connection.builder(transport, this)
                .limits(limits)
                .onProblem(problems::add)
                .onEnded(() -> onEnded.run())
                .start();
        open.add(connection);
        return connection;
    }

    private static Transport cut(Transport transport) {
        return new Transport() {
            @Override
            public Transport.Reader reader() {
                return () -> {
                    Message message = transport.reader().read();
                    if (message == null) {
                        throw new IOException("cable cut");
                    }
                    return message;
                };
            }

            @Override
            public Transport.Writer writer() {
                return transport.writer();
            }

            @Override
            public void close() {
                transport.close();
            }
        };
    }

    /** Answers a call. */
    void answers(Call call, String result) throws IOException {
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":" + call.id() + ",\"result\":" + result + "}");
    }

    /** Asks something; what the peer said is not in the answer's way. */
    void asks(int id, String method, String params) throws IOException {
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    void notifies(String method, String params) throws IOException {
        peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    void cancels(int id) throws IOException {
        notifies("$/cancel_request", "{\"requestId\":" + id + "}");
    }

    static String result(int id, String result) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}";
    }

    @Override
    public @Nullable Acceptance request(IncomingRequest request) {
        if (request.method().equals(answeredAtOnce)) {
            request.answer(RawJson.string("at once"));
            return null;
        }
        return () -> accept(request);
    }

    private Task accept(IncomingRequest request) throws Exception {
        return accepting.accept(request);
    }

    @Override
    public @Nullable Delivery notification(Message message) {
        return () -> handle(message.method(), message.params());
    }

    private void handle(String method, @Nullable RawJson params) throws Exception {
        hearing.hear(method, params);
    }

    @Override
    public void afterTestExecution(ExtensionContext context) throws Exception {
        context.getExecutionException()
                .ifPresent(e -> e.addSuppressed(new AssertionError("the wire:\n" + peer.wire())));
        for (AutoCloseable closeable : open) {
            closeable.close();
        }
    }
}
