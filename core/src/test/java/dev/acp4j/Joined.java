package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Agents and clients that are joined in memory, some by a translator, and closed after each test. */
final class Joined implements AfterEachCallback {
    static final Path HERE = Path.of("").toAbsolutePath();

    private final List<AutoCloseable> open = Collections.synchronizedList(new ArrayList<>());
    private final List<String> problems = Collections.synchronizedList(new ArrayList<>());

    static Agent.Builder agent(Agent.PromptHandler onPrompt) {
        return Agent.builder("test-agent", "1").onPrompt(onPrompt);
    }

    static Client.Builder client() {
        return Client.builder("test-client", "1");
    }

    ConnectedAgent join(Agent.Builder agent, Client.Builder client) throws InterruptedException {
        return join(agent.build(), client);
    }

    ConnectedAgent join(Agent agent, Client.Builder client) throws InterruptedException {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        open.add(agent.connect(pair.left()));
        ConnectedAgent connection = client.connect(pair.right());
        open.add(connection);
        return connection;
    }

    /** Joins a client of a version with an agent of the other. */
    ConnectedAgent translate(Agent.Builder agent, Client.Builder client, Version version) throws Exception {
        MemoryTransport.Pair inner = MemoryTransport.pair();
        Version other = version == Version.V1 ? Version.V2 : Version.V1;
        open.add(agent.protocol(other).build().connect(inner.left()));
        return translate(builder -> builder.build().connect(inner.right()), client, version);
    }

    /** Joins a client of a version with the agent of a connector. */
    ConnectedAgent translate(Translator.Connector connector, Client.Builder client, Version version) throws Exception {
        MemoryTransport.Pair outer = MemoryTransport.pair();
        FutureTask<Boolean> translating = RawAgent.started(() -> {
            Translator.serve(outer.left(), version, connector, problem -> problems.add(problem.detail()));
            return true;
        });
        open.add(translating::get);
        ConnectedAgent connected = client.protocol(version).connect(outer.right());
        open.add(connected);
        assertThat(connected.protocolVersion()).isEqualTo(version.number());
        return connected;
    }

    /** Joins a client of a version with an agent of the other that is played by hand. */
    Hand translateByHand(Client.Builder client, Version version) throws Exception {
        BlockingQueue<RawAgent> played = new LinkedBlockingQueue<>();
        ConnectedAgent connected = translate(
                builder -> {
                    RawAgent agent = RawAgent.of(version == Version.V1 ? Version.V2 : Version.V1, builder);
                    played.add(agent);
                    return agent.connected();
                },
                client,
                version);
        return new Hand(connected, played.take());
    }

    /** An agent that is played by hand, as a client knows it that a translator has joined to it. */
    record Hand(ConnectedAgent connected, RawAgent agent) {
        /** Opens the session {@code s}. */
        Session open() throws Exception {
            FutureTask<Session> opening = RawAgent.started(() -> connected.newSession(HERE));
            agent.answer("session/new", "{\"sessionId\":\"s\"}");
            return opening.get();
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        for (AutoCloseable closeable : List.copyOf(open).reversed()) {
            closeable.close();
        }
        assertThat(problems).as("what the translator survived").isEmpty();
    }
}
