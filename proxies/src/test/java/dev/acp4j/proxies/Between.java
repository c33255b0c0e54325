package dev.acp4j.proxies;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RunningProxy;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.testkit.ScriptedPeer;
import java.io.IOException;

/** A proxy between a client and an agent that the test plays, both initialized. */
final class Between implements AutoCloseable {
    final ScriptedPeer client;
    final ScriptedPeer agent;
    private final RunningProxy proxy;

    /** What the client was told of the agent. */
    final String initialized;

    private long ids;

    /**
     * Starts a proxy and initializes it.
     *
     * @param answer the agent's answer to {@code initialize}, without the version
     */
    Between(Proxy proxy, int version, String answer) throws IOException, InterruptedException {
        this(proxy, version, answer, false);
    }

    /** Starts a proxy that may change what the agent offers. */
    Between(Proxy proxy, int version, String answer, boolean isChanged) throws IOException, InterruptedException {
        MemoryTransport.Pair clientSide = MemoryTransport.pair();
        MemoryTransport.Pair agentSide = MemoryTransport.pair();
        this.client = new ScriptedPeer(clientSide.right());
        this.agent = new ScriptedPeer(agentSide.right());
        this.proxy = proxy.join(clientSide.left(), agentSide.left());
        String params = "{\"protocolVersion\":" + version + "}";
        String offered = "{\"protocolVersion\":" + version + answer + "}";
        client.request(++ids, "initialize", params);
        JsonObject there = agent.expect("initialize");
        agent.answer(there, offered);
        initialized = text(client.expectResult(ids));
        if (!params(there).equals(params)) {
            throw new AssertionError("initialize was changed: " + params(there));
        }
        if (!isChanged && !initialized.equals(offered)) {
            throw new AssertionError("the result was changed: " + initialized);
        }
    }

    /** The client asks, and the agent answers; returns the params as the agent got them. */
    String asked(String method, String params, String result) throws IOException, InterruptedException {
        long id = ++ids;
        client.request(id, method, params);
        JsonObject there = agent.expect(method);
        agent.answer(there, result);
        String got = text(client.expectResult(id));
        if (!got.equals(result)) {
            throw new AssertionError("the result was changed: " + got);
        }
        return params(there);
    }

    /** Opens the session s in a folder; returns the params as the agent got them. */
    String opened(String cwd) throws IOException, InterruptedException {
        return asked("session/new", "{\"cwd\":" + RawJson.string(cwd) + ",\"mcpServers\":[]}", "{\"sessionId\":\"s\"}");
    }

    /** Prompts the session s; returns the params as the agent got them. */
    String prompted(String text) throws IOException, InterruptedException {
        return asked("session/prompt", prompt(text), "{\"stopReason\":\"end_turn\"}");
    }

    static String prompt(String text) {
        return "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":" + RawJson.string(text) + "}]}";
    }

    /** The agent sends an update of the session s. */
    void update(String update) throws IOException {
        agent.notification("session/update", "{\"sessionId\":\"s\",\"update\":" + update + "}");
    }

    /** The agent says a message of the user, as in a replay. */
    void replay(String text) throws IOException {
        update("{\"sessionUpdate\":\"user_message_chunk\",\"content\":{\"type\":\"text\",\"text\":"
                + RawJson.string(text) + "}}");
    }

    /** Returns the params of the next message to the client. */
    String clientGets(String method) throws IOException, InterruptedException {
        return params(client.expect(method));
    }

    /** The agent asks, and what stands between it and the client answers; returns the answer. */
    String answered(String method, String params) throws IOException, InterruptedException {
        agent.request(++ids, method, params);
        return text(agent.expectResult(ids));
    }

    /** The agent asks, and the client answers; returns the answer as the agent got it. */
    String answeredByClient(String method, String params, String result) throws IOException, InterruptedException {
        agent.request(++ids, method, params);
        client.answer(client.expect(method), result);
        return text(agent.expectResult(ids));
    }

    static String params(JsonObject message) {
        return text(message.get("params").orElseThrow());
    }

    static String text(dev.acp4j.json.JsonValue value) {
        return RawJson.of(value).toString();
    }

    @Override
    public void close() {
        client.close();
        agent.close();
        proxy.close();
    }
}
