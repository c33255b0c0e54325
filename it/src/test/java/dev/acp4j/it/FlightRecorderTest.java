package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.testkit.Transports;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the JDK's flight recorder sees of a conversation. */
@Timeout(60)
class FlightRecorderTest {
    @TempDir
    Path folder;

    @Test
    @Tag("TRC-09")
    void connectionsRequestsCallsAndTurnsAreRecorded() throws Exception {
        Path file = folder.resolve("recording.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            converse();
            recording.stop();
            recording.dump(file);
        }

        List<String> seen = new ArrayList<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            String name = event.getEventType().getName();
            if (name.startsWith("dev.acp4j.")) {
                assertThat(event.getDuration("time")).isPositive();
                String detail = event.hasField("method")
                        ? event.getString("method")
                        : event.hasField("stopReason")
                                ? event.getString("side") + " " + event.getString("stopReason")
                                : "";
                seen.add((name.substring("dev.acp4j.".length()) + " " + detail).strip());
            }
        }
        assertThat(seen)
                .contains(
                        "ConnectionBegan",
                        "ConnectionEnded",
                        "RequestHandled initialize",
                        "CallEnded initialize",
                        "RequestHandled session/prompt",
                        "CallEnded session/prompt",
                        "TurnEnded agent end_turn",
                        "TurnEnded client end_turn");
        assertThat(seen).filteredOn(event -> event.startsWith("Connection")).hasSize(4);
    }

    @Test
    @Tag("TRC-09")
    void whatIsPassedOnIsRecordedByTheThreadThatReads() throws Exception {
        Path file = folder.resolve("relay.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            relay();
            recording.stop();
            recording.dump(file);
        }

        assertThat(RecordingFile.readAllEvents(file))
                .filteredOn(event -> event.getEventType().getName().equals("dev.acp4j.RequestHandled"))
                .singleElement()
                .satisfies(event -> assertThat(event.getThread().getJavaName()).isEqualTo("acp4j-agent-reader"));
    }

    /** Passes one request on, and its answer. */
    private static void relay() throws Exception {
        MemoryTransport.Pair client = MemoryTransport.pair();
        MemoryTransport.Pair agent = MemoryTransport.pair();
        Link link = new Link(Link.Interception.NONE);
        List<Connection> connections = Link.start(
                Connection.builder(client.left(), Link.handler(link.left())).name("client"),
                Connection.builder(agent.left(), Link.handler(link.right())).name("agent"));

        client.right().writer().write(Message.request(RequestId.of(1), "m", null));
        Message request = Objects.requireNonNull(agent.right().reader().read());
        RequestId there = Objects.requireNonNull(request.id());
        agent.right().writer().write(Message.result(there, RawJson.EMPTY_OBJECT));
        assertThat(client.right().reader().read()).hasToString("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");

        client.right().close();
        agent.right().close();
        connections.forEach(Connection::close);
        for (Connection connection : connections) {
            connection.awaitClosed();
        }
    }

    private void converse() throws Exception {
        Agent agent = Agent.builder("agent", "1")
                .onPrompt(turn -> turn.message("hello"))
                .build();
        try (Transports ends = Transports.joined();
                var served = agent.connect(ends.agent());
                var client = Client.builder("client", "1").connect(ends.client())) {
            assertThat(client.newSession(folder).prompt("go").text()).isEqualTo("hello");
            assertThat(served.isOpen()).isTrue();
        }
    }
}
