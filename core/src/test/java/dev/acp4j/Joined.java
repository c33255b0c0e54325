package dev.acp4j;

import dev.acp4j.rpc.MemoryTransport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Agents and clients that are joined in memory, and closed after each test. */
final class Joined implements AfterEachCallback {
    static final Path HERE = Path.of("").toAbsolutePath();

    private final List<AutoCloseable> open = Collections.synchronizedList(new ArrayList<>());

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

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        for (AutoCloseable closeable : open) {
            closeable.close();
        }
    }
}
