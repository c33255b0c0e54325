package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentError;
import dev.acp4j.schema.BackgroundList;
import dev.acp4j.schema.BackgroundWork;
import dev.acp4j.schema.CompactionSummaryChunk;
import dev.acp4j.schema.CompactionUpdate;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionMessage;
import dev.acp4j.schema.SessionMessageChunk;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.TerminalOutputChunk;
import dev.acp4j.schema.TerminalUpdate;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.Version;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a session of an agent is doing: the clients that are attached, the running turn and those that wait, and what
 * the session offers.
 *
 * <p>An update is encoded once and queued to all clients in one step, so all see the same order, and nothing follows
 * the end of the session. The first client of the list leads: the one that prompted last, else the one that was
 * attached first. Senders wait for room in its outgoing queue. For the others updates wait here, and a thread of their
 * own sends them as long as they are behind.
 *
 * <p>The lock guards everything. While it is held, messages are queued for writing without waiting and requests are
 * released, so the locks of a connection may be taken after it; no handler runs.
 */
final class AgentSessionState {
    /** How long a sender waits for room at a client before it looks whether that one still leads. */
    private static final Duration LOOKS_AGAIN = Duration.ofSeconds(1);

    private final SessionId id;
    private final AgentSessions owner;
    private final AgentSession session;
    private final boolean isKept;
    private final AgentDialect dialect;
    private final long waitingLimit;
    private final Duration patience;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** The leading client first. */
    @GuardedBy("lock")
    private final ArrayList<Attachment> attachments = new ArrayList<>(1);

    /** The client that left last, or opened the session. */
    @GuardedBy("lock")
    private ConnectedClient last;

    /** The running turn first, then those that wait for it. */
    @GuardedBy("lock")
    private final ArrayDeque<AgentTurn> turns = new ArrayDeque<>();

    /** How many clients were detached because they read too slowly, and that nobody has reported. */
    @GuardedBy("lock")
    private int slow;

    /** Whether the first client has been answered, so that others may attach. */
    @GuardedBy("lock")
    private boolean opened;

    /** Whether somebody ends the session. */
    @GuardedBy("lock")
    private boolean ending;

    /** Whether nothing more is sent. */
    @GuardedBy("lock")
    private boolean closed;

    /** Whether the agent has freed what the session held. */
    @GuardedBy("lock")
    private boolean gone;

    /** How many questions of the running turn wait for the user. */
    @GuardedBy("lock")
    private int asking;

    /** What clients of version 2 were told last of the session's work. */
    @GuardedBy("lock")
    private StateUpdate told = StateUpdate.Idle.builder().build();

    /** The work beside the turns that the agent reports; null when it reports none. */
    @GuardedBy("lock")
    private @Nullable BackgroundList background;

    /** The threads that wait for an answer to a question that belongs to no turn. */
    @GuardedBy("lock")
    private final Set<Thread> waiting = new HashSet<>(0);

    /** What ends the tool calls and terminals that clients may end, by their ids. */
    @GuardedBy("lock")
    private final Map<Object, Runnable> cancellable = new HashMap<>(0);

    /** Whether the program gives messages their ids. */
    private volatile boolean namesMessages;

    /** What was replayed to the first client is part of it. */
    @GuardedBy("lock")
    private Conversions conversions;

    /** What clients of version 1 were not told because it was too large, and that nobody has reported. */
    @GuardedBy("lock")
    private @Nullable IllegalArgumentException tooLarge;

    /** Whether a thread tells clients of version 1 what they were not told at once. */
    @GuardedBy("lock")
    private boolean tellsRest;

    @GuardedBy("lock")
    private @Nullable SessionModeState modes;

    @GuardedBy("lock")
    private List<SessionConfigOption> configOptions = List.of();

    AgentSessionState(AgentSessions owner, AgentSession session, ConnectedClient opener) {
        this.id = session.id();
        this.owner = owner;
        this.session = session;
        this.isKept = !owner.config.keepSessions.isZero();
        this.waitingLimit = owner.config.limits.outboxBytes();
        this.patience = owner.config.limits.barrierPatience();
        this.last = opener;
        this.dialect = opener.dialect();
        this.conversions = newConversions();
    }

    SessionId id() {
        return id;
    }

    /** The program gives messages their ids. */
    void namesMessages() {
        namesMessages = true;
    }

    boolean hasNamedMessages() {
        return namesMessages;
    }

    // ---- clients

