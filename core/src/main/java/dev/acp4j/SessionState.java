package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.schema.BackgroundWork;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.RequestPermissionOutcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a client's session is doing: the running turn, the prompts that wait for it, and the open questions of the
 * agent. {@link #change} is the only method that moves a turn on, and {@link #next} the table by which it does.
 *
 * <p>The lock guards everything. While it is held, messages are queued for writing without waiting and threads are
 * woken or interrupted, so the locks of the connection and of the timeline may be taken after it; nothing is called
 * back.
 */
final class SessionState {
    /** How far a turn is. */
    enum Phase {
        /** Its prompt waits for the turn before it. */
        WAITING,
        /** Its prompt was sent; the agent has not accepted it. */
        SENT,
        /** The agent works on it. */
        RUNNING,
        ENDED
    }

    /** What happens to a turn. */
    enum Input {
        /** The turn before it has ended. */
        TURN_CAME,
        /** The agent has accepted the prompt. */
        ACCEPTED,
        /** The client cancels the turn. */
        CANCEL,
        /** The agent has ended the turn, or refused the prompt, or the connection has ended. */
        END
    }

    /** What is done about it. */
    enum Effect {
        NOTHING,
        SEND_PROMPT,
        /** Asks the agent to forget the prompt. */
        CANCEL_PROMPT,
        /** Asks the agent to end the turn, and withdraws its questions. */
        CANCEL_TURN,
        END_TURN
    }

    /** The new phase, and what is done. */
    record Change(Phase phase, Effect effect) {}

    private final SessionView view;
    private final Timeline timeline;
    private final ReentrantLock lock = new ReentrantLock();

    /** The running turn first, then those whose prompts wait for it. */
    @GuardedBy("lock")
    private final ArrayDeque<Turn> turns = new ArrayDeque<>();

    /** Whether the agent works, as it says itself in version 2. */
    @GuardedBy("lock")
    private boolean busy;

    @GuardedBy("lock")
    private boolean saysWhenItBegins;

    /** The threads that answer questions of the agent, by the question's number in the timeline. */
    @GuardedBy("lock")
    private final Map<Long, Thread> questions = new HashMap<>();

    SessionState(SessionView view) {
        this.view = view;
        this.timeline = view.timeline();
    }

    /**
     * Returns what an input does to a turn.
     *
     * @param phase how far the turn is
     * @param input what happens
     * @param cancelled whether the client has cancelled the turn before
     */
    static Change next(Phase phase, Input input, boolean cancelled) {
        return switch (phase) {
            case WAITING ->
                switch (input) {
                    case TURN_CAME -> new Change(Phase.SENT, Effect.SEND_PROMPT);
                    case CANCEL, END -> new Change(Phase.ENDED, Effect.END_TURN);
                    case ACCEPTED -> new Change(Phase.WAITING, Effect.NOTHING);
                };
            case SENT ->
                switch (input) {
                    // The prompt may have been accepted before the agent read that it must be forgotten.
                    case ACCEPTED -> new Change(Phase.RUNNING, cancelled ? Effect.CANCEL_TURN : Effect.NOTHING);
                    case CANCEL -> new Change(Phase.SENT, Effect.CANCEL_PROMPT);
                    case END -> new Change(Phase.ENDED, Effect.END_TURN);
                    case TURN_CAME -> new Change(Phase.SENT, Effect.NOTHING);
                };
            case RUNNING ->
                switch (input) {
                    case CANCEL -> new Change(Phase.RUNNING, Effect.CANCEL_TURN);
                    case END -> new Change(Phase.ENDED, Effect.END_TURN);
                    case ACCEPTED, TURN_CAME -> new Change(Phase.RUNNING, Effect.NOTHING);
                };
            case ENDED -> new Change(Phase.ENDED, Effect.NOTHING);
        };
    }

    /**
     * Takes a turn; its prompt is sent at once if no other turn runs. Returns why it could not be sent, and has ended
     * the turn then; else null.
     */
    @Nullable
    RuntimeException add(Turn turn) {
        lock.lock();
        try {
            turns.add(turn);
            if (turns.peek() != turn) {
                return null;
            }
            change(turn, Input.TURN_CAME, Turn.Outcome.WITHDRAWN);
            return turn.whyNotSent();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Moves a turn on.
     *
     * @param outcome how it ended, if that is what this leads to
     */
    void change(Turn turn, Input input, Turn.Outcome outcome) {
        lock.lock();
        try {
            Turn current = turn;
            Input happens = input;
            Turn.Outcome how = outcome;
            while (current != null) {
                Change change = next(current.phase, happens, current.isCancelled());
                boolean wasFirst = turns.peek() == current;
                current.phase = change.phase();
                RuntimeException failure = act(current, change.effect(), how);
                if (failure != null) {
                    happens = Input.END;
                    how = Turn.Outcome.failed(failure);
                } else {
                    // A turn that has ended makes room for the next.
                    boolean goesOn = change.effect() == Effect.END_TURN && wasFirst;
                    current = goesOn ? turns.peek() : null;
                    happens = Input.TURN_CAME;
                    how = Turn.Outcome.WITHDRAWN;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- what the agent says of its work, in version 2

    /** A message of the user has come: the prompt that was sent, perhaps. */
    void userMessage(MessageId message) {
        lock.lock();
        try {
            Turn first = turns.peek();
            if (first != null && first.phase == Phase.SENT) {
                first.lastMessage = message;
            }
        } finally {
            lock.unlock();
        }
    }

    /** The agent has taken a prompt as this message. What it has done about it since then counts. */
    void accepted(Turn turn, MessageId message) {
        lock.lock();
        try {
            Turn.Outcome early = turn.early.get(message);
            if (early == null) {
                change(turn, Input.ACCEPTED, Turn.Outcome.WITHDRAWN);
                turn.early.clear();
                turn.expectEnd();
            } else {
                change(turn, Input.END, early);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The session is closed or deleted: its turns have ended, whether the agent says so or not. */
    void close() {
        for (Turn turn : newestFirst()) {
            change(turn, Input.END, Turn.Outcome.WITHDRAWN);
        }
    }

    /** The agent works, or waits for the user. */
    void busy() {
        lock.lock();
        try {
            busy = true;
            saysWhenItBegins = true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The agent has nothing to do. That ends the running turn, unless the agent only says again what it has said.
     *
     * @param repeats whether the report may be a repetition: it has no stop reason
     * @return whether the turn has ended, and notifies the listeners itself
     */
    boolean idle(Turn.Outcome outcome, boolean repeats) {
        lock.lock();
        try {
            // An agent that says when it begins may repeat how it ended before; others only say how they end.
            boolean ends = busy || (!repeats && !saysWhenItBegins);
            busy = false;
            Turn first = turns.peek();
            if (first == null || !ends) {
                return false;
            }
            if (first.phase == Phase.RUNNING) {
                change(first, Input.END, outcome);
                return true;
            }
            if (first.lastMessage != null) {
                first.early.put(first.lastMessage, new Turn.Outcome(outcome.result(), outcome.failure(), null));
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Returns why the prompt could not be sent, or null. */
    @GuardedBy("lock")
    private @Nullable RuntimeException act(Turn turn, Effect effect, Turn.Outcome outcome) {
        switch (effect) {
            case NOTHING -> {}
            case SEND_PROMPT -> {
                try {
                    turn.send();
                } catch (RuntimeException e) {
                    return e;
                } catch (Error e) {
                    return new IllegalStateException("the prompt could not be sent", e);
                }
                if (turn.isAcceptedWhenSent()) {
                    turn.phase = Phase.RUNNING;
                }
            }
            case CANCEL_PROMPT -> turn.cancelPrompt();
            case CANCEL_TURN -> {
                turn.askToCancel();
                withdrawQuestions();
            }
            case END_TURN -> {
                turns.remove(turn);
                turn.end(outcome);
            }
        }
        return null;
    }

    @Nullable
    Turn running() {
        lock.lock();
        try {
            return turns.peek();
        } finally {
            lock.unlock();
        }
    }

    /** Returns all turns, the last one first. */
    List<Turn> newestFirst() {
        lock.lock();
        try {
            return new ArrayList<>(turns.reversed());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Begins to answer a question of the agent on this thread. Returns false, and withdraws the question, when the
     * agent was asked to cancel the turn: then nobody is asked.
     *
     * @param shown the question's number in the timeline
     */
    boolean beginQuestion(long shown) {
        lock.lock();
        try {
            Turn running = turns.peek();
            boolean withdrawn = running != null
                    && running.phase == Phase.RUNNING
                    && running.isCancelled()
                    && !timeline.isFor(shown, background());
            // A cancelled turn that has ended meanwhile has withdrawn it, too.
            if (withdrawn || !timeline.isOpen(shown)) {
                timeline.answered(shown, Entry.Question.State.WITHDRAWN, null);
                return false;
            }
            questions.put(shown, Thread.currentThread());
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Shows how a question ended. Returns false when it was withdrawn meanwhile: then no answer counts.
     *
     * @param answer what the client answers; null without an answer
     */
    boolean endQuestion(long shown, @Nullable Object answer) {
        boolean stands;
        lock.lock();
        try {
            stands = questions.remove(shown) != null;
            boolean answered = stands && answer != null;
            timeline.answered(
                    shown,
                    answered ? Entry.Question.State.ANSWERED : Entry.Question.State.WITHDRAWN,
                    answered && answer instanceof RequestPermissionOutcome.Selected selected
                            ? selected.optionId()
                            : null);
        } finally {
            lock.unlock();
        }
        // A cancellation that came when the question was answered already.
        boolean unused = Thread.interrupted();
        return stands;
    }

    /** Withdraws the questions of a turn. Those of work beside it, as the agent last reported that, stay open. */
    @GuardedBy("lock")
    private void withdrawQuestions() {
        timeline.withdrawQuestions(background());
        questions.forEach((shown, thread) -> {
            if (!timeline.isOpen(shown)) {
                thread.interrupt();
            }
        });
        questions.keySet().removeIf(shown -> !timeline.isOpen(shown));
    }

    private List<BackgroundWork> background() {
        return view.background().orElse(List.of());
    }
}
