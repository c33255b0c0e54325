package dev.acp4j.proxy;

import dev.acp4j.json.Codec;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Exchange;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.schema.Unstable;

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

    private final Exchange exchange;
    private final P came;
    private final Codec<R> codec;
    private final Onward<P> onward;

    RequestHop(Interceptions interceptions, Exchange exchange, P came, Codec<R> codec, Onward<P> onward) {
        super(interceptions, exchange.request().method(), exchange.request().session());
        this.exchange = exchange;
        this.came = came;
        this.codec = codec;
        this.onward = onward;
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
        return new Answer<>(onward.forward(params), codec);
    }

    /** Returns an answer that does not come from the other side. */
    public Answer<R> answer(R result) {
        return new Answer<>(Message.result(RequestId.NULL, RawJson.encode(result, codec)), codec);
    }

    /**
     * Lets the messages behind the request pass: when it is answered here, and that takes a while. Does nothing after
     * {@link #forward}.
     */
    public void letOthersPass() {
        exchange.letOthersPass();
    }

    /** Returns whether the request was cancelled, or the connection that it came from has ended. */
    public boolean isCancelled() {
        return exchange.isCancelled();
    }
}
