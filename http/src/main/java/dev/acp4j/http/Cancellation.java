package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * What a message of the client cancels. Cancellations pass what waits to be sent, but not what they cancel.
 *
 * @param isOfTurn whether it is the turn of a session, and not a request
 * @param session the session
 * @param request the id of the request; null when the message names none
 */
record Cancellation(
        boolean isOfTurn, String session, @Nullable RawJson request) {
    /** Returns what a message cancels; null when it is no cancellation. */
    static @Nullable Cancellation of(Message message) {
        return switch (message.method()) {
            case "session/cancel" -> new Cancellation(true, message.session(), null);
            case "$/cancel_request" ->
                new Cancellation(false, message.session(), Raw.member(message.params(), "requestId"));
            default -> null;
        };
    }

    /** Returns whether it is this message that is cancelled. */
    boolean isOf(Message message) {
        if (isOfTurn) {
            return message.method().equals("session/prompt")
                    && message.session().equals(session);
        }
        RequestId id = message.id();
        return message.kind() == Message.Kind.REQUEST && id != null && id.json().equals(request);
    }
}
