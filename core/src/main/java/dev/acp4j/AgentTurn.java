package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Unstable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * One prompt turn on the agent's side: the prompt, and the methods to answer it. Updates are sent in the order of the
 * calls.
 *
 * <table>
 * <caption>What a handler does with a turn</caption>
 * <tr><th>to</th><th>call</th></tr>
 * <tr><td>read the prompt</td><td>{@link #text()}, {@link #prompt()}, {@link #meta()}</td></tr>
 * <tr><td>answer, a piece at a time</td><td>{@link #message(String)}, {@link #thought(String)}</td></tr>
 * <tr><td>show what a tool does, with diffs, output and its end</td><td>{@link #toolCall(String, dev.acp4j.schema.ToolKind)}, a
 * {@link ToolCallHandle}</td></tr>
 * <tr><td>show a plan and tick it off</td><td>{@link #plan(String...)}, a {@link PlanHandle}</td></tr>
 * <tr><td>ask for permission</td><td>{@link ToolCallHandle#requestPermission}, {@link #requestPermission}</td></tr>
 * <tr><td>ask the user</td><td>{@link #ask yes or no}, {@link #elicit a form or a page}</td></tr>
 * <tr><td>read and write the client's files, unsaved changes included</td><td>{@link #files()}</td></tr>
 * <tr><td>run a command at the client</td><td>{@link #run}, {@link #terminals()}</td></tr>
 * <tr><td>change the session</td><td>{@link #title}, {@link #mode}, {@link #configOptions}, {@link #commands},
 * {@link #usage(long, long)}, {@link #notice(dev.acp4j.schema.NoticeSeverity, String, String)}; {@link #session()} has its folder and
 * what is attached to it</td></tr>
 * <tr><td>notice cancellation</td><td>{@link #onCancel}, {@link #isCancelled()}, {@link #checkCancelled()}</td></tr>
 * <tr><td>end with another reason than {@code end_turn}</td><td>{@link #stop}</td></tr>
 * </table>
 *
 * <pre>{@code
 * Path file = turn.session().cwd().resolve("notes.txt");
 * String before = turn.files().readText(file);
 * String after = before.replace("teh", "the");
 * var call = turn.toolCall("Correct notes.txt", ToolKind.EDIT)
 *         .location(file)
 *         .diff(file, before, after)
 *         .start();
 * turn.files().writeText(file, after);
 * call.complete();
 * }</pre>
 *
 * <p>The turn ends when its handler returns. All methods may be called from any thread until then; afterwards those
 * that send updates or ask questions throw {@link IllegalStateException}, and {@link #session()} sends updates between
 * turns. When the client cancels the turn, the thread of the handler is interrupted, and so is every thread that waits
 * for an answer of the client; {@link #onCancel} runs; and the agent can say no more: messages and thoughts throw
 * {@link CancellationException}. Other updates, such as the last ones of tool calls, can still be sent.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn">Prompt turn</a>
 */
public final class AgentTurn extends SessionWriter {
    private final AgentSession session;
    private final ConnectedClient client;
    private final AgentDialect.Prompt request;
    private final @Nullable IncomingRequest incoming;

    private volatile StopReason stopReason = StopReason.END_TURN;
    private volatile Meta responseMeta = Meta.EMPTY;
    private volatile @Nullable TokenUsage usage;
    private volatile boolean cancelled;

    private volatile boolean ended;

    // Changed with the session's lock, as all below.
    private volatile @Nullable Thread thread;

    private boolean begun;
    private boolean released;
    private boolean watched;
    private boolean hasRun;
    private boolean listening;
    private final List<OnCancel> onCancel = new ArrayList<>(0);
    private final Set<Thread> waiting = new HashSet<>(0);

    /** @param incoming the request that the turn answers; null for work of the agent's own */
    AgentTurn(
            AgentSession session,
            ConnectedClient client,
            AgentDialect.Prompt request,
            @Nullable IncomingRequest incoming) {
        this.session = session;
        this.client = client;
        this.request = request;
        this.incoming = incoming;
    }

    @Override
    public AgentSession session() {
        return session;
    }

    @Override
    AgentTurn turn() {
        return this;
    }

    /**
     * Returns the client that prompted. It may have left since; {@link AgentSession#clients()} has those that are
     * there.
     */
    @Override
    public ConnectedClient client() {
        return client;
    }

    /** Returns what the user asked; nothing in {@linkplain AgentSession#work work of the agent's own}. */
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
        return cancelled || (incoming != null && incoming.isCancelled());
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

    /**
     * Adds what to do when the turn is cancelled, for work that an interrupt does not end: closing the stream of a
     * model, for example. The actions of a turn run one after the other on a thread of their own, and not when the turn
     * ends without that. In a turn that is cancelled already, the action runs at once, on another thread. Exceptions
     * are reported to {@link Agent.Builder#onProblem}.
     *
     * <pre>{@code
     * turn.onCancel(stream::close);
     * stream.forEach(turn::message);
     * }</pre>
     *
     * @return what takes the action back, for a turn that has many
     */
    public OnCancel onCancel(Runnable action) {
        OnCancel kept = new OnCancel(this, Objects.requireNonNull(action, "action"));
        session.state().onCancel(this, kept);
        return kept;
    }

    /** An action that runs when a turn is cancelled, until it is closed. */
    public static final class OnCancel implements AutoCloseable {
        private final AgentTurn turn;
        private final Runnable action;

        private OnCancel(AgentTurn turn, Runnable action) {
            this.turn = turn;
            this.action = action;
        }

        void run() {
            try {
                action.run();
            } catch (Throwable e) {
                turn.session.state().report("cancelling a turn of session " + turn.sessionId() + " failed: " + e, e);
            }
        }

        /** Takes the action back, unless it has begun to run. */
        @Override
        public void close() {
            turn.session.state().removeOnCancel(turn, this);
        }
    }

    /** Waits for an answer. The end of the turn interrupts that, whichever thread it is. */
    @Override
    <R> R await(Answer<R> answer) throws InterruptedException {
        if (Thread.currentThread().equals(thread)) {
            // Interrupted anyway.
            return answer.get();
        }
        session.state().beginWait(this);
        try {
            return answer.get();
        } finally {
            session.state().endWait(this);
        }
    }

    /** Sets why the turn ends, once the handler returns. */
    public void stop(StopReason reason) {
        requireOpen();
        stopReason = reason;
    }

    /** Sets the {@code _meta} of the response that ends the turn. */
    public void responseMeta(Meta meta) {
        requireOpen();
        responseMeta = meta;
    }

    /**
     * Sets how many tokens the turn has used, which its end reports; a draft. In version 2 it is the work of this turn
     * only.
     */
    @Unstable
    public void usage(TokenUsage tokens) {
        requireOpen();
        usage = tokens;
    }

    @Nullable
    TokenUsage tokens() {
        return usage;
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
        hasRun = true;
        session.step();
    }

    boolean isWatched() {
        return watched;
    }

    /**
     * The turn is taken up for good, if its request says so: from here on its cancellation ends the work. Returns false
     * when the request was cancelled before.
     */
    boolean accept() {
        return incoming == null || incoming.accept();
    }

    /** Tells the client that its prompt was taken. */
    void answerEarly(RawJson answer) {
        if (incoming != null) {
            incoming.answerEarly(answer);
        }
    }

    void ended() {
        ended = true;
        if (hasRun) {
            session.step();
        }
        thread = null;
        onCancel.clear();
        waiting.forEach(Thread::interrupt);
    }

    /** Returns false when the turn is cancelled already, so that the action is to run now. */
    boolean add(OnCancel action) {
        if (ended) {
            return true;
        }
        listen();
        if (isCancelled()) {
            return false;
        }
        onCancel.add(action);
        return true;
    }

    void remove(OnCancel action) {
        onCancel.remove(action);
    }

    /** A cancellation of the request cancels the turn, too. Not before that has something to do, as most never have. */
    private void listen() {
        if (!listening && incoming != null) {
            listening = true;
            incoming.onCancel(() -> session.state().cancel(this));
        }
    }

    void beginWait(Thread waiter) {
        requireOpen();
        listen();
        waiting.add(waiter);
        if (isCancelled()) {
            waiter.interrupt();
        }
    }

    void endWait(Thread waiter) {
        waiting.remove(waiter);
        if (ended || cancelled) {
            // The turn has interrupted this thread, which has other work.
            boolean unused = Thread.interrupted();
        }
    }

    /** Throws when the turn has ended. */
    void requireOpen() {
        if (ended) {
            throw new IllegalStateException(
                    "the turn of session " + sessionId() + " has ended; between turns use AgentTurn.session()");
        }
    }

    /** Throws when the turn has ended, or was cancelled and the update is what its agent says. */
    void requireOpenFor(SessionUpdate update) {
        requireOpen();
        if (isCancelled()
                && (update instanceof SessionUpdate.AgentMessageChunk
                        || update instanceof SessionUpdate.AgentThoughtChunk
                        || update instanceof SessionUpdate.AgentMessage
                        || update instanceof SessionUpdate.AgentThought)) {
            throw new CancellationException("the turn was cancelled: its agent says no more in it");
        }
    }

    boolean hasEnded() {
        return ended;
    }

    /** Returns what is to be done, on a thread of its own. */
    List<OnCancel> cancel() {
        cancelled = true;
        Thread handling = thread;
        if (handling != null) {
            handling.interrupt();
        }
        waiting.forEach(Thread::interrupt);
        List<OnCancel> actions = List.copyOf(onCancel);
        onCancel.clear();
        return actions;
    }

    /** The client has left, and the turn continues. Returns false when no thread works for it: then it is cancelled. */
    boolean release() {
        if (begun) {
            if (incoming != null) {
                incoming.release();
            }
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
