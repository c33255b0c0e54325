package dev.acp4j.cli.doctor;

import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Conductor;
import dev.acp4j.proxy.RunningChain;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A chain between a client and an agent that are both played here, in one version of the protocol; for use by one
 * thread.
 */
final class TestedChain implements AutoCloseable {
    private static final String CLIENT_1 =
            "{\"fs\":{\"readTextFile\":true,\"writeTextFile\":true},\"terminal\":true,\"elicitation\":{\"form\":{},\"url\":{}}}";
    private static final String CLIENT_2 = "{\"elicitation\":{\"form\":{},\"url\":{}}}";

    final Version version;
    final PlayedEnd client;
    final PlayedAgent agent;
    private final RunningChain chain;
    private final Duration patience;
    private final List<String> notices;

    /** The answer to the initialization; null before. */
    @Nullable
    RawJson initialized;

    private TestedChain(
            Version version,
            PlayedEnd client,
            PlayedAgent agent,
            RunningChain chain,
            Duration patience,
            List<String> notices) {
        this.version = version;
        this.client = client;
        this.agent = agent;
        this.chain = chain;
        this.patience = patience;
        this.notices = notices;
    }

    /**
     * Starts a chain.
     *
     * @param parts adds what is between the client and the agent
     * @param patience how long an answer may take
     */
    static TestedChain start(Consumer<Conductor.Builder> parts, Version version, Duration patience)
            throws IOException, InterruptedException {
        List<String> notices = new CopyOnWriteArrayList<>();
        MemoryTransport.Pair before = MemoryTransport.pair();
        MemoryTransport.Pair behind = MemoryTransport.pair();
        PlayedEnd client = new PlayedEnd(before.left());
        PlayedAgent agent = new PlayedAgent(behind.right(), version);
        Conductor.Builder conductor = Conductor.builder().agent(behind::left).onNotice(notices::add);
        parts.accept(conductor);
        RunningChain chain = conductor.build().start(before.right());
        client.start("client");
        agent.start("agent");
        return new TestedChain(version, client, agent, chain, patience, notices);
    }

    static RawJson clientOffers(Version version) {
        return RawJson.parse(version == Version.V2 ? CLIENT_2 : CLIENT_1);
    }

    Duration patience() {
        return patience;
    }

    /** Returns what was reported meanwhile. */
    List<String> notices() {
        return List.copyOf(notices);
    }

    /** Sends the first request; null when it is not answered in time. */
    @Nullable
    Message initialize() throws IOException, InterruptedException {
        String params = version == Version.V2
                ? "{\"protocolVersion\":2,\"info\":{\"name\":\"acp-doctor\",\"version\":\"1\"},\"capabilities\":"
                        + CLIENT_2 + ",\"own\":1.50}"
                : "{\"protocolVersion\":1,\"clientInfo\":{\"name\":\"acp-doctor\",\"version\":\"1\"},\"clientCapabilities\":"
                        + CLIENT_1 + ",\"own\":1.50}";
        Message answer = client.ask("initialize", params, patience);
        initialized = answer == null ? null : answer.result();
        return answer;
    }

    /** Opens a session; returns its id, or null when that fails. */
    @Nullable
    String openSession() throws IOException, InterruptedException {
        Message answer = client.ask("session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}", patience);
        return answer == null || answer.isError() ? null : answer.session();
    }

    /** Ends the input, waits until all programs have ended, and returns how long that took. */
    Duration end() {
        long begin = System.nanoTime();
        client.close();
        chain.close();
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    @Override
    public void close() {
        client.close();
        agent.close();
        chain.close();
    }
}
