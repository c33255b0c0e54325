package dev.acp4j.proxy.testkit;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RunningProxy;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.Unstable;
import dev.acp4j.testkit.ScriptedPeer;
import java.io.IOException;

/**
 * A proxy between a client and an agent that the test scripts, in memory: each side checks what it gets.
 *
 * <pre>{@code
 * try (TestedProxy tested = TestedProxy.of(BriefProxy.BRIEF)) {
 *     tested.initialize(1);
 *     String prompt = tested.asked("session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]}", "{\"stopReason\":\"end_turn\"}");
 *     assertThat(prompt).contains("Be brief.");
 * }
 * }</pre>
 *
 * <p>Several proxies are tested together as {@code first.then(second)}. For use by one thread.
 */
@Unstable
public final class TestedProxy implements AutoCloseable {
    private final ScriptedPeer client;
    private final ScriptedPeer agent;
    private final RunningProxy running;
    private long ids;

    private TestedProxy(Proxy proxy) {
        MemoryTransport.Pair clientSide = MemoryTransport.pair();
        MemoryTransport.Pair agentSide = MemoryTransport.pair();
        this.client = new ScriptedPeer(clientSide.right());
        this.agent = new ScriptedPeer(agentSide.right());
        this.running = proxy.join(clientSide.left(), agentSide.left());
    }

    /** Puts a proxy between a client and an agent, which have said nothing yet. */
    public static TestedProxy of(Proxy proxy) {
        return new TestedProxy(proxy);
    }

    /** Returns the client: it sends to the proxy, and expects what comes out of it. */
    public ScriptedPeer client() {
        return client;
    }

    /** Returns the agent: it expects what comes out of the proxy, and sends to it. */
    public ScriptedPeer agent() {
        return agent;
    }

    /**
     * Initializes a version of the protocol, without capabilities of either side.
     *
     * @param version the version
     * @throws AssertionError when the proxy refuses it
     * @throws IOException when the proxy has ended
     * @throws InterruptedException when interrupted
     */
    public void initialize(int version) throws IOException, InterruptedException {
        String info = version > 1 ? ",\"info\":{\"name\":\"test\",\"version\":\"1\"}" : "";
        String same = "{\"protocolVersion\":" + version + info + "}";
        String unused = asked("initialize", same, same);
    }

    /**
     * Has the client send a request and the agent answer it, and waits until the client has the answer. What the proxy
     * says besides must be expected before or after, by {@link #client} and {@link #agent}.
     *
     * @param method the method
     * @param params the params, as the client sends them
     * @param result the result, as the agent answers
     * @return the params, as the agent got them
     * @throws AssertionError when another message comes out, or an error
     * @throws IOException when the proxy has ended
     * @throws InterruptedException when interrupted
     */
    public String asked(String method, String params, String result) throws IOException, InterruptedException {
        return exchange(method, params, result).params();
    }

    /** What came out of a proxy: the params at the agent, and the result at the client. */
    public record Passed(String params, String result) {}

    /**
     * Does the same as {@link #asked}.
     *
     * @return what both sides got
     * @throws AssertionError when another message comes out, or an error
     * @throws IOException when the proxy has ended
     * @throws InterruptedException when interrupted
     */
    public Passed exchange(String method, String params, String result) throws IOException, InterruptedException {
        long id = ++ids;
        client.request(id, method, params);
        JsonObject there = agent.expect(method);
        agent.answer(there, result);
        JsonValue back = client.expectResult(id);
        return new Passed(
                there.get("params").map(value -> RawJson.of(value).toString()).orElse(""),
                RawJson.of(back).toString());
    }

    /** Returns what each side has sent ({@code -->}) and received ({@code <--}). */
    @Override
    public String toString() {
        return "client:\n" + client.wire() + "\nagent:\n" + agent.wire();
    }

    /** Closes both ends, and with them the proxy. */
    @Override
    public void close() {
        client.close();
        agent.close();
        running.close();
    }
}
