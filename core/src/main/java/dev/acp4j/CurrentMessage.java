package dev.acp4j;

import dev.acp4j.schema.MessageId;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The message that one writer of a session is saying: the pieces for which the agent gives no id. It ends where a
 * client that knows no ids ends it: with a piece of another author, and with any update that adds something else to the
 * conversation. A change of a tool call adds nothing: here it does not part a sentence. Messages of two writers at once
 * are two messages.
 *
 * <p>Thread-safe, without a lock: a piece of the current message allocates nothing.
 */
final class CurrentMessage {
    /** @param steps how many steps the conversation had when the message began */
    private record Said(Entry.Message.Author author, MessageId id, long steps) {}

    private final AtomicReference<@Nullable Said> said = new AtomicReference<>();

    /** Returns the message of a piece without an id, which may begin with it. */
    MessageId of(Entry.Message.Author author, SessionWriter writer) {
        long steps = writer.steps();
        while (true) {
            Said now = said.get();
            if (now != null && now.author == author && now.steps == steps) {
                return now.id;
            }
            Said next = new Said(author, writer.session().nextMessageId(), steps);
            if (said.compareAndSet(now, next)) {
                return next.id;
            }
        }
    }

    /** The agent says a piece of a message to which it has given an id. */
    void end() {
        if (said.get() != null) {
            said.set(null);
        }
    }
}
