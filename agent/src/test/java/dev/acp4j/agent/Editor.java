package dev.acp4j.agent;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** A client joined to an agent in this process: what an editor is to the agent. */
final class Editor implements AutoCloseable {
    private final List<PermissionQuestion> asked = new CopyOnWriteArrayList<>();
    private final List<SessionEvent> events = new CopyOnWriteArrayList<>();
    private final ConnectedClient agentSide;
    private final ConnectedAgent agent;
    private volatile Client.PermissionHandler policy = PermissionQuestion::allowOnce;

    private Editor(Agent agent, UnaryOperator<Client.Builder> more) throws InterruptedException {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        this.agentSide = agent.connect(pair.left());
        Client.Builder client = Client.builder("editor", "1.0")
                .onPermission(request -> {
                    asked.add(request);
                    return policy.decide(request);
                })
                .onEvent((session, event) -> events.add(event));
        this.agent = more.apply(client).connect(pair.right());
    }

    static Editor of(Agent agent) throws InterruptedException {
        return new Editor(agent, client -> client);
    }

    static Editor of(Agent agent, UnaryOperator<Client.Builder> more) throws InterruptedException {
        return new Editor(agent, more);
    }

    ConnectedAgent agent() {
        return agent;
    }

    Session open(Path cwd) throws InterruptedException {
        return agent.newSession(cwd);
    }

    void policy(Client.PermissionHandler newPolicy) {
        policy = newPolicy;
    }

    /** What the agent asked permission for, in order. */
    List<PermissionQuestion> asked() {
        return asked;
    }

    List<SessionEvent> events() {
        return events;
    }

    /** The tool calls of a kind. */
    static List<Entry.ToolCall> calls(Session session, ToolKind kind) {
        return session.view().toolCalls().stream()
                .filter(call -> call.kind().equals(kind))
                .toList();
    }

    @Override
    public void close() {
        agent.close();
        agentSide.close();
    }
}
