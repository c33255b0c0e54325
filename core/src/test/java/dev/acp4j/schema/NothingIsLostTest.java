package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.TraceFile;
import dev.acp4j.trace.Tracer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every definition of version 1, with members at every level that nobody knows, on its way: from an agent through a
 * proxy to a client, which decodes it and answers with it, and back; and in a recording of all that.
 */
@Timeout(60)
class NothingIsLostTest {
    private static final String METHOD = "_carry/";

    private static List<SchemaCase> carried() {
        return SchemaParityTest.objects()
                .filter(one -> one.version() == Version.V1)
                .toList();
    }

    /** Passes on everything, and answers with what the other side answers. */
    private static final class Proxy implements Handler {
        private final CompletableFuture<Connection> other = new CompletableFuture<>();

        @Override
        public Acceptance request(IncomingRequest request) {
            RawJson params = request.takeParams();
            return () -> () -> other.get().call(request.method(), params);
        }

        @Override
        public Delivery notification(Message message) {
            return () -> other.get().send(message.method(), message.params());
        }
    }

    @Test
    void membersThatNobodyKnowsPassAClientAProxyAndARecording(@TempDir Path folder) throws Exception {
        List<SchemaCase> cases = carried();
        assertThat(cases).hasSizeGreaterThan(150);
        List<JsonNode> decoded = Collections.synchronizedList(new ArrayList<>());
        Client.Builder client = Client.builder("client", "1");
        for (int i = 0; i < cases.size(); i++) {
            client.on(method(i, cases.get(i)), (agent, value) -> value);
            client.onNotification(
                    notification(i, cases.get(i)),
                    (agent, value) -> decoded.add(SchemaCase.tree(
                            RawJson.encode(value, cases.get(decoded.size()).codec()))));
        }
        Path file = folder.resolve("carried.trace.jsonl");
        MemoryTransport.Pair left = MemoryTransport.pair();
        MemoryTransport.Pair right = MemoryTransport.pair();
        Proxy towardsClient = new Proxy();
        Proxy towardsAgent = new Proxy();
        try (TraceFile trace = TraceFile.create(file, "carried")) {
            Transport traced = new Tracer(trace, Redaction.NONE, Time.SYSTEM).watch(right.right(), "client", "proxy");
            try (Connection ofAgent =
                            Connection.builder(left.right(), towardsClient).start();
                    Connection ofClient =
                            Connection.builder(right.left(), towardsAgent).start()) {
                towardsClient.other.complete(ofClient);
                towardsAgent.other.complete(ofAgent);
                Connection agent =
                        Connection.builder(left.left(), new Answering()).start();
                try (ConnectedAgent connected = client.connect(traced)) {
                    for (int i = 0; i < cases.size(); i++) {
                        JsonNode sent = cases.get(i).fullWithUnknownMembers();
                        RawJson params = RawJson.parse(sent.toString());

                        agent.send(METHOD + "told/" + i, params);
                        RawJson answer = agent.call(METHOD + i, params);

                        assertThat(SchemaCase.tree(answer))
                                .as(cases.get(i).toString())
                                .isEqualTo(sent);
                    }
                    assertThat(connected.isOpen()).isTrue();
                }
                agent.close();
            }
        }

        List<JsonNode> all =
                cases.stream().map(SchemaCase::fullWithUnknownMembers).toList();
        assertThat(decoded).isEqualTo(all);
        List<TraceEvent> events = TraceFile.read(file);
        assertThat(bodies(events, TraceEvent.Type.NOTIFICATION)).isEqualTo(all);
        assertThat(bodies(events, TraceEvent.Type.REQUEST)).isEqualTo(all);
        assertThat(bodies(events, TraceEvent.Type.RESULT)).isEqualTo(all);
    }

    private static Method<Object, Object> method(int index, SchemaCase one) {
        return Method.request(METHOD + index, Method.Side.CLIENT, one.codec(), one.codec());
    }

    private static Method<Object, Void> notification(int index, SchemaCase one) {
        return Method.notification(METHOD + "told/" + index, Method.Side.CLIENT, one.codec());
    }

    private static List<JsonNode> bodies(List<TraceEvent> events, TraceEvent.Type type) {
        return events.stream()
                .filter(event -> event.type() == type)
                .filter(event -> String.valueOf(event.method()).startsWith(METHOD))
                .map(event -> SchemaCase.tree(Objects.requireNonNull(event.body())))
                .toList();
    }

    /** An agent that answers {@code initialize}. */
    private static final class Answering implements Handler {
        @Override
        public Acceptance request(IncomingRequest request) {
            return () -> () -> RawJson.parse("{\"protocolVersion\":1}");
        }

        @Override
        public Delivery notification(Message message) {
            return () -> {};
        }
    }
}
