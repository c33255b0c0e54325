package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A chain between a client and an agent that a test plays, initialized. */
final class ChainOfPeers implements AutoCloseable {
    private static final String INITIALIZE = "{\"protocolVersion\":1,\"clientCapabilities\":{}}";
    private static final String INITIALIZED = "{\"protocolVersion\":1,\"agentCapabilities\":{}}";

    private final List<String> wire = Peer.newWire();
    private final LinkedBlockingQueue<String> notices = new LinkedBlockingQueue<>();
    final Peer client;
    final Peer agent;
    final RunningChain chain;

    private ChainOfPeers(
            Limits limits, ComponentLimits agentLimits, int queueBytes, Clock clock, Component... components)
            throws Exception {
        MemoryTransport.Pair clientSide = MemoryTransport.pair(queueBytes);
        MemoryTransport.Pair agentSide = MemoryTransport.pair(queueBytes);
        client = new Peer("client", clientSide.right(), wire);
        agent = new Peer("agent", agentSide.right(), wire);
        Conductor.Builder conductor = Conductor.builder()
                .agent(agentSide::left)
                .agentLimits(agentLimits)
                .limits(limits)
                .clock(clock)
                .onNotice(notices::add);
        for (Component component : components) {
            conductor.proxy(component);
        }
        chain = conductor.build().start(clientSide.left());
        client.request("0", "initialize", INITIALIZE);
        agent.answer(agent.receive(), INITIALIZED);
        assertThat(answer().result()).hasToString(INITIALIZED);
    }

    /** Returns the next answer to the client; what comes before it is no matter. */
    private Message answer() throws Exception {
        Message message = client.receive();
        while (!message.kind().isResponse()) {
            message = client.receive();
        }
        return message;
    }

    static ChainOfPeers of(Component... components) throws Exception {
        return withAgentLimits(ComponentLimits.NONE, components);
    }

    /** Returns a chain whose agent has limits. */
    static ChainOfPeers withAgentLimits(ComponentLimits limits, Component... components) throws Exception {
        return new ChainOfPeers(Limits.STANDARD, limits, 1 << 20, Clock.system(), components);
    }

    /** Returns a chain whose queues hold so many bytes each. */
    static ChainOfPeers withQueues(int bytes, Component... components) throws Exception {
        return withQueues(bytes, Clock.system(), components);
    }

    /** Returns a chain whose queues hold so many bytes each, with another clock. */
    static ChainOfPeers withQueues(int bytes, Clock clock, Component... components) throws Exception {
        return new ChainOfPeers(
                Limits.STANDARD.withQueueBytes(bytes, bytes), ComponentLimits.NONE, bytes, clock, components);
    }

    void openSession(String id) throws Exception {
        client.request("\"new\"", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        agent.answer(agent.receive(), "{\"sessionId\":\"" + id + "\"}");
        assertThat(client.receive().result()).hasToString("{\"sessionId\":\"" + id + "\"}");
    }

    /** Returns what was reported and not waited for. */
    List<String> notices() {
        return List.copyOf(notices);
    }

    /** Waits for a report with these words. */
    void awaitNotice(String words) throws InterruptedException {
        String notice;
        do {
            notice = notices.poll(60, TimeUnit.SECONDS);
            assertThat(notice).as("a report with: %s", words).isNotNull();
        } while (!String.valueOf(notice).contains(words));
    }

    @Override
    public void close() {
        client.close();
        agent.close();
        chain.close();
    }
}
