package dev.acp4j.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Channel;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Exchange;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Step;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.UsageUpdate;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A prompt of a proxy's own on the wire, and which updates of the session are of its turn. In version 1 these are all
 * until its answer. In version 2 they are those from the message of the user that the answer names, or else from the
 * answer, to the transition into idle: what comes before belongs to what the agent did before, so updates wait in their
 * lane for the answer.
 *
 * <p>Updates are numbered by the thread that reads, in the order of the wire. The lock guards everything else; no user
 * code runs and nothing is sent while it is held.
 */
final class OwnPrompt implements Call.Listener {
    /** An update that says where the turn begins or ends. */
    private record Mark(long number, SessionUpdate update) {}

    private static final long NONE = -1;

    private final HeldPrompt held;
    private final Exchange exchange;
    private final Channel agent;
    private final Version version;
    private final ForegroundStates foreground;
    private final Entry owner;
    private final Proxy.NotificationInterceptor<SessionNotification> updates;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final List<Mark> marks = new ArrayList<>();

    @GuardedBy("lock")
    private long count;

    @GuardedBy("lock")
    private long delivered = NONE;

    /** The first update of the turn; {@link #NONE} before that is known. */
    @GuardedBy("lock")
    private long first = NONE;

    /** The last one in version 2: the transition into idle. */
    @GuardedBy("lock")
    private long last = NONE;

    /** In version 2, the state before the first one, with which the work of the turn began; {@link #NONE} for none. */
    @GuardedBy("lock")
    private long begun = NONE;

    /** Whether the client has read, in version 2, that the agent is busy, so that it must read that it is idle. */
    @GuardedBy("lock")
    private boolean clientSawItBusy;

    @GuardedBy("lock")
    private boolean wasBusy;

    @GuardedBy("lock")
    private boolean saysWhenItBegins;

    /** The answer has been read, and with it all that version 1 has of the turn. */
    @GuardedBy("lock")
    private boolean answered;

    @GuardedBy("lock")
    private boolean failed;

    /** The connection to the agent has ended. */
    @GuardedBy("lock")
    private boolean gone;

    @GuardedBy("lock")
    private boolean done;

    @GuardedBy("lock")
    private StateUpdate.@Nullable Idle idle;

    OwnPrompt(
            HeldPrompt held,
            Exchange exchange,
            Version version,
            ForegroundStates foreground,
            Entry owner,
            Proxy.NotificationInterceptor<SessionNotification> updates)
            throws InterruptedException {
        this.held = held;
        this.exchange = exchange;
        this.agent = exchange.to().awaitChannel();
        this.version = version;
        this.foreground = foreground;
        this.owner = owner;
        this.updates = Objects.requireNonNull(updates, "updates is null");
    }

    // ---- the turn, on the thread of the interceptor

    /** Sends the prompt and waits for the end of its turn. */
    Message send(@Nullable RawJson params) throws InterruptedException {
        held.requireHeld();
        Lost lost = new Lost();
        try {
            if (!agent.connection().expect(lost)) {
                throw gone();
            }
            Call call = agent.start(exchange.request().method(), params, RawJson.CODEC, this);
            awaitDone(call);
            return call.answer().orElseGet(() -> Message.result(RequestId.NULL, call.result()));
        } finally {
            agent.connection().end(lost);
        }
    }

    private ConnectionClosedException gone() {
        return new ConnectionClosedException(
                "the agent, or what is before it, has ended", exchange.request().method(), null);
    }

    /** Wakes who waits for the end of the turn when the connection ends, on which it would come. */
    private final class Lost extends Step {
        Lost() {
            super(agent.connection(), "");
        }

        @Override
        protected String name() {
            return exchange.request().method();
        }

