package dev.acp4j.proxy;

import dev.acp4j.json.Codec;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Exchange;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Unstable;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
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

    /** Sends the request on as one of another method. */
    interface As {
        Message forward(String method, RawJson params) throws Exception;
    }

    /** Runs a prompt of the proxy's own before this one. */
    interface First {
        StopReason prompt(List<ContentBlock> prompt, Proxy.NotificationInterceptor<SessionNotification> updates)
                throws Exception;
    }

    /** Null for a request of another proxy's own. */
    private final @Nullable Exchange exchange;

    private final Consumer<Runnable> afterAnswer;
    private final P came;
    private final Supplier<Codec<R>> codec;
    private final Onward<P> onward;
    private final As as;
    private final @Nullable First first;
    private final BooleanSupplier isHeldCancelled;

    RequestHop(
            Interceptions interceptions,
            Part part,
            Envelope envelope,
            Message request,
            @Nullable Exchange exchange,
            Consumer<Runnable> afterAnswer,
            P came,
            Supplier<Codec<R>> codec,
            Onward<P> onward,
            As as,
            @Nullable First first,
            BooleanSupplier isHeldCancelled) {
        super(interceptions, part, envelope, request);
        this.exchange = exchange;
        this.afterAnswer = afterAnswer;
        this.came = came;
        this.codec = codec;
        this.onward = onward;
        this.as = as;
        this.first = first;
        this.isHeldCancelled = isHeldCancelled;
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
     * Forwards the request as one of another method, and waits for the answer: proxies behind this one intercept it as
     * that. For an agent that has no such method, but another one from which the answer can be made.
     *
     * @return the answer, which may be an error
     * @throws Exception what the next interceptor throws, or what says that there will be no answer; let it through
     */
    public Answer<RawJson> forwardAs(String method, RawJson params) throws Exception {
        waiting(true);
        try {
            return new Answer<>(as.forward(method, params), RawJson.CODEC);
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
     * Lets the messages behind the request pass: when it is answered here, or waits, and that takes a while. After
     * {@link #forward}, lets those pass that the other side has said after its answer.
     */
    public void letOthersPass() {
        if (exchange != null) {
            exchange.letOthersPass();
        }
    }

    /**
     * Waits no longer for the answer: {@link #forward} throws an error in its place, with which the request is answered
     * if it is let through. Where the request went, it is cancelled; an answer that comes still is dropped. This one
     * may be called from any thread.
     *
     * @return false when no answer is waited for; and for a request of another proxy's own, which only that one ends
     */
    public boolean giveUp(RpcError error) {
        return exchange != null && exchange.giveUp(error);
    }

    /**
     * Does something when the answer is on its way to where the request came from, before what the other side has said
     * after it: for what has its place there, such as updates of a session that the answer opens.
     *
     * @param action must not wait for a message
     */
    public void afterAnswer(Runnable action) {
        afterAnswer.accept(action);
    }

    /**
     * From now on a cancellation of the request neither interrupts this interceptor nor goes to what it has forwarded;
     * {@code session/cancel} is not meant. The end of the connection interrupts it still.
     *
     * @return false when the request was cancelled before; and for a request of another proxy's own, whose thread this
     *     is
     */
    public boolean ignoreCancellation() {
        return exchange != null && exchange.ignoreCancellation();
    }

    /**
     * Returns whether the request was cancelled, or the connection that it came from has ended. A prompt is cancelled
     * by {@code session/cancel}, too, unless that went to the agent, whose turn ran.
     */
    public boolean isCancelled() {
        return isHeldCancelled.getAsBoolean() || (exchange != null && exchange.isCancelled());
    }
}
