package dev.acp4j;

import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Message;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Version;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request in the words of one version of the protocol, and what its answer means in any.
 *
 * @param method the method
 * @param version the version
 * @param params what is asked
 * @param meaning from the answer of that version
 */
record Request<P, W, R>(Method<P, W> method, Version version, P params, Meaning<W, R> meaning) {
    /** From an answer to what it means. */
    @FunctionalInterface
    interface Meaning<W, R> {
        R of(W result, Message answer);
    }

    Request(Method<P, W> method, Version version, P params, Function<W, R> meaning) {
        this(method, version, params, (result, answer) -> meaning.apply(result));
    }

    Call prepare(Connection connection, Call.@Nullable Listener listener) {
        return connection.prepare(method.name(), params, method.params(version), listener);
    }

    /** Sends the request. Waits for room in the outgoing queue. */
    Call start(Connection connection, Call.@Nullable Listener listener) throws InterruptedException {
        return connection.start(method.name(), params, method.params(version), listener);
    }

    /** Sends the request to a peer; see {@link #start(Connection, Call.Listener)}. */
    Call start(Peer peer, Call.@Nullable Listener listener) throws InterruptedException {
        return peer.start(method.name(), params, method.params(version), listener);
    }

    /**
     * Returns what an answer means.
     *
     * @throws dev.acp4j.rpc.RpcException when there is no good answer
     */
    R result(Call answered) {
        W result = answered.result(method.result(version));
        return meaning.of(result, answered.answer().orElseThrow());
    }
}
