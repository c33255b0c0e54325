package dev.acp4j.http.gateway;

import dev.acp4j.http.Principal;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Transport;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** An agent's process, and the link between it and its clients. Either side that ends, ends the other. */
final class HostedAgent {
    private static final int LAST_LINES = 5;

    /**
     * So much of what clients say waits for the pipe to the agent; the rest waits where it came in. An agent that reads
     * only when what it writes is read makes a circle with a client that reads slowly: four times this is queued then
     * before a message is refused, which has room for prompts with images.
     */
    private static final long QUEUED_BYTES = 4 * 1024 * 1024;

    /** In such a circle a client gets more time than after which it ends for taking nothing. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final Limits TO_CLIENTS = Limits.STANDARD.withBarrierPatience(PATIENCE);

    private static final Limits TO_AGENT =
            TO_CLIENTS.withQueueBytes(TO_CLIENTS.laneBytes(), Math.min(QUEUED_BYTES, TO_CLIENTS.outboxBytes()));

    /** Takes part in its end. */
    interface Owner {
        /** A turn has ended. */
        void turnEnded(HostedAgent agent, Duration time, boolean failed);

        /** Both sides have ended. */
        void ended(HostedAgent agent, String reason);
    }

    private final Principal principal;
    private final LaunchedProcess process;
    private final HostRules rules;
    private final Owner owner;
    private final List<Connection> connections;
    private final ProcessorUse processors;

    /** Why it ends, as the first knew who ended it. */
    private final AtomicReference<@Nullable String> reason = new AtomicReference<>();

    private volatile boolean ended;

    HostedAgent(Principal principal, LaunchedProcess process, Transport clients, HostRules rules, Owner owner) {
        this.principal = principal;
        this.process = process;
        this.rules = rules;
        this.owner = owner;
        this.processors = new ProcessorUse(process.pid());
        Link link = new Link(rules);
        rules.clientsAt(link.left());
        Connection.Builder toClients = Connection.builder(
                        clients, Link.handler(link.left()).onEnding(ending -> because("client_left")))
                .name("acp4j-gateway-client-" + process.pid())
                .limits(clients.limits(TO_CLIENTS))
                .answerNoise(false)
                .onEnded(() -> {
                    because("client_left");
                    closeLater(link.right());
                });
        Connection.Builder toAgent = Connection.builder(
                        process.transport(), Link.handler(link.right()).onEnding(ending -> because("died")))
                .name("acp4j-gateway-agent-" + process.pid())
                .limits(TO_AGENT)
                .answerNoise(false)
                .listener(new Turns())
                .onEnded(() -> {
                    because("died");
                    ended = true;
                    closeLater(link.left());
                    owner.ended(this, String.valueOf(reason.get()));
                });
        connections = Link.start(toClients, toAgent);
    }

    Principal principal() {
        return principal;
    }

    boolean hasEnded() {
        return ended;
    }

    long pid() {
        return process.pid();
    }

    /** Returns whether its processes have worked since this was asked last. For one thread. */
    boolean wasWork() {
        return processors.wasWork();
    }

    /** Returns the sessions that are open. */
    Set<String> openSessions() {
        return rules.openSessions();
    }

    /** A session that the agent closes counts no more. */
    void forget(String session) {
        rules.forget(session);
    }

    /** Asks the agent itself. Blocks until it answers. */
    void call(String method, RawJson params) throws InterruptedException {
        RawJson unused = connections.getLast().call(method, params);
    }

    /** Returns how the process exited; empty while it runs. */
    String exit() {
        return process.exit().map(Object::toString).orElse("");
    }

    /** Says why the agent ends, unless that is known. */
    void because(String why) {
        var unused = reason.compareAndSet(null, why);
    }

    /** Ends the agent. Blocks until it has ended, for a bounded time. */
    void close(String why) {
        because(why);
        connections.forEach(Connection::close);
    }

    /** Not on the thread of the connection that ends: each would wait for the other. */
    private static void closeLater(Link.End end) {
        Connection other = end.channel().connection();
        Thread unused =
                Thread.ofPlatform().daemon().name("acp4j-gateway-closing").start(other::close);
    }

    /**
     * Returns what a client is answered when the agent has ended: how, and its last lines. Neither its command line nor
     * its environment, and no secret of that.
     */
    static RpcError ended(LaunchedProcess process) {
        String exit = process.exit().map(Object::toString).orElse("");
        return failed(
                "The agent has ended" + (exit.isEmpty() ? "" : " with " + exit),
                "running",
                process.stderr().lines().toList());
    }

    /** Returns the error for an agent that does not run. */
    static RpcError failed(String message, String phase, List<String> lines) {
        Map<String, JsonValue> data = new LinkedHashMap<>();
        data.put("reason", JsonString.of("agent_unavailable"));
        data.put("phase", JsonString.of(phase));
        List<String> last = lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size());
        data.put("stderr", JsonArray.of(last.stream().map(JsonString::of).toArray(JsonValue[]::new)));
        String shown = last.isEmpty() ? message : message + "; its last line was: " + last.getLast();
        return new RpcError(RpcError.INTERNAL_ERROR, shown, RawJson.of(JsonObject.of(data)));
    }

    /** Reports turns. */
    private final class Turns implements Connection.Listener {
        @Override
        public void called(Connection connection, String method, Duration time, @Nullable RpcException failure) {
            if (method.equals("session/prompt")) {
                owner.turnEnded(HostedAgent.this, time, failure != null);
            }
        }
    }
}
