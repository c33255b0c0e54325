package dev.acp4j;

import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.StopReason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One prompt turn on the agent's side: the prompt, and the methods to answer it. {@link #message}, {@link #thought},
 * {@link #toolCall}, {@link #plan} and the other inherited methods send updates to the client, in the order of the
 * calls; {@link #files()} and {@link #terminals()} are those of the client.
 *
 * <p>The turn ends when its handler returns. All methods may be called from any thread until then. They block while the
 * client reads slowly, and throw {@link InterruptedException} when the thread is interrupted, which happens to the
 * thread of the handler when the client cancels the turn.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn">Prompt turn</a>
 */
public final class AgentTurn extends SessionWriter {
    private final AgentSession session;
    private final ConnectedClient client;
    private final AgentDialect.Prompt request;
    private final IncomingRequest incoming;

    private volatile StopReason stopReason = StopReason.END_TURN;
    private volatile Meta responseMeta = Meta.EMPTY;
    private volatile boolean cancelled;

    private volatile boolean ended;

    // Guarded by the session's lock.
    private @Nullable Thread thread;
    private boolean begun;
    private boolean released;
    private boolean watched;

    AgentTurn(AgentSession session, ConnectedClient client, AgentDialect.Prompt request, IncomingRequest incoming) {
        this.session = session;
        this.client = client;
        this.request = request;
        this.incoming = incoming;
    }

    @Override
    public AgentSession session() {
        return session;
    }

    /**
     * Returns the client that prompted. It may have left since; {@link AgentSession#clients()} has those that are
     * there.
     */
    @Override
    public ConnectedClient client() {
        return client;
    }

    /** Returns what the user asked. */
    public List<ContentBlock> prompt() {
        return request.content();
    }

    /** Returns the text blocks of the prompt, joined by line breaks. */
    public String text() {
        List<String> parts = new ArrayList<>();
        for (ContentBlock block : request.content()) {
            if (block instanceof ContentBlock.Text part
                    && !(parts.isEmpty() && part.text().isEmpty())) {
                parts.add(part.text());
            }
        }
        // A single part, which may be large, is not copied.
        return parts.size() == 1 ? parts.getFirst() : String.join("\n", parts);
    }

    /** Returns the prompt's {@code _meta}. */
    public Meta meta() {
        return request.meta();
    }

    /** Returns true when a client cancelled the turn; the thread of the handler has then been interrupted too. */
    public boolean isCancelled() {
        return cancelled || incoming.isCancelled();
    }

    /**
     * Throws when the turn was cancelled. Call it regularly in work that does not block.
     *
     * @throws InterruptedException when the turn was cancelled
     */
    public void checkCancelled() throws InterruptedException {
        if (isCancelled()) {
            throw new InterruptedException("the turn was cancelled");
        }
    }

    /** Sets why the turn ends, once the handler returns. */
    public void stop(StopReason reason) {
        stopReason = reason;
    }

    /** Sets the {@code _meta} of the response that ends the turn. */
    public void responseMeta(Meta meta) {
        responseMeta = meta;
    }

    StopReason stopReason() {
        return isCancelled() ? StopReason.CANCELLED : stopReason;
    }

    Meta responseMeta() {
        return responseMeta;
    }

    /** A thread has come to work for the turn, or to wait for its beginning. */
    void begin() {
        begun = true;
    }

    /** The turn runs. Whether others watch it is for the thread that works for it. */
    void runOn(Thread handlingThread, boolean isWatchedNow) {
        thread = handlingThread;
        watched = isWatchedNow;
    }

    boolean isWatched() {
        return watched;
    }

    void ended() {
        thread = null;
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    void cancel() {
        cancelled = true;
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** The client has left, and the turn continues. Returns false when no thread works for it: then it is cancelled. */
    boolean release() {
        if (begun) {
            incoming.release();
            released = true;
        } else {
            cancelled = true;
        }
        return begun;
    }

    boolean isReleased() {
        return released;
    }
}
