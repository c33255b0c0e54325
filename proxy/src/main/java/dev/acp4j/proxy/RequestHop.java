package dev.acp4j.proxy;

import dev.acp4j.json.Codec;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Exchange;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Unstable;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request on its way.
 *
 * @param <P> the params
 * @param <R> the result
 */
@Unstable
public final class RequestHop<P, R> extends Hop {
    /** Sends the request on. */
    interface Onward<P> {
        Message forward(P params) throws Exception;
    }

    /** Runs a prompt of the proxy's own before this one. */
    interface First {
        StopReason prompt(List<ContentBlock> prompt, Proxy.NotificationInterceptor<SessionNotification> updates)
                throws Exception;
    }

    /** Null for a request of a proxy's own. */
    private final @Nullable Exchange exchange;

    private final P came;
    private final Supplier<Codec<R>> codec;
    private final Onward<P> onward;
    private final @Nullable First first;

    RequestHop(
            Interceptions interceptions,
            Entry entry,
            Message request,
            @Nullable Exchange exchange,
            P came,
            Supplier<Codec<R>> codec,
            Onward<P> onward,
            @Nullable First first) {
        super(interceptions, entry, request);
        this.exchange = exchange;
        this.came = came;
        this.codec = codec;
        this.onward = onward;
        this.first = first;
    }

    /**
     * Forwards the request as it came and waits for the answer, however long that takes.
     *
     * @return the answer, which may be an error
     * @throws Exception what the next interceptor throws, or what says that there will be no answer; let it through
     */
    public Answer<R> forward() throws Exception {
        return forward(came);
    }

    /**
     * Forwards the request with other params, and waits for the answer: members that they do not change keep their
     * bytes. May be called more than once.
     *
     * @return the answer, which may be an error
     * @throws Exception what the next interceptor throws, or what says that there will be no answer; let it through
     */
    public Answer<R> forward(P params) throws Exception {
        waiting(true);
        try {
            return new Answer<>(onward.forward(params), codec.get());
        } finally {
            waiting(false);
        }
    }

    /**
     * Runs a prompt of the proxy's own in the session, while this one of the client waits; returns at the end of its
     * turn. Forward the client's prompt then. Only before that, and only for prompts.
     *
     * <pre>{@code
     * hop.promptFirst(List.of(ContentBlock.text("You are a sceptical reviewer.")), (update, shown) -> shown.forward());
     * return hop.forward();
     * }</pre>
     *
     * <p>The client never sees the prompt and its answer, nor in version 2 the states of its turn. Questions of the
     * turn reach the client, and so do updates of the session as a whole: its commands, modes, options, title and use.
     * If the client cancels, the agent is asked to cancel this turn; when it has ended, this throws, and the client's
     * prompt is answered as cancelled and never forwarded.
     *
     * @param prompt what to say; must not be empty
     * @param updates gets the other updates of the turn: it forwards those that the client is to see
     * @return why the turn ended
     * @throws dev.acp4j.rpc.RpcException when the agent answers with an error, or does not answer; to go on without
     *     this prompt, catch it
     * @throws java.util.concurrent.CancellationException when the client has cancelled its prompt; let it through
     * @throws InterruptedException when {@code $/cancel_request} has cancelled it; let it through
     * @throws IllegalStateException when this is no prompt, or was forwarded
     * @throws Exception what another interceptor of the prompt throws; let it through
     */
    public StopReason promptFirst(List<ContentBlock> prompt, Proxy.NotificationInterceptor<SessionNotification> updates)
            throws Exception {
        if (first == null) {
            throw new IllegalStateException(method() + " is no prompt of the client");
        }
        waiting(true);
        try {
            return first.prompt(prompt, updates);
        } finally {
            waiting(false);
        }
    }

    /** Returns an answer that does not come from the other side. */
    public Answer<R> answer(R result) {
        return new Answer<>(Message.result(RequestId.NULL, RawJson.encode(result, codec.get())), codec.get());
    }

    /**
     * Lets the messages behind the request pass: when it is answered here, and that takes a while. Does nothing after
     * {@link #forward}.
     */
    public void letOthersPass() {
        if (exchange != null) {
            exchange.letOthersPass();
        }
    }

    /**
     * From now on a cancellation of the request neither interrupts this interceptor nor goes to what it has forwarded;
     * {@code session/cancel} is not meant. The end of the connection interrupts it still.
     *
     * @return false when the request was cancelled before
     */
    public boolean ignoreCancellation() {
        return exchange != null && exchange.ignoreCancellation();
    }

    /** Returns whether the request was cancelled, or the connection that it came from has ended. */
    public boolean isCancelled() {
        return exchange != null && exchange.isCancelled();
    }
}
