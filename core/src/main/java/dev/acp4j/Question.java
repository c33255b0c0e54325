package dev.acp4j;

import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.Method;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A question of a session that a user answers: to one client, and to the next when that one leaves; or to all of them,
 * of whom the first that answers wins. Used by the thread that asks.
 */
final class Question<P, R> {
    private final AgentSessionState state;
    private final @Nullable AgentTurn turn;
    private final @Nullable ConnectedClient only;
    private final boolean asksAll;
    private final Method<P, R> method;
    private final P params;
    private final Predicate<R> decides;

    private final Map<ConnectedClient, Call> asked = new HashMap<>();
    private final Queue<Call> answered = new ConcurrentLinkedQueue<>();
    private int open;

    private @Nullable R refusal;
    private @Nullable RpcException failure;
    private @Nullable ConnectionClosedException closed;

    /**
     * Makes a question.
     *
     * @param writer whose question it is
     * @param decides whether an answer decides it, though other clients have not answered
     */
    Question(SessionWriter writer, Method<P, R> method, P params, Predicate<R> decides) {
        AgentSession session = writer.session();
        Attachment opening = session.opening();
        this.state = session.state();
        this.turn = writer instanceof AgentTurn own ? own : null;
        this.only = opening == null || turn != null ? null : opening.client;
        this.asksAll = state.asksAllClients();
        this.method = method;
        this.params = params;
        this.decides = decides;
    }

    R ask() throws InterruptedException {
        if (only != null) {
            return first(List.of(only)).call(method, params, Duration.ZERO);
        }
        return asksAll ? askAll() : askOne();
    }

    private R askOne() throws InterruptedException {
        while (true) {
            ConnectedClient client = first(state.awaitClients(turn, closed));
            try {
                return client.call(method, params, Duration.ZERO);
            } catch (ConnectionClosedException e) {
                closed = e;
            }
        }
    }

    /** Returns the first client that can answer. */
    private ConnectedClient first(List<ConnectedClient> clients) {
        for (ConnectedClient client : clients) {
            if (client.canAnswer(params)) {
                return client;
            }
        }
        throw new IllegalStateException("the client does not offer this kind of elicitation");
    }

    // ---- all clients

    private R askAll() throws InterruptedException {
        try {
            R decision = null;
            while (decision == null) {
                askThoseWhoCame();
                Call call = answered.poll();
                if (call != null) {
                    open--;
                    decision = decision(call);
                } else if (open > 0) {
                    state.await(() -> !answered.isEmpty() || hasSomebodyCome());
                } else if (refusal != null || failure != null) {
                    return refusal();
                } else {
                    // Those who were asked have left, or nobody was there.
                    ConnectedClient client = first(state.awaitClients(turn, closed));
                    if (!client.isOpen()) {
                        // Nobody will come, and the call says why.
                        return client.call(method, params, Duration.ZERO);
                    }
                }
            }
            return decision;
        } finally {
            // Does nothing to those that are answered.
            asked.values().forEach(Call::cancel);
        }
    }

    private R refusal() {
        R given = refusal;
        if (given != null) {
            return given;
        }
        throw failure != null ? failure : new IllegalStateException();
    }

    private boolean hasSomebodyCome() {
        for (ConnectedClient client : state.clients(turn)) {
            if (!asked.containsKey(client) && client.canAnswer(params)) {
                return true;
            }
        }
        return false;
    }

    private void askThoseWhoCame() {
        for (ConnectedClient client : state.clients(turn)) {
            if (!asked.containsKey(client) && client.canAnswer(params)) {
                begin(client);
            }
        }
    }

    private void begin(ConnectedClient client) {
        Call prepared = client.rpc().prepare(method.name(), params, method.params(), arrived -> {
            answered.add(arrived);
            state.signal();
            return null;
        });
        asked.put(client, prepared);
        try {
            prepared.send();
            open++;
        } catch (ConnectionClosedException e) {
            closed = e;
        }
    }

    /** Returns the answer if it decides, else null. */
    private @Nullable R decision(Call call) throws InterruptedException {
        try {
            R answer = call.await(method.result(), Duration.ZERO);
            if (decides.test(answer)) {
                return answer;
            }
            refusal = answer;
        } catch (ConnectionClosedException e) {
            closed = e;
        } catch (RpcException e) {
            failure = e;
        }
        return null;
    }
}
