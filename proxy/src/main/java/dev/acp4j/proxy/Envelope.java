package dev.acp4j.proxy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import org.jspecify.annotations.Nullable;

/** The metadata of the envelopes in which one message comes here and goes on: each is for one hop. */
final class Envelope {
    private final Message message;
    private volatile @Nullable RawJson outgoing;

    Envelope(Message message) {
        this.message = message;
    }

    @Nullable
    RawJson incoming() {
        return message.envelopeMeta();
    }

    @Nullable
    RawJson outgoing() {
        return outgoing;
    }

    void outgoing(@Nullable RawJson value) {
        outgoing = value;
    }
}
