package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import org.jspecify.annotations.Nullable;

/** A handler in two lambdas. */
final class Played implements Handler {
    /** Answers requests. */
    interface Answering {
        RawJson answer(String method) throws Exception;
    }

    /** Hears notifications. */
    interface Hearing {
        void hear(String method, String params) throws Exception;
    }

    private final Answering answering;
    private final Hearing hearing;

    Played(Answering answering, Hearing hearing) {
        this.answering = answering;
        this.hearing = hearing;
    }

    static Played silent() {
        return new Played(method -> RawJson.NULL, (method, params) -> {});
    }

    @Override
    public Acceptance request(IncomingRequest request) {
        return () -> accept(request);
    }

    private Task accept(IncomingRequest request) {
        return () -> answering.answer(request.method());
    }

    @Override
    public Delivery notification(Message message) {
        return () -> handle(message.method(), message.params());
    }

    private void handle(String method, @Nullable RawJson params) throws Exception {
        hearing.hear(method, String.valueOf(params));
    }
}