        @Override
        protected void abandoned(RpcException failure) {
            lock.lock();
            try {
                gone = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Waits for the end, whatever interrupts: the agent is busy until then. */
    private void awaitDone(Call call) throws InterruptedException {
        boolean isInterrupted = false;
        boolean hasToAsk = false;
        boolean isTurnCancelled = false;
        while (!isDone(hasToAsk)) {
            if (isGone()) {
                throw gone();
            }
            // In version 1, session/cancel counts even if $/cancel_request came first, which an agent need not know.
            if (!isInterrupted || hasToAsk || (held.isCancelled() && !isTurnCancelled)) {
                isTurnCancelled = held.isCancelled();
                hasToAsk = !askToCancel(call, isTurnCancelled);
            }
            isInterrupted = true;
        }
        if (held.isCancelled()) {
            throw new CancellationException("session/cancel has cancelled the prompt");
        }
        if (isInterrupted) {
            throw new InterruptedException();
        }
    }

    /**
     * Waits for the end. Returns false when interrupted, or when the agent has answered and there is something to ask.
     */
    private boolean isDone(boolean hasToAsk) {
        lock.lock();
        try {
            while (!done && !gone && !(hasToAsk && answered)) {
                changed.await();
            }
            return done;
        } catch (InterruptedException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }

    private boolean isGone() {
        lock.lock();
        try {
            return gone;
        } finally {
            lock.unlock();
        }
    }

    String session() {
        return exchange.request().session();
    }

    /** Returns false when the answer decides whether there is more to cancel: a turn, in version 2. */
    private boolean askToCancel(Call call, boolean isTurnCancelled) throws InterruptedException {
        boolean isOfTurn = version == Version.V2 ? isAnswered() : isTurnCancelled;
        if (isOfTurn) {
            agent.send(
                    AgentMethods.CANCEL.name(),
                    CancelNotification.of(SessionId.of(session())),
                    AgentMethods.CANCEL.params(version));
        } else {
            call.cancel();
        }
        return isOfTurn || version == Version.V1;
    }

    /** Returns whether the agent has answered the prompt: in version 2 its turn runs then. */
    boolean isAnswered() {
        lock.lock();
        try {
            return answered;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns why the turn ended.
     *
     * @throws RpcError when it failed
     */
    StopReason outcome(Message answer) {
        RawJson error = answer.error();
        if (error != null) {
            throw RpcError.ofAnswer(error);
        }
        if (version == Version.V1) {
            return new Answer<>(answer, AgentMethods.PROMPT.result()).result().stopReason();
        }
        StateUpdate.Idle end;
        lock.lock();
        try {
            end = idle;
        } finally {
            lock.unlock();
        }
        if (end != null && end.error() != null) {
            throw new RpcError(
                    end.error().code(), end.error().message(), end.error().data());
        }
        StopReason reason = end == null ? null : end.stopReason();
        return reason == null ? StopReason.END_TURN : reason;
    }

    // ---- what comes in, on the thread that reads

    /** Numbers an update; negative when the turn has ended before it. Before the foreground states have read it. */
    long read(Message update) {
        SessionUpdate mark = version == Version.V2 ? mark(update) : null;
        lock.lock();
        try {
            if (last != NONE || failed || (answered && version == Version.V1)) {
                return NONE;
            }
            if (count == 0) {
                wasBusy = foreground.isBusy(session());
                saysWhenItBegins = foreground.saysWhenItBegins();
            }
            long number = count++;
            if (mark != null) {
                marks.add(new Mark(number, mark));
                findEnds();
            }
            return number;
        } finally {
            lock.unlock();
        }
    }

    private static @Nullable SessionUpdate mark(Message update) {
        try {
            RawJson params = Objects.requireNonNull(update.params());
            SessionUpdate said = params.decode(ClientMethods.UPDATE.params(Version.V2), "params")
                    .update();
            return said instanceof StateUpdate || said instanceof SessionUpdate.UserMessage ? said : null;
        } catch (JsonException e) {
            return null;
        }
    }

    @Override
    public Handler.@Nullable Delivery arrived(Call call) {
        Message answer = call.answer().filter(came -> !came.isError()).orElse(null);
        lock.lock();
        try {
            answered = true;
            failed = answer == null;
            if (version == Version.V2 && answer != null) {
                first = firstOf(answer);
                findEnds();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        return version == Version.V2 && answer != null ? null : this::done;
    }

    @GuardedBy("lock")
    private long firstOf(Message answer) {
        try {
            String id = new Answer<>(answer, AgentMethods.PROMPT_V2.result(Version.V2))
                    .result()
                    .messageId()
                    .value();
            for (Mark mark : marks) {
                if (mark.update instanceof SessionUpdate.UserMessage message
                        && message.messageId().value().equals(id)) {
                    return mark.number;
                }
            }
        } catch (JsonException e) {
            // An answer without the id accepts the prompt all the same.
        }
        return count;
    }

    /** The state may have begun before the message of the user, and repeated states need not be sent. */
    @GuardedBy("lock")
    private void findEnds() {
        if (first == NONE) {
            return;
        }
        boolean isBusy = wasBusy;
        boolean says = saysWhenItBegins;
        clientSawItBusy = wasBusy;
        begun = NONE;
        for (Mark mark : marks) {
            if (mark.update instanceof StateUpdate.Idle end) {
                boolean isReport = end.stopReason() != null || end.error() != null;
                if (mark.number >= first && (isBusy || (isReport && !says))) {
                    last = mark.number;
                    idle = end;
                    done |= delivered >= last;
                    return;
                }
                isBusy = false;
                clientSawItBusy = false;
                begun = NONE;
            } else if (mark.update instanceof StateUpdate.Running
                    || mark.update instanceof StateUpdate.RequiresAction) {
                begun = isBusy ? begun : mark.number;
                isBusy = true;
                says = true;
            }
        }
    }

    // ---- what comes in, in the lane of the session

    /** Returns the interceptor that does with one update as the author chose. */
    Entry filter(long number) {
        Proxy.NotificationInterceptor<SessionNotification> filter = (said, hop) -> {
            boolean isOfTurn = isOfTurn(number);
            if (isOfPrompt(said.update())) {
                if (isSeen(number, said.update(), isOfTurn)) {
                    hop.forward();
                }
            } else if (!isOfTurn || isOfSession(said.update())) {
                hop.forward();
            } else {
                updates.intercept(said, hop);
            }
        };
        return Entry.notification(ClientMethods.UPDATE.side(), ClientMethods.UPDATE, filter)
                .of(owner.part().strict());
    }

    boolean isOwnedBy(Entry entry) {
        return owner.equals(entry);
    }

    private boolean isOfTurn(long number) throws InterruptedException {
        lock.lock();
        try {
            while (!answered && version == Version.V2) {
                changed.await();
            }
            return version == Version.V1 || (number >= first && !failed);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether the client gets an update that may say what becomes of the prompt: of the states that frame the turn it
     * gets both or none.
     */
    private boolean isSeen(long number, SessionUpdate update, boolean isOfTurn) {
        lock.lock();
        try {
            boolean begins = begun != NONE && number >= begun && update instanceof StateUpdate && !failed;
            return isOfTurn ? number == last && clientSawItBusy : !begins;
        } finally {
            lock.unlock();
        }
    }

    /** Whether an update concerns the session, whatever runs in it: the client has to know it. */
    private static boolean isOfSession(SessionUpdate update) {
        return update instanceof SessionUpdate.AvailableCommandsUpdate
                || update instanceof SessionUpdate.CurrentModeUpdate
                || update instanceof SessionUpdate.ConfigOptionUpdate
                || update instanceof SessionUpdate.SessionInfoUpdate
                || update instanceof UsageUpdate;
    }

    /** Whether an update says what becomes of the prompt: the client sent none, so it would take it for its own. */
    private boolean isOfPrompt(SessionUpdate update) {
        return version == Version.V2 && (update instanceof StateUpdate || update instanceof SessionUpdate.UserMessage);
    }

    /** An update is dealt with. */
    void delivered(long number) {
        lock.lock();
        try {
            delivered = Math.max(delivered, number);
            done |= last != NONE && delivered >= last;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void done() {
        lock.lock();
        try {
            done = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
