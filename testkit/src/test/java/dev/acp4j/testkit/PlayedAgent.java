package dev.acp4j.testkit;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.RawJson;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A client and an agent that the test plays by hand; a failing test prints the wire. */
final class PlayedAgent implements AfterTestExecutionCallback {
    static final Path HERE = Path.of("").toAbsolutePath();

    private final Transports ends = Transports.joined();
    private @Nullable ConnectedAgent connection;

    final ScriptedPeer peer = new ScriptedPeer(ends.agent());

    /** Connects a client to an agent with these capabilities. */
    ConnectedAgent connect(Client.Builder client, String capabilities) throws Exception {
        FutureTask<ConnectedAgent> connecting = start(() -> client.connect(ends.client()));
        peer.answer(peer.expect("initialize"), "{\"protocolVersion\":1,\"agentCapabilities\":" + capabilities + "}");
        ConnectedAgent agent = connecting.get();
        connection = agent;
        return agent;
    }

    ConnectedAgent connect() throws Exception {
        return connect(Client.builder("client", "1"), "{}");
    }

    ConnectedAgent agent() {
        return Objects.requireNonNull(connection, "not connected yet");
    }

    /** Opens the session {@code s}, which has this in its answer. */
    Session open(String more) throws Exception {
        FutureTask<Session> opening = start(() -> agent().newSession(SessionSetup.in(HERE)));
        peer.answer(peer.expect("session/new"), "{\"sessionId\":\"s\"" + more + "}");
        return opening.get();
    }

    /** Connects a client that needs nothing special and opens a session. */
    Session open() throws Exception {
        connect();
        return open("");
    }

    /** Calls what blocks until the test has answered it. */
    static <T> FutureTask<T> start(Callable<T> caller) {
        FutureTask<T> task = new FutureTask<>(caller);
        Thread.ofVirtual().start(task);
        return task;
    }

    /** Sends an update of the session {@code s}. */
    void update(String kind, String members) throws Exception {
        update("s", kind, members);
    }

    void update(String session, String kind, String members) throws Exception {
        peer.notification(
                "session/update",
                "{\"sessionId\":\"" + session + "\",\"update\":{\"sessionUpdate\":\"" + kind + "\"," + members + "}}");
    }

    void says(String text) throws Exception {
        update("agent_message_chunk", "\"content\":{\"type\":\"text\",\"text\":" + RawJson.string(text) + "}");
    }

    /** Returns when the client has handled everything that was sent before. */
    void settle() throws Exception {
        settle("s");
    }

    void settle(String session) throws Exception {
        peer.request(999, "_settle", "{\"sessionId\":\"" + session + "\"}");
        peer.expectError(999);
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        context.getExecutionException()
                .ifPresent(e -> e.addSuppressed(new AssertionError("the wire:\n" + peer.wire())));
        peer.close();
        if (connection != null) {
            connection.close();
        }
        ends.close();
    }
}
