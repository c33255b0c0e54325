package dev.acp4j.rpc;

import org.jspecify.annotations.Nullable;

/**
 * What is remembered of a message for failure reports: nothing of its params.
 *
 * @param sent true when we sent it, false when the peer did
 * @param method the method, or null for an answer or for what was not a message
 * @param id the request's id, or null for a notification
 * @param bytes the size of the message
 */
public record RecentFrame(
        boolean sent, @Nullable String method, @Nullable RequestId id, int bytes) {
    /** Returns for example {@code --> session/prompt 3 (218 bytes)}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(sent ? "--> " : "<-- ");
        text.append(method != null ? method : id != null ? "answer" : "not a message");
        if (id != null) {
            text.append(' ').append(id);
        }
        return text.append(" (").append(bytes).append(" bytes)").toString();
    }
}