    /** Attaches the client that opens the session first. */
    Attachment begin(ConnectedClient client, boolean isNew) {
        lock.lock();
        try {
            Attachment attachment = new Attachment(client, isNew, true);
            attachments.add(attachment);
            return attachment;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Attaches a client to the live session, when the one that opens it has been answered; anew, if it is attached.
     * Null when the session has ended.
     */
    @Nullable
    Attachment attach(ConnectedClient client) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!opened && !ending) {
                changed.await();
            }
            if (ending) {
                return null;
            }
            Attachment attachment = new Attachment(client, false, false);
            Attachment before = of(client);
            attachments.add(attachment);
            if (before != null) {
                boolean unused = detach(before);
            }
            owner.kept.remove(session);
            return attachment;
        } finally {
            lock.unlock();
        }
    }

    /** The client is about to be answered: from here on updates concern it, too. False when it was detached. */
    boolean opened(Attachment attachment) {
        lock.lock();
        try {
            if (!attachment.attached || ending) {
                return false;
            }
            attachment.opening = false;
            opened = true;
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether clients may attach. */
    boolean isOpen() {
        lock.lock();
        try {
            return opened && !ending;
        } finally {
            lock.unlock();
        }
    }

    boolean isEnding() {
        lock.lock();
        try {
            return ending;
        } finally {
            lock.unlock();
        }
    }

    boolean isOpenedBy(ConnectedClient client) {
        lock.lock();
        try {
            return !opened && of(client) != null;
        } finally {
            lock.unlock();
        }
    }

    boolean isAttached(ConnectedClient client) {
        lock.lock();
        try {
            return of(client) != null;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private @Nullable Attachment of(ConnectedClient client) {
        for (Attachment attachment : attachments) {
            if (attachment.client == client) {
                return attachment;
            }
        }
        return null;
    }

    /** Waits until what waits for a client has gone out. */
    void awaitSent(ConnectedClient client) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (isBehind(client)) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Detaches a client. Returns true when the session ends with it: the caller ends it. */
    boolean leave(ConnectedClient client) {
        lock.lock();
        try {
            Attachment attachment = of(client);
            return attachment != null && detach(attachment) && beginEnd();
        } finally {
            lock.unlock();
        }
    }

    /** Detaches a client whose opening has failed, if it is still this opening's. */
    boolean leave(Attachment attachment) {
        lock.lock();
        try {
            return attachment.attached && detach(attachment) && beginEnd();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The client's connection has ended, and what it asked for is about to be interrupted. When the session goes on
     * without it, the client is detached, and the turns that it began go on. Returns false when the session ends with
     * the client.
     */
    boolean letGo(ConnectedClient client) {
        lock.lock();
        try {
            Attachment attachment = of(client);
            if (attachment != null && attachments.size() == 1 && !isKept) {
                return false;
            }
            for (AgentTurn turn : List.copyOf(turns)) {
                if (turn.client() == client && !turn.release()) {
                    // Its thread, if it ever gets one, finds that it is cancelled.
                    turns.remove(turn);
                }
            }
            boolean unused = attachment != null && detach(attachment);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns true when nobody is left, and the session is not kept. */
    @GuardedBy("lock")
    private boolean detach(Attachment attachment) {
        attachment.attached = false;
        attachment.discardWaiting();
        attachments.remove(attachment);
        last = attachment.client;
        changed.signalAll();
        if (!attachments.isEmpty()) {
            return false;
        }
        if (isKept && !ending) {
            owner.kept.add(session);
        }
        return !isKept;
    }

    /** Returns the clients that are attached, the leading one first. */
    List<ConnectedClient> clients() {
        lock.lock();
        try {
            List<ConnectedClient> clients = new ArrayList<>();
            for (Attachment attachment : attachments) {
                if (attachment.client.isOpen()) {
                    clients.add(attachment.client);
                }
            }
            return clients;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the leading client; when nobody is attached, the one that left last. */
    ConnectedClient client() {
        lock.lock();
        try {
            return attachments.isEmpty() ? last : attachments.getFirst().client;
        } finally {
            lock.unlock();
        }
    }

    // ---- updates

    /**
     * Sends an update to all clients that support it, waiting for room in the queue of the leading one.
     *
     * @param about the session that it is about: this one, or that of a subagent
     * @param meta the {@code _meta} beside the update
     * @param replay the only client that it is for, which is being attached; null for all
     * @param turn the turn that says it, which must go on; null when it belongs to none
     */
    void send(SessionId about, SessionUpdate update, Meta meta, @Nullable Attachment replay, @Nullable AgentTurn turn)
            throws InterruptedException {
        if (replay != null) {
            replay(about, update, meta, replay);
            return;
        }
        Outgoing outgoing = new Outgoing(this, about, update, meta);
        // Encoded without the lock, as most clients get it: all that speak the version of the first.
        Message unused = outgoing.measure(dialect);
        Full full;
        while ((full = queue(update, outgoing, turn)) != null) {
            awaitRoom(full.client(), full.message());
        }
    }

    /** A client that has no room for a message. */
    private record Full(ConnectedClient client, Message message) {}

    private Conversions newConversions() {
        return new Conversions(this, id, owner.config, false);
    }

    /** Sends an update to a client that is being attached, alone. */
    private void replay(SessionId about, SessionUpdate update, Meta meta, Attachment replay)
            throws InterruptedException {
        if (Thread.interrupted()) {
            // It need not wait for anything to be over: the request that opens the session was cancelled.
            throw new InterruptedException();
        }
        if (replay.isMuted && isConversation(update)) {
            return;
        }
        Outgoing outgoing = new Outgoing(this, about, update, meta);
        Message unused = outgoing.measure(replay.client.dialect());
        Full full;
        while ((full = queueReplay(outgoing, replay)) != null) {
            awaitRoom(full.client(), full.message());
        }
    }

    /** Queues an update that is replayed, behind what is left of those before; or returns what there is no room for. */
    private @Nullable Full queueReplay(Outgoing outgoing, Attachment replay) {
        lock.lock();
        try {
            AgentDialect itsDialect = replay.client.dialect();
            Full full = queueReplayed(replay);
            Message measure = outgoing.measure(itsDialect);
            if (full == null && measure != null && !replay.client.rpc().hasRoom(measure)) {
                full = new Full(replay.client, measure);
            }
            if (full == null) {
                replay.replayed.addAll(converted(outgoing, replayed(replay), itsDialect));
                Full unused = queueReplayed(replay);
            }
            return full;
        } finally {
            lock.unlock();
        }
    }

    /** Queues what is left of the updates that are replayed, as far as there is room. */
    @GuardedBy("lock")
    private @Nullable Full queueReplayed(Attachment replay) {
        requireOpen();
        if (!replay.attached) {
            throw new IllegalStateException("the client was detached from session " + id);
        }
        Message next;
        while ((next = replay.replayed.peek()) != null) {
            if (!replay.client.rpc().offer(next)) {
                return new Full(replay.client, next);
            }
            replay.replayed.remove();
        }
        return null;
    }

    @GuardedBy("lock")
    private Conversions replayed(Attachment replay) {
        Conversions alone = replay.conversions;
        if (alone == null) {
            alone = newConversions();
            replay.conversions = alone;
        }
        return alone;
    }

    /** Converts an update that is queued now. Returns what a client gets. */
    @GuardedBy("lock")
    private List<Message> converted(Outgoing outgoing, Conversions past, AgentDialect client) {
        outgoing.convert(past);
        try {
            return outgoing.to(client);
        } catch (IllegalArgumentException e) {
            outgoing.unsent(past);
            throw e;
        }
    }

    /** All is replayed: tells what was not told at once. What the first client knows of the session, all will know. */
    void endReplay(Attachment replay) throws InterruptedException {
        Full full;
        while ((full = queueEndOfReplay(replay)) != null) {
            awaitRoom(full.client(), full.message());
        }
    }

    private @Nullable Full queueEndOfReplay(Attachment replay) {
        lock.lock();
        try {
            Conversions alone = replay.conversions;
            if (alone != null) {
                for (Outgoing rest : alone.rest(true)) {
                    replay.replayed.addAll(rest.to(replay.client.dialect()));
                }
                if (replay.isFirst) {
                    conversions = alone;
                }
                replay.conversions = null;
            }
            return replay.replayed.isEmpty() ? null : queueReplayed(replay);
        } finally {
            lock.unlock();
        }
    }

    private static boolean isConversation(SessionUpdate update) {
        return update instanceof SessionUpdate.Chunk
                || update instanceof SessionUpdate.Message
                || update instanceof ToolCall
                || update instanceof ToolCallUpdate
                || update instanceof SessionUpdate.ToolCallContentChunk
                || update instanceof SessionUpdate.Plan
                || update instanceof SessionUpdate.PlanUpdate
                || update instanceof SessionUpdate.PlanRemoved
                || update instanceof SessionMessage
                || update instanceof SessionMessageChunk
                || update instanceof TerminalUpdate
                || update instanceof TerminalOutputChunk
                || update instanceof Notice
                || update instanceof CompactionUpdate
                || update instanceof CompactionSummaryChunk;
    }

    /** Waits for room at a client, for a while: it may lead no more then. */
    private static void awaitRoom(ConnectedClient client, Message message) throws InterruptedException {
        if (!client.rpc().awaitRoom(message, LOOKS_AGAIN)) {
            client.rpc().requireReading(message.method());
        }
    }

    /** Encodes an update in the version of a client. */
    Message encode(AgentDialect client, SessionId about, SessionUpdate update, Meta meta) {
        Message message = client.update(about, update, meta);
        int most = owner.config.limits.messageBytes();
        if (message.length() > most) {
            throw new IllegalArgumentException(
                    message.method() + ": message of " + message.length() + " bytes, allowed are " + most);
        }
        return message;
    }

    /** Queues an update to all, or to none when it returns a client that has no room. */
    private @Nullable Full queue(SessionUpdate update, Outgoing outgoing, @Nullable AgentTurn turn)
            throws InterruptedException {
        boolean someAreSlow;
        lock.lock();
        try {
            Attachment first = awaitLeader(outgoing);
            if (turn != null) {
                turn.requireOpenFor(update);
            }
            if (first == null) {
                outgoing.convert(conversions);
                return null;
            }
            Message measure = outgoing.measure(first.client.dialect());
            if (measure != null && first.waiting == null && !first.client.rpc().hasRoom(measure)) {
                return new Full(first.client, measure);
            }
            List<Message> messages = converted(outgoing, conversions, first.client.dialect());
            if (asking > 0 && told instanceof StateUpdate.RequiresAction && turn != null) {
                // Something of the turn goes on though a question is open.
                tell(running());
            }
            queueToLeader(first, messages);
            if (attachments.size() > 1) {
                queueToOthers(first.client, outgoing);
            }
            if (!tellsRest && conversions.hasRest()) {
                startTellingRest();
            }
            someAreSlow = slow > 0;
        } finally {
            lock.unlock();
        }
        if (someAreSlow) {
            reportProblems();
        }
        return null;
    }

    /** Returns the leading client, as soon as not too much waits for it. Null when nobody is attached. */
    @GuardedBy("lock")
    private @Nullable Attachment awaitLeader(Outgoing outgoing) throws InterruptedException {
        while (true) {
            requireOpen();
            Attachment leader = attachments.isEmpty() ? null : attachments.getFirst();
            if (leader == null || leader.waiting == null || !isFull(leader, outgoing)) {
                return leader;
            }
            if (leader.isFirst && leader.opening) {
                throw new IllegalStateException("more than " + waitingLimit
                        + " bytes of updates, and the client has not been answered that opens session " + id);
            }
            changed.await();
        }
    }

    private boolean isFull(Attachment leader, Outgoing outgoing) {
        Message measure = outgoing.measure(leader.client.dialect());
        return measure != null && leader.isFull(measure, waitingLimit);
    }

    @GuardedBy("lock")
    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("session " + id + " is closed");
        }
    }

    /**
     * Queues messages to the client for which senders wait: it had room for the first. Other sessions may have taken
     * that, but none of these messages may wait: a question that follows would overtake it.
     */
    @GuardedBy("lock")
    private void queueToLeader(Attachment leader, List<Message> messages) {
        try {
            for (Message message : messages) {
                if (leader.waiting != null) {
                    addWaiting(leader, message);
                } else {
                    leader.client.rpc().queue(message);
                }
            }
        } catch (ConnectionClosedException e) {
            if (attachments.size() == 1 && !isKept) {
                throw e;
            }
        }
    }

    /** Sends a change to all clients but the one that made it. Never waits. */
    void sendToOthers(ConnectedClient client, SessionUpdate update) {
        lock.lock();
        try {
            if (closed || attachments.isEmpty() || (attachments.size() == 1 && of(client) != null)) {
                return;
            }
            Outgoing outgoing = new Outgoing(this, id, update, Meta.EMPTY);
            outgoing.convert(conversions);
            queueToOthers(client, outgoing);
        } finally {
            lock.unlock();
        }
        reportProblems();
    }

    /** Sends an update to the clients of version 1 only. Never waits. */
    void sendInVersion1(SessionId about, SessionUpdate update) {
        lock.lock();
        try {
            if (!closed) {
                queueToOthers(null, new Outgoing(this, about, null, SentInVersion1.InVersion1.of(update)));
            }
        } finally {
            lock.unlock();
        }
        reportProblems();
    }

    /** Queues an update to all clients but one. */
    @GuardedBy("lock")
    private void queueToOthers(@Nullable ConnectedClient client, Outgoing outgoing) {
        for (int i = attachments.size() - 1; i >= 0; i--) {
            Attachment other = attachments.get(i);
            if (other.client != client) {
                for (Message message : outgoing.to(other.client.dialect())) {
                    if (other.attached) {
                        queueToWatcher(other, message);
                    }
                }
            }
        }
    }

    @GuardedBy("lock")
    private void queueToWatcher(Attachment watcher, Message message) {
        try {
            queueTo(watcher, message);
        } catch (ConnectionClosedException e) {
            // It is about to be detached.
        }
    }

    @GuardedBy("lock")
    private void queueTo(Attachment client, Message message) {
        if (client.waiting != null) {
            addWaiting(client, message);
        } else if (!client.client.rpc().offer(message)) {
            client.add(message);
            startCatchingUp(client);
        }
    }

    @GuardedBy("lock")
    private void startCatchingUp(Attachment watcher) {
        boolean started = false;
        try {
            owner.start(() -> catchUp(watcher));
            started = true;
        } catch (OutOfMemoryError e) {
            // No thread for it: the others must not suffer.
        } finally {
            if (!started) {
                detachSlow(watcher);
            }
        }
    }

    // ---- what the session is doing, which clients of version 2 are told

    @GuardedBy("lock")
    private StateUpdate running() {
        return new StateUpdate.Running(background, Rest.NONE);
    }

    /** Returns what clients of version 2 were told last of the session's work. */
    StateUpdate told() {
        lock.lock();
        try {
            return told;
        } finally {
            lock.unlock();
        }
    }

    /** Tells all clients what the session is doing. Never waits. */
    @GuardedBy("lock")
    private void tell(StateUpdate state) {
        told = state;
        if (!closed && isToldStates()) {
            queueToOthers(null, new Outgoing(this, state));
        }
    }

    @GuardedBy("lock")
    private boolean isToldStates() {
        for (Attachment attachment : attachments) {
            if (attachment.client.version() != Version.V1) {
                return true;
            }
        }
        return false;
    }

    /** A turn begins: tells that the session works, and shows the prompt to all that do not know it. */
    void tellPrompt(AgentTurn turn, MessageId message) {
        lock.lock();
        try {
            boolean knowsPrompt = turn.client().version() == Version.V1;
            ConnectedClient prompted = knowsPrompt ? turn.client() : null;
            List<ContentBlock> prompt = turn.prompt();
            if (!closed && !prompt.isEmpty() && !(knowsPrompt && attachments.size() == 1)) {
                try {
                    queueToOthers(prompted, prompt(prompt, message));
                } catch (IllegalArgumentException e) {
                    // In pieces, as the whole is larger than messages may be; one larger than that stays unseen.
                    prompt.forEach(block -> queuePiece(prompted, block, message));
                }
            }
            tell(running());
        } finally {
            lock.unlock();
        }
        reportProblems();
    }

    private Outgoing prompt(List<ContentBlock> prompt, MessageId message) {
        SessionUpdate whole =
                SessionUpdate.UserMessage.builder(message).content(prompt).build();
        List<SessionUpdate> pieces = new ArrayList<>(prompt.size());
        for (ContentBlock block : prompt) {
            pieces.add(SessionUpdate.UserMessageChunk.of(block, message));
        }
        return new Outgoing(this, id, whole, SentInVersion1.InVersion1.of(pieces));
    }

    @GuardedBy("lock")
    private void queuePiece(@Nullable ConnectedClient prompted, ContentBlock block, MessageId message) {
        try {
            queueToOthers(prompted, new Outgoing(this, SessionUpdate.UserMessageChunk.of(block, message)));
        } catch (IllegalArgumentException e) {
            // The client that prompted knows it, and the others cannot be told.
        }
    }

    /** A turn has ended: tells how, behind its last update and before anything of the next one. */
    void tellEnd(AgentTurn turn, @Nullable RpcError failure) {
        StopReason reason = failure == null ? turn.stopReason() : StopReason.ERROR;
        lock.lock();
        try {
            asking = 0;
            if (!conversions.hasRest() && !isToldStates()) {
                told = new StateUpdate.Idle(null, null, null, background, Rest.NONE);
                return;
            }
            queueRest(true);
            AgentError error = failure == null
                    ? null
                    : AgentError.builder(failure.code(), failure.message())
                            .data(failure.data().orElse(null))
                            .build();
            try {
                tell(new StateUpdate.Idle(
                        reason, error, TokenUsage.reported(turn.tokens()), background, Rest.of(turn.responseMeta())));
            } catch (IllegalArgumentException e) {
                // The details are larger than messages may be.
                AgentError brief = error == null
                        ? null
                        : AgentError.builder(error.code(), "The turn failed").build();
                tell(new StateUpdate.Idle(reason, brief, null, background, Rest.NONE));
            }
            told = new StateUpdate.Idle(null, null, null, background, Rest.NONE);
        } finally {
            lock.unlock();
        }
        reportProblems();
    }

    /** Starts to tell clients of version 1 what they are not told at once, because it is told whole each time. */
    @GuardedBy("lock")
    private void startTellingRest() {
        tellsRest = true;
        try {
            owner.start(this::tellRest);
        } catch (OutOfMemoryError e) {
            // No thread for it: it is told with the next update, or at the end of the turn.
            tellsRest = false;
        }
    }

    private void tellRest() {
        lock.lock();
        try {
            while (!closed && conversions.hasRest()) {
                long left = conversions.untilRest();
                boolean isBehind =
                        !attachments.isEmpty() && attachments.getFirst().isBehind();
                if (isBehind) {
                    // Whoever sends waits for the leading client.
                    changed.await();
                } else if (left > 0) {
                    owner.config.time.await(lock, changed, left);
                } else {
                    queueRest(false);
                }
            }
            tellsRest = false;
        } catch (InterruptedException e) {
            // Nobody interrupts this thread.
            tellsRest = false;
        } finally {
            lock.unlock();
        }
        reportProblems();
    }

    @GuardedBy("lock")
    private void queueRest(boolean isEnd) {
        if (closed) {
            return;
        }
        for (Outgoing rest : conversions.rest(isEnd)) {
            try {
                queueToOthers(null, rest);
            } catch (IllegalArgumentException e) {
                // Larger than messages may be, which the program did not know: it said it in pieces.
                tooLarge = e;
            }
        }
    }

    /** A question of the running turn waits for the user. */
    void beginAsking() {
        lock.lock();
        try {
            asking++;
            if (told instanceof StateUpdate.Running) {
                tell(new StateUpdate.RequiresAction(background, Rest.NONE));
            }
        } finally {
            lock.unlock();
        }
    }

    void endAsking() {
        lock.lock();
        try {
            if (asking > 0 && --asking == 0 && told instanceof StateUpdate.RequiresAction) {
                tell(running());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sets the work beside the turns that the agent reports. */
    void background(List<BackgroundWork> work) {
        lock.lock();
        try {
            background = new BackgroundList(work);
            tell(
                    switch (told) {
                        case StateUpdate.Running now -> running();
                        case StateUpdate.RequiresAction now -> new StateUpdate.RequiresAction(background, Rest.NONE);
                        default -> new StateUpdate.Idle(null, null, null, background, Rest.NONE);
                    });
        } finally {
            lock.unlock();
        }
        reportProblems();
    }

    /**
     * Sends a client that resumes the session what happened meanwhile, and what the session is doing; then it is about
     * to be answered. Returns false when it was detached.
     */
    boolean openedWithState(Attachment attachment) throws InterruptedException {
        Message full;
        while ((full = offerState(attachment)) != null) {
            awaitRoom(attachment.client, full);
        }
        return isAttached(attachment.client);
    }

    /** Returns a message for which there is no room; null when all are queued. */
    private @Nullable Message offerState(Attachment attachment) {
        lock.lock();
        try {
            Message next;
            while (attachment.waiting != null && (next = attachment.waiting.peek()) != null) {
                if (!attachment.client.rpc().offer(next)) {
                    return next;
                }
                attachment.removeFirst(next);
            }
            if (!attachment.attached || ending) {
                return null;
            }
            for (Message state : new Outgoing(this, told).to(attachment.client.dialect())) {
                if (!attachment.client.rpc().offer(state)) {
                    return state;
                }
            }
            boolean unused = opened(attachment);
            return null;
        } finally {
            lock.unlock();
        }
    }

    // ---- what clients may end

    /** Keeps what ends a tool call or a terminal when a client asks for it; null when it cannot be ended any more. */
    void cancellable(Object id, @Nullable Runnable action) {
        lock.lock();
        try {
            if (action == null) {
                cancellable.remove(id);
            } else {
                cancellable.put(id, action);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Begins to end a tool call or a terminal, on a thread of its own. Returns false when that is not offered. */
    boolean cancel(Object id) {
        Runnable action;
        lock.lock();
        try {
            action = cancellable.get(id);
        } finally {
            lock.unlock();
        }
        if (action == null) {
            return false;
        }
        owner.start(() -> {
            try {
                action.run();
            } catch (RuntimeException e) {
                report("cancelling " + id + " in session " + this.id + " failed: " + e, e);
            }
        });
        return true;
    }

    // ---- updates that wait

    @GuardedBy("lock")
    private void addWaiting(Attachment to, Message message) {
        if (to.isFull(message, waitingLimit) && mayDetach(to)) {
            detachSlow(to);
        } else {
            to.add(message);
        }
    }

    /** Returns whether a client may be detached because too much waits for it; for the leading one senders wait. */
    @GuardedBy("lock")
    private boolean mayDetach(Attachment slowOne) {
        if (slowOne.opening) {
            return !slowOne.isFirst && (attachments.size() > 1 || isKept);
        }
        return attachments.getFirst() != slowOne;
    }

    @GuardedBy("lock")
    private void detachSlow(Attachment watcher) {
        watcher.client.sessions().remove(id, session);
        for (AgentTurn turn : turns) {
            if (turn.client() == watcher.client && turns.peek() != turn) {
                // Its prompts that wait: it would see nothing of them.
                List<AgentTurn.OnCancel> none = turn.cancel();
                assert none.isEmpty();
            }
        }
        boolean unused = detach(watcher);
        slow++;
    }

    /** Reports on the thread that noticed it, without the lock: the program decides what a report does. */
    private void reportProblems() {
        int detached;
        IllegalArgumentException untold;
        lock.lock();
        try {
            detached = slow;
            slow = 0;
            untold = tooLarge;
            tooLarge = null;
        } finally {
            lock.unlock();
        }
        if (untold != null) {
            report("clients of version 1 do not see what a tool call of session " + id + " contains", untold);
        }
        for (; detached > 0; detached--) {
            owner.config.onProblem.accept(new Problem(
                    Problem.Kind.TOO_SLOW,
                    "a client of session " + id + " reads too slowly and was detached from it",
                    null));
        }
    }

    /** The client has been answered: sends what waited for that, in order and before anything newer. */
    void release(Attachment attachment) throws InterruptedException {
        if (!attachment.isFirst) {
            catchUp(attachment);
            return;
        }
        boolean sent = false;
        try {
            Message next;
            while ((next = offerWaiting(attachment)) != null) {
                awaitRoom(attachment.client, next);
            }
            sent = true;
        } finally {
            if (!sent) {
                discardWaiting(attachment);
            }
        }
    }

    private void discardWaiting(Attachment attachment) {
        lock.lock();
        try {
            attachment.discardWaiting();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Sends what waits for a client; one that makes no room for too long is detached, unless it leads. */
    private void catchUp(Attachment watcher) {
        boolean sent = false;
        try {
            Message next;
            while ((next = offerWaiting(watcher)) != null) {
                if (isLeading(watcher)) {
                    awaitRoom(watcher.client, next);
                } else if (!watcher.client.rpc().awaitRoom(next, patience)) {
                    detachIfWatching(watcher);
                }
            }
            sent = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (!sent) {
                // Nobody would send the rest, and others wait for that.
                detachStuck(watcher);
            }
        }
    }

    private void detachStuck(Attachment watcher) {
        lock.lock();
        try {
            watcher.discardWaiting();
            if (watcher.attached) {
                detachSlow(watcher);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        reportProblems();
    }

    private boolean isLeading(Attachment attachment) {
        lock.lock();
        try {
            return !attachments.isEmpty() && attachments.getFirst() == attachment;
        } finally {
            lock.unlock();
        }
    }

    private void detachIfWatching(Attachment watcher) {
        lock.lock();
        try {
            if (!watcher.attached) {
                // The session has ended, and this client had its time.
                watcher.discardWaiting();
            } else if (attachments.getFirst() != watcher) {
                detachSlow(watcher);
            }
        } finally {
            lock.unlock();
        }
        reportProblems();
    }

    /** Waits until what was said before is in the client's queue: a question must not overtake it. */
    void awaitCaughtUp(ConnectedClient client) throws InterruptedException {
        lock.lock();
        try {
            Attachment attachment;
            while ((attachment = of(client)) != null && attachment.isBehind()) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Queues what waits, as far as there is room. Returns the first message for which there is none, or null. */
    private @Nullable Message offerWaiting(Attachment to) {
        lock.lock();
        try {
            Message next;
            while (to.waiting != null && (next = to.waiting.peek()) != null) {
                if (!to.client.rpc().offer(next)) {
                    return next;
                }
                to.removeFirst(next);
                changed.signalAll();
            }
            to.discardWaiting();
            changed.signalAll();
            return null;
        } catch (ConnectionClosedException e) {
            to.discardWaiting();
            changed.signalAll();
            return null;
        } finally {
            lock.unlock();
        }
    }

    // ---- turns

    void enqueue(AgentTurn turn) {
        lock.lock();
        try {
            if (ending || of(turn.client()) == null) {
                throw RpcError.sessionNotFound(id.value());
            }
            turns.add(turn);
        } finally {
            lock.unlock();
        }
    }

    /** Takes work of the agent's own for a turn. */
    void work(Agent.PromptHandler handler) {
        AgentTurn turn;
        lock.lock();
        try {
            requireOpen();
            if (ending) {
                throw new IllegalStateException("session " + id + " is closed");
            }
            turn = new AgentTurn(session, client(), new AgentDialect.Prompt(id, List.of(), Meta.EMPTY), null);
            turns.add(turn);
        } finally {
            lock.unlock();
        }
        owner.work(turn, handler);
    }

    /**
     * Waits until the turn is the first and what its client is owed has been sent. Returns false when it was cancelled
     * before.
     */
    boolean awaitTurn(AgentTurn turn) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            turn.begin();
            while ((turns.peek() != turn || isBehind(turn.client())) && !turn.isCancelled()) {
                changed.await();
            }
            if (turn.isCancelled()) {
                return false;
            }
            lead(turn.client());
            told = running();
            turn.runOn(Thread.currentThread(), attachments.size() > 1);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The turn is taken up for good. Returns false when its client has withdrawn the prompt: then the session is idle
     * again. The turn of a client that has left goes on.
     */
    boolean accept(AgentTurn turn) {
        lock.lock();
        try {
            boolean isAccepted = turn.isReleased() || turn.accept();
            if (!isAccepted) {
                told = new StateUpdate.Idle(null, null, null, background, Rest.NONE);
            }
            return isAccepted;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void lead(ConnectedClient client) {
        Attachment attachment = of(client);
        if (attachment != null && attachments.getFirst() != attachment) {
            attachments.remove(attachment);
            attachments.addFirst(attachment);
        }
    }

    @GuardedBy("lock")
    private boolean isBehind(@Nullable ConnectedClient client) {
        Attachment attachment = client == null ? null : of(client);
        return attachment != null && attachment.isBehind();
    }

    /** The turn's handler has returned: from here on a cancellation does not interrupt it any more. */
    void handled(AgentTurn turn) {
        boolean others;
        lock.lock();
        try {
            turn.ended();
            // Its answer must not come before its last updates.
            while (attachments.size() <= 1 && isBehind(turn.client())) {
                changed.awaitUninterruptibly();
            }
            others = attachments.size() > 1;
        } finally {
            lock.unlock();
        }
        if (others && !isReading(turn)) {
            detachUnanswered(turn);
        }
        // The turn's cancellation may have come after its work: it must not disturb what the thread does next.
        boolean unused = Thread.interrupted();
    }

    /**
     * Waits until the client of a turn has taken its updates and has room for the answer, for as long as others wait.
     */
    private boolean isReading(AgentTurn turn) {
        boolean interrupted = false;
        long deadline = owner.config.time.nanoTime() + patience.toNanos();
        lock.lock();
        try {
            long left = patience.toNanos();
            while (isBehind(turn.client()) && left > 0) {
                try {
                    owner.config.time.await(lock, changed, left);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
                left = deadline - owner.config.time.nanoTime();
            }
            if (isBehind(turn.client())) {
                return false;
            }
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return hasRoom(turn, deadline);
    }

    private boolean hasRoom(AgentTurn turn, long deadline) {
        boolean interrupted = Thread.interrupted();
        boolean isAnsweredNow = turn.client().version() == Version.V1;
        Message answer =
                Message.notification("", isAnsweredNow ? turn.client().dialect().answer(turn) : RawJson.EMPTY_OBJECT);
        try {
            while (true) {
                long left = Math.max(0, deadline - owner.config.time.nanoTime());
                try {
                    return turn.client().rpc().awaitRoom(answer, Duration.ofNanos(Math.max(1, left)));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The client does not read, and others wait for the next turn: this one goes without an answer. */
    private void detachUnanswered(AgentTurn turn) {
        lock.lock();
        try {
            Attachment attachment = of(turn.client());
            if (attachment != null) {
                boolean unused = turn.release();
                detachSlow(attachment);
            }
        } finally {
            lock.unlock();
        }
        reportProblems();
    }

    /** The turn's answer is on its way: the next one may begin. */
    void answered(AgentTurn turn) {
        lock.lock();
        try {
            turns.remove(turn);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Cancels the running turn and those that wait for it; prompts that come later are not concerned. */
    void cancel() {
        List<AgentTurn.OnCancel> actions = new ArrayList<>(0);
        lock.lock();
        try {
            for (AgentTurn turn : turns) {
                actions.addAll(turn.cancel());
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        start(actions);
    }

    /** Cancels one turn, unless it has ended. */
    void cancel(AgentTurn turn) {
        List<AgentTurn.OnCancel> actions = List.of();
        lock.lock();
        try {
            if (!turn.hasEnded()) {
                actions = turn.cancel();
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
        start(actions);
    }

    /** Starts what a turn does when it is cancelled. */
    private void start(List<AgentTurn.OnCancel> actions) {
        if (actions.isEmpty()) {
            return;
        }
        try {
            owner.start(() -> actions.forEach(AgentTurn.OnCancel::run));
        } catch (OutOfMemoryError e) {
            report("cancelling a turn of session " + id + " failed: no thread for what it does then", e);
        }
    }

    void report(String what, Throwable cause) {
        owner.config.onProblem.accept(new Problem(Problem.Kind.REQUEST_FAILED, what, cause));
    }

    /** Keeps what a turn does when it is cancelled, or does it now. */
    void onCancel(AgentTurn turn, AgentTurn.OnCancel action) {
        boolean kept;
        lock.lock();
        try {
            kept = turn.add(action);
        } finally {
            lock.unlock();
        }
        if (!kept) {
            start(List.of(action));
        }
    }

    void removeOnCancel(AgentTurn turn, AgentTurn.OnCancel action) {
        lock.lock();
        try {
            turn.remove(action);
        } finally {
            lock.unlock();
        }
    }

    /** The calling thread is about to wait for something that the end of the turn ends. */
    void beginWait(AgentTurn turn) {
        lock.lock();
        try {
            turn.beginWait(Thread.currentThread());
        } finally {
            lock.unlock();
        }
    }

    void endWait(AgentTurn turn) {
        lock.lock();
        try {
            turn.endWait(Thread.currentThread());
        } finally {
            lock.unlock();
        }
    }

    // ---- questions

    boolean asksAllClients() {
        return owner.config.asksAllClients;
    }

    /**
     * Returns the clients that can be asked, the one that prompted first; waits for one when there is none.
     *
     * @param turn the turn that asks, or null
     * @param failure why the client that was asked before did not answer, or null
     */
    List<ConnectedClient> awaitClients(@Nullable AgentTurn turn, @Nullable ConnectionClosedException failure)
            throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (turn != null) {
                turn.requireOpen();
            }
            List<ConnectedClient> clients = askable(turn);
            while (clients.isEmpty()) {
                if (!isKept && !isSomebodyOpening()) {
                    if (failure != null) {
                        throw failure;
                    }
                    return List.of(attachments.isEmpty() ? last : attachments.getFirst().client);
                }
                requireOpen();
                if (turn != null && turn.hasEnded()) {
                    throw new IllegalStateException("the turn has ended, and nobody was there to be asked");
                }
                changed.await();
                clients = askable(turn);
            }
            return clients;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the clients that can be asked now. */
    List<ConnectedClient> clients(@Nullable AgentTurn turn) {
        lock.lock();
        try {
            if (turn != null) {
                turn.requireOpen();
            }
            return askable(turn);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private List<ConnectedClient> askable(@Nullable AgentTurn turn) {
        List<ConnectedClient> clients = new ArrayList<>(1);
        for (Attachment attachment : attachments) {
            if (!attachment.opening && attachment.client.isOpen()) {
                boolean prompted = turn != null && turn.client() == attachment.client;
                clients.add(prompted ? 0 : clients.size(), attachment.client);
            }
        }
        return clients;
    }

    @GuardedBy("lock")
    private boolean isSomebodyOpening() {
        for (Attachment attachment : attachments) {
            if (attachment.opening) {
                return true;
            }
        }
        return false;
    }

    /** Waits until something that concerns a question has changed. */
    void await(BooleanSupplier isThere) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!isThere.getAsBoolean()) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The calling thread waits for something that the end of the session ends. */
    void beginWait() {
        lock.lock();
        try {
            requireOpen();
            waiting.add(Thread.currentThread());
        } finally {
            lock.unlock();
        }
    }

    void endWait() {
        lock.lock();
        try {
            waiting.remove(Thread.currentThread());
            if (ending) {
                // The end of the session has interrupted this thread, which has other work.
                boolean unused = Thread.interrupted();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the threads that wait, to look again. */
    void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // ---- the end

    /** Begins the end of the session. Returns false when it has begun before. */
    boolean beginEnd() {
        lock.lock();
        try {
            if (ending) {
                return false;
            }
            ending = true;
            for (Attachment attachment : attachments) {
                attachment.client.sessions().remove(id, session);
            }
            owner.kept.remove(session);
            waiting.forEach(Thread::interrupt);
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Begins the end of a session that is not just being opened. */
    boolean beginEndIfOpened() {
        lock.lock();
        try {
            return opened && beginEnd();
        } finally {
            lock.unlock();
        }
    }

    /** Begins the end of a session that nobody is attached to. */
    boolean beginEndIfAlone() {
        lock.lock();
        try {
            return attachments.isEmpty() && beginEnd();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until no turn runs or waits, and what waits for the client that asked has gone out: it must not come after
     * what that client does next with the session. From then on there is no turn, and nothing is sent. An interrupt
     * does not end the wait: half closed, a session would be nobody's.
     */
    void awaitClosed(@Nullable ConnectedClient asker) {
        lock.lock();
        try {
            while (!turns.isEmpty() || isBehind(asker)) {
                changed.awaitUninterruptibly();
            }
            close();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The connection of the last client has ended, and its turns have had their time. Turns that others began get
     * theirs, until the deadline; then nothing more is sent, and nobody waits for handlers that still run.
     */
    void abandon(long deadline) {
        abandon(false, deadline);
    }

    /** Gives all turns until the deadline; then nobody waits for them. */
    void abandonAll(long deadline) {
        abandon(true, deadline);
    }

    private void abandon(boolean waitsForAll, long deadline) {
        lock.lock();
        try {
            long left;
            while (isTurnAwaited(waitsForAll) && (left = deadline - owner.config.time.nanoTime()) > 0) {
                owner.config.time.await(lock, changed, left);
            }
            close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean isTurnAwaited(boolean all) {
        for (AgentTurn turn : turns) {
            if (all || turn.isReleased()) {
                return true;
            }
        }
        return false;
    }

    @GuardedBy("lock")
    private void close() {
        closed = true;
        for (Attachment attachment : attachments) {
            attachment.attached = false;
            last = attachment.client;
        }
        attachments.clear();
        changed.signalAll();
    }

    /** The session could not be opened. */
    void fail() {
        lock.lock();
        try {
            ending = true;
            close();
            gone = true;
        } finally {
            lock.unlock();
        }
    }

    /** What the session held has been freed: its id may be opened anew. */
    void gone() {
        lock.lock();
        try {
            gone = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void awaitGone() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!gone) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- modes and options

    void modes(@Nullable SessionModeState state) {
        lock.lock();
        try {
            modes = state;
        } finally {
            lock.unlock();
        }
    }

    @Nullable
    SessionModeState modes() {
        lock.lock();
        try {
            return modes;
        } finally {
            lock.unlock();
        }
    }

    void currentMode(SessionModeId mode) {
        lock.lock();
        try {
            if (modes != null) {
                modes = SessionModeState.of(mode, modes.availableModes()).withMeta(modes.meta());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the options with those that modes are in version 2. */
    OfferedOptions offered() {
        lock.lock();
        try {
            OfferedOptions offered = new OfferedOptions();
            if (modes != null) {
                offered.modes(modes);
            }
            offered.options(configOptions);
            return offered;
        } finally {
            lock.unlock();
        }
    }

    List<SessionConfigOption> configOptions() {
        lock.lock();
        try {
            return configOptions;
        } finally {
            lock.unlock();
        }
    }

    void configOptions(List<SessionConfigOption> options) {
        lock.lock();
        try {
            configOptions = List.copyOf(options);
        } finally {
            lock.unlock();
        }
    }

    AgentSession session() {
        return session;
    }
}
