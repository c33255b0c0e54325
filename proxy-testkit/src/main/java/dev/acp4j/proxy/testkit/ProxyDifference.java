package dev.acp4j.proxy.testkit;

import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.Unstable;
import dev.acp4j.trace.TraceEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The difference that a proxy makes to a recorded conversation: the recording is played through it, the client's
 * messages from one side and the agent's from the other, and what comes out is compared with what was recorded.
 *
 * <pre>{@code
 * ProxyDifference difference = ProxyDifference.of(BriefProxy.BRIEF, TraceFile.read(file));
 * System.out.println(difference);
 * }</pre>
 *
 * prints
 *
 * <pre>
 * session/prompt, to the agent
 * - {"sessionId":"s","prompt":[{"type":"text","text":"Hello"}]}
 * + {"sessionId":"s","prompt":[{"type":"text","text":"Hello"},{"type":"text","text":"Be brief."}]}
 * 1 of 6 messages differ
 * </pre>
 *
 * <p>A request of the proxy's own, which no recording has an answer to, is answered with <em>method not found</em>. An
 * answer that the proxy gives by itself is compared with the recorded one, which is then not sent. Times are not
 * played: each message is sent when the one before it has come through, was answered, or was dropped.
 */
@Unstable
public final class ProxyDifference {
    /** Where a message goes. */
    public enum Side {
        /** To the client. */
        CLIENT,
        /** To the agent. */
        AGENT
    }

    /**
     * One message that differs.
     *
     * @param to where it goes
     * @param method its method, or that of the request that it answers
     * @param recorded the params, the result or the error that was recorded; null for a message that is added
     * @param now what came out; null for a message that is dropped
     */
    public record Change(
            Side to,
            String method,
            @Nullable RawJson recorded,
            @Nullable RawJson now) {
        /** Returns the difference, a line for what was recorded and one for what came out. */
        @Override
        public String toString() {
            return method + ", to the " + (to == Side.AGENT ? "agent" : "client")
                    + (recorded == null ? "" : "\n- " + recorded) + (now == null ? "" : "\n+ " + now);
        }
    }

    private final List<Change> changes;
    private final int messages;

    ProxyDifference(List<Change> changes, int messages) {
        this.changes = List.copyOf(changes);
        this.messages = messages;
    }

    /**
     * Plays a recording through a proxy. Blocks until that is done.
     *
     * @param proxy the proxy
     * @param recording for example from {@link dev.acp4j.trace.TraceFile#read}; its first request says which end is the
     *     client
     * @throws IllegalArgumentException when there is no request in the recording
     * @throws AssertionError when the proxy does not let notifications of an extension pass in a minute, by which the
     *     player knows that a message has come through
     * @throws InterruptedException when interrupted
     */
    public static ProxyDifference of(Proxy proxy, List<TraceEvent> recording) throws InterruptedException {
        try (Player player = new Player(proxy, recording)) {
            return player.play();
        }
    }

    /** Returns the messages that differ, in the order of the conversation. */
    public List<Change> changes() {
        return changes;
    }

    /** Returns whether everything came out as it was recorded. */
    public boolean isEmpty() {
        return changes.isEmpty();
    }

    /** Returns the difference for people; see above. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        changes.forEach(change -> text.append(change).append('\n'));
        return text.append(changes.size())
                .append(" of ")
                .append(messages)
                .append(messages == 1 ? " message differs" : " messages differ")
                .toString();
    }
}
