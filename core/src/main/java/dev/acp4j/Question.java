package dev.acp4j;

import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A question of a session that a user answers: to one client, and to the next when that one leaves; or to all of them,
 * of whom the first that answers wins. Used by the thread that asks.
 */
final class Question<R> {
    private final AgentSessionState state;
    private final @Nullable AgentTurn turn;
    private final @Nullable ConnectedClient only;
    private final boolean asksAll;
    private final @Nullable Feature needed;
    private final Function<AgentDialect, Request<?, ?, R>> wording;
    private final Predicate<R> decides;

    private final Map<ConnectedClient, Call> asked = new HashMap<>();
    private final Queue<Answer<R>> answered = new ConcurrentLinkedQueue<>();
    private int open;

    private @Nullable R refusal;
    private @Nullable RpcException failure;
    private @Nullable ConnectionClosedException closed;

    /** What a client has answered. */
    private record Answer<R>(Request<?, ?, R> request, Call call) {}

    /**
     * Makes a question.
     *
     * @param writer whose question it is
     * @param needed what a client must be able to do to answer, or null
     * @param wording how it is asked in the words of a client's version
     * @param decides whether an answer decides it, though other clients have not answered
     */
    Question(
            SessionWriter writer,
            @Nullable Feature needed,
            Function<AgentDialect, Request<?, ?, R>> wording,
            Predicate<R> decides) {
        AgentSession session = writer.session();
        Attachment opening = session.opening();
        this.state = session.state();
        this.turn = writer instanceof AgentTurn own ? own : null;
        this.only = opening == null || turn != null ? null : opening.client;
        this.asksAll = state.asksAllClients();
        this.needed = needed;
        this.wording = wording;
        this.decides = decides;
    }

    R ask() throws InterruptedException {
        if (only != null) {
            return ask(first(List.of(only)));
        }
        return asksAll ? askAll() : askOne();
    }

    private R askOne() throws InterruptedException {
        while (true) {
            ConnectedClient client = first(state.awaitClients(turn, closed));
            try {
                return ask(client);
            } catch (ConnectionClosedException e) {
                closed = e;
            }
        }
    }

    /** Returns the first client that can answer. */
    private ConnectedClient first(List<ConnectedClient> clients) {
        for (ConnectedClient client : clients) {
            if (canAnswer(client)) {
                return client;
            }
        }
        ConnectedClient asked = clients.getFirst();
        throw asked.unsupported(Objects.requireNonNull(needed), null);
    }

    private boolean canAnswer(ConnectedClient client) {
        return needed == null || client.supports(needed);
    }

    private R ask(ConnectedClient client) throws InterruptedException {
        state.awaitCaughtUp(client);
        return client.call(wording.apply(client.dialect()), Duration.ZERO, null);
    }

    // ---- all clients

    private R askAll() throws InterruptedException {
        try {
            R decision = null;
            while (decision == null) {
                askThoseWhoCame();
                Answer<R> answer = answered.poll();
                if (answer != null) {
                    open--;
                    decision = decision(answer);
                } else if (open > 0) {
                    state.await(() -> !answered.isEmpty() || hasSomebodyCome());
                } else if (refusal != null || failure != null) {
                    return refusal();
                } else {
                    // Those who were asked have left, or nobody was there.
                    ConnectedClient client = first(state.awaitClients(turn, closed));
                    if (!client.isOpen()) {
                        // Nobody will come, and the call says why.
                        return ask(client);
                    }
                }
            }
            return decision;
        } finally {
            // Does nothing to those that are answered.
            asked.values().forEach(Call::abandon);
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
            if (!asked.containsKey(client) && canAnswer(client)) {
                return true;
            }
        }
        return false;
    }

    private void askThoseWhoCame() {
        for (ConnectedClient client : state.clients(turn)) {
            if (!asked.containsKey(client) && canAnswer(client)) {
                begin(client);
            }
        }
    }

    private void begin(ConnectedClient client) {
        Request<?, ?, R> request = wording.apply(client.dialect());
        Call prepared = request.prepare(client.rpc(), arrived -> {
            answered.add(new Answer<>(request, arrived));
            state.signal();
            return null;
        });
        asked.put(client, prepared);
        try {
            prepared.send();
            open++;
        } catch (ConnectionClosedException e) {
            closed = e;
        } catch (IllegalStateException e) {
            // This client has too many requests already. The others are asked.
            failure = RpcError.ofPeer(prepared.method(), RpcError.INTERNAL_ERROR, String.valueOf(e.getMessage()), null);
        }
    }

    /** Returns the answer if it decides, else null. */
    private @Nullable R decision(Answer<R> given) {
        try {
            R answer = given.request().result(given.call());
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
