package dev.acp4j.proxy;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Unstable;

/**
 * The answer to a request: a result or an error, as it came. It is decoded only when it is asked for. Immutable.
 *
 * @param <R> the result
 */
@Unstable
public final class Answer<R> {
    private final Message message;
    private final Codec<R> codec;

    Answer(Message message, Codec<R> codec) {
        this.message = message;
        this.codec = codec;
    }

    /** Returns whether the request failed. */
    public boolean isError() {
        return message.isError();
    }

    /**
     * Returns the result.
     *
     * @throws RpcError when the request failed: with that error, and as answer of one's own
     */
    public R result() {
        RawJson result = message.result();
        if (result == null) {
            throw error();
        }
        try {
            return result.decode(codec, "result");
        } catch (JsonException e) {
            if (result.equals(RawJson.NULL)) {
                return RawJson.EMPTY_OBJECT.decode(codec, "result");
            }
            throw e;
        }
    }

    /**
     * Returns the error.
     *
     * @throws IllegalStateException when the request did not fail
     */
    public RpcError error() {
        RawJson error = message.error();
        if (error == null) {
            throw new IllegalStateException("the answer is a result");
        }
        return RpcError.ofAnswer(error);
    }

    /**
     * Returns this answer with another result: members that it does not change keep their bytes.
     *
     * @throws IllegalStateException when the request failed
     */
    public Answer<R> with(R changed) {
        RawJson came = message.result();
        if (came == null) {
            throw new IllegalStateException("an error has no result to change");
        }
        return new Answer<>(message.withResult(Merge.changed(came, result(), changed, codec)), codec);
    }

    /** Returns the answer as it stands. */
    public Message raw() {
        return message;
    }
}
