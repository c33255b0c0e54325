package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.schema.CompactionId;
import dev.acp4j.schema.CompactionStatus;
import dev.acp4j.schema.CompactionUpdate;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a session, in order: prompts, messages, tool calls, plans, notices, compactions, questions, and the
 * ends of turns. An entry that changes keeps its position. A user interface draws all entries once and then
 * {@linkplain #changesSince the changes}; it merges nothing.
 *
 * <p>Thread-safe. The timeline changes when a message is read, before listeners are notified, so in a listener it may
 * be ahead of the event. A prompt of this client is in the timeline from the moment it is sent, and only once, also
 * when the agent repeats it.
 *
 * <p>The lock guards everything, and what grows in entries. It may be taken while the lock of {@link SessionState} is
 * held; while it is held, one update is folded or entries are copied, and nothing is called back.
 */
public final class Timeline {
    /** A change of one entry. */
    public sealed interface Change {
        /** Returns the number of the entry. */
        long number();
    }

    /**
     * An entry was added, after all others.
     *
     * @param entry the entry now
     */
    public record Added(Entry entry) implements Change {
        @Override
        public long number() {
            return entry.number();
        }
    }

    /**
     * An entry changed.
     *
     * @param entry the entry now, which replaces the one with the same number
     */
    public record Changed(Entry entry) implements Change {
        @Override
        public long number() {
            return entry.number();
        }
    }

    /**
     * Content was appended to a message.
     *
     * @param entry the entry now
     * @param content the appended content; empty when only extension data came
     */
    public record Appended(Entry.Message entry, List<ContentBlock> content) implements Change {
        /** Copies the content. */
        public Appended {
            content = List.copyOf(content);
        }

        @Override
        public long number() {
            return entry.number();
        }

        /** Returns the text of all pieces of text in what was appended. */
        public String text() {
            return GrowingContent.textOf(content);
        }
    }

    /**
     * An entry was removed. This does not happen in version 1 of the protocol.
     *
     * @param number the number of the entry
     */
    public record Removed(long number) implements Change {}

    /** The changes between two revisions. */
    public static final class Changes {
        private final long revision;
        private final List<Change> list;

        private Changes(long revision, List<Change> list) {
            this.revision = revision;
            this.list = List.copyOf(list);
        }

        /** Returns the revision after these changes, for the next call of {@link #changesSince}. */
        public long revision() {
            return revision;
        }

        /** Returns the changes, at most one for each entry, in the order of the entries. */
        public List<Change> list() {
            return list;
        }
    }

    /** An entry and its place in both orders: that of the session, and that of the latest changes. */
    private static final class Node<E extends Entry> {
        final long number;

        /** The revision that added the entry. */
        final long added;

        /** What of the entry grows; null when nothing does. */
        @Nullable
        GrowingContent content;

        /** The revision of the latest change. */
        long revision;

        @Nullable
        Node<?> older;

        @Nullable
        Node<?> newer;

        /** The entry as it is; null when it is gone. */
        @Nullable
        E view;

        Node(long number, long added, @Nullable GrowingContent content) {
            this.number = number;
            this.added = added;
            this.content = content;
        }

        Entry.Place place() {
            return new Entry.Place(number, revision);
        }
    }

    /** A message that pieces are appended to; without a node when messages are not kept. */
    private record Speech(
            Entry.Message.Author author,
            @Nullable MessageId id,
            @Nullable Node<Entry.Message> node) {
        boolean continuesWith(Entry.Message.Author otherAuthor, @Nullable MessageId otherId) {
            return author == otherAuthor && Objects.equals(id, otherId);
        }
    }

    private final ReentrantLock lock;
    private final Condition changed;
    private final boolean keepsMessages;

    /** In the order of their numbers. */
    @GuardedBy("lock")
    private final List<Node<?>> nodes = new ArrayList<>();

    /** The one that changed last. */
    @GuardedBy("lock")
    private @Nullable Node<?> newest;

    @GuardedBy("lock")
    private long revision;

    /** The latest revision that somebody knows: how long growing content was before is of no interest. */
    @GuardedBy("lock")
    private long seen;

    /** Messages that changed last at this revision or before are forgotten. */
    @GuardedBy("lock")
    private long forgotten;

    /** The message that a piece without an id belongs to; null after anything else happened. */
    @GuardedBy("lock")
    private @Nullable Speech open;

    /** Messages that have an id: their pieces may come late. */
    @GuardedBy("lock")
    private final Map<Entry.Message.Author, Map<MessageId, Speech>> messages =
            new EnumMap<>(Entry.Message.Author.class);

    @GuardedBy("lock")
    private final Map<ToolCallId, Node<Entry.ToolCall>> toolCalls = new HashMap<>();

    /** By id; in version 1 of the protocol there is one, whose id is null. */
    @GuardedBy("lock")
    private final Map<@Nullable String, Node<Entry.Plan>> plans = new HashMap<>();

    @GuardedBy("lock")
    private final Map<CompactionId, Node<Entry.Compaction>> compactions = new HashMap<>();

    /** What of the running turn's prompt the agent has not repeated. */
    @GuardedBy("lock")
    private final ArrayDeque<ContentBlock> unrepeated = new ArrayDeque<>();

    /** What the agent has said that may be the beginning of a repetition. */
    @GuardedBy("lock")
    private final List<ContentBlock> repeating = new ArrayList<>(0);

    /** Whether the session has ended here, or was left. */
    @GuardedBy("lock")
    private boolean over;

    /** How many characters of the first block of {@link #unrepeated} the agent has repeated. */
    @GuardedBy("lock")
    private int repeated;

    /** By number. */
    @GuardedBy("lock")
    private final Map<Long, Node<Entry.Question>> openQuestions = new HashMap<>();

    /** The first number that an entry of the running turn can have. */
    @GuardedBy("lock")
    private long turnFrom = 1;

    Timeline(boolean keepsMessages, ReentrantLock lock) {
        this.keepsMessages = keepsMessages;
        this.lock = lock;
        this.changed = lock.newCondition();
    }

    // ---- reading

    /** Returns all entries, in order. */
    public List<Entry> entries() {
        return entries(Entry.class);
    }

    /** Returns the entries of one kind, in order. */
    public <E extends Entry> List<E> entries(Class<E> kind) {
        lock.lock();
        try {
            List<E> all = new ArrayList<>();
            for (Node<?> node : nodes) {
                if (kind.isInstance(node.view)) {
                    all.add(kind.cast(node.view));
                }
            }
            return List.copyOf(all);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the current revision, which grows by one with each change; 0 before the first. */
    public long revision() {
        lock.lock();
        try {
            seen = revision;
            return revision;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the changes since a revision. Several changes of one entry are coalesced. The time is proportional to the
     * number of changed entries.
     *
     * @param since a revision of this timeline, from {@link Changes#revision()} or {@link #revision()}; 0 for all
     *     entries
     */
    public Changes changesSince(long since) {
        lock.lock();
        try {
            List<Node<?>> found = new ArrayList<>();
            for (Node<?> node = newest; node != null && node.revision > since; node = node.older) {
                found.add(node);
            }
            found.sort(Comparator.comparingLong(node -> node.number));
            List<Change> changes = new ArrayList<>(found.size());
            for (Node<?> node : found) {
                Change change = change(node, since);
                if (change != null) {
                    changes.add(change);
                }
            }
            seen = revision;
            return new Changes(revision, changes);
        } finally {
            lock.unlock();
        }
    }

    /** Returns what happened to an entry since a revision; null when it came and went. */
    private static @Nullable Change change(Node<?> node, long since) {
        Entry view = node.view;
        boolean wasThere = node.added <= since;
        if (view == null) {
            return wasThere ? new Removed(node.number) : null;
        }
        if (!wasThere) {
            return new Added(view);
        }
        if (view instanceof Entry.Message message && node.content != null) {
            List<ContentBlock> more = node.content.since(since);
            return more == null ? new Changed(message) : new Appended(message, more);
        }
        return new Changed(view);
    }

    /**
     * Waits for a change.
     *
     * @param since as for {@link #changesSince}
     * @param time the timeout, not negative; zero means no timeout
     * @return whether there is a later revision
     * @throws InterruptedException when interrupted
     */
    public boolean awaitChange(long since, Duration time) throws InterruptedException {
        if (time.isNegative()) {
            throw new IllegalArgumentException("a time to wait must not be negative: " + time);
        }
        long nanos = time.isZero() ? Long.MAX_VALUE : TimeUnit.NANOSECONDS.convert(time);
        lock.lockInterruptibly();
        try {
            while (revision <= since && nanos > 0 && !over) {
                nanos = changed.awaitNanos(nanos);
            }
            return revision > since;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Forgets what messages said up to a revision, for programs that print it and never look back: then a conversation
     * may be larger than the memory. The entries stay, and grow by what comes later. That is no change: nobody gets
     * notified.
     *
     * @param until as for {@link #changesSince}; messages that changed later keep everything
     */
    public void forgetMessages(long until) {
        lock.lock();
        try {
            Node<?> node = newest;
            while (node != null && node.revision > until) {
                node = node.older;
            }
            for (; node != null && node.revision > forgotten; node = node.older) {
                forgetMessage(node);
            }
            forgotten = Math.max(forgotten, until);
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("unchecked") // What the view is, the node is of.
    private static void forgetMessage(Node<?> node) {
        if (node.view instanceof Entry.Message message && node.content != null) {
            node.content.replace(List.of());
            ((Node<Entry.Message>) node).view = new Entry.Message(
                    node.place(), message.meta(), message.author(), message.id(), node.content.snapshot());
        }
    }

    // ---- changing

    /** Begins a revision that adds an entry. */
    @GuardedBy("lock")
    private <E extends Entry> Node<E> add(@Nullable GrowingContent content) {
        Node<E> node = new Node<>(nodes.size() + 1, revision + 1, content);
        nodes.add(node);
        begin(node);
        return node;
    }

    /** Begins a revision that changes an entry. */
    @GuardedBy("lock")
    private void change(Node<?> node) {
        if (node.content != null && node.revision <= seen) {
            node.content.mark(node.revision);
        }
        Node<?> before = node.older;
        Node<?> after = node.newer;
        if (before != null) {
            before.newer = after;
        }
        if (after == null) {
            newest = before;
        } else {
            after.older = before;
        }
        begin(node);
    }

    /** Begins a revision, of which an entry is the newest change. */
    @GuardedBy("lock")
    private void begin(Node<?> node) {
        node.revision = ++revision;
        node.older = newest;
        node.newer = null;
        if (newest != null) {
            newest.newer = node;
        }
        newest = node;
        changed.signalAll();
    }

    /** Takes an entry away. Only its number stays, for those who have seen it. */
    void remove(long number) {
        lock.lock();
        try {
            Node<?> node = nodes.get((int) number - 1);
            change(node);
            node.view = null;
            node.content = null;
            open = null;
            for (Map<MessageId, Speech> known : messages.values()) {
                known.values().removeIf(speech -> node.equals(speech.node()));
            }
            toolCalls.values().removeIf(node::equals);
            plans.values().removeIf(node::equals);
            compactions.values().removeIf(node::equals);
            openQuestions.values().removeIf(node::equals);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the latest extension data of an entry. */
    private static Meta latest(@Nullable Entry before, Meta next) {
        return next.isEmpty() && before != null ? before.meta() : next;
    }

    // ---- messages

    /** Appends a piece. Returns true when it begins a message. */
    boolean append(Entry.Message.Author author, @Nullable MessageId id, ContentBlock piece, Meta meta) {
        lock.lock();
        try {
            if (author == Entry.Message.Author.USER && !unrepeated.isEmpty()) {
                boolean isFirst = repeating.isEmpty();
                if (isRepeated(piece)) {
                    return isFirst;
                }
                // It was no repetition: what was taken for one is the beginning of a message.
                List<ContentBlock> begun = List.copyOf(repeating);
                forgetPrompt();
                for (ContentBlock block : begun) {
                    boolean unused = append(author, id, block, meta);
                }
            }
            if (open != null && open.continuesWith(author, id)) {
                append(open, piece, meta);
                return false;
            }
            Speech known = id == null ? null : withId(author).get(id);
            open = known == null ? begin(author, id) : known;
            append(open, piece, meta);
            return known == null;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Speech begin(Entry.Message.Author author, @Nullable MessageId id) {
        Speech speech = new Speech(author, id, keepsMessages ? add(new GrowingContent(lock)) : null);
        if (id != null && keepsMessages) {
            withId(author).put(id, speech);
        }
        return speech;
    }

    @GuardedBy("lock")
    private Map<MessageId, Speech> withId(Entry.Message.Author author) {
        return messages.computeIfAbsent(author, any -> new HashMap<>());
    }

    @GuardedBy("lock")
    private void append(Speech speech, ContentBlock piece, Meta meta) {
        Node<Entry.Message> node = speech.node();
        if (node == null || node.content == null) {
            return;
        }
        Entry.Message before = node.view;
        if (before != null) {
            change(node);
        }
        node.content.append(piece);
        show(speech, node, latest(before, meta));
    }

    @GuardedBy("lock")
    private void show(Speech speech, Node<Entry.Message> node, Meta meta) {
        node.view = new Entry.Message(
                node.place(),
                meta,
                speech.author(),
                speech.id(),
                Objects.requireNonNull(node.content).snapshot());
    }

    /** Returns whether a piece repeats what comes next of the prompt of the running turn, which stands here already. */
    @GuardedBy("lock")
    private boolean isRepeated(ContentBlock piece) {
        ContentBlock expected = Objects.requireNonNull(unrepeated.peek());
        boolean isWhole = expected.equals(piece) && repeated == 0;
        if (!isWhole) {
            if (!(expected instanceof ContentBlock.Text whole)
                    || !(piece instanceof ContentBlock.Text part)
                    || part.text().isEmpty()
                    || !whole.text().startsWith(part.text(), repeated)) {
                return false;
            }
            repeated += part.text().length();
            isWhole = repeated == whole.text().length();
        }
        repeating.add(piece);
        if (isWhole) {
            repeated = 0;
            unrepeated.remove();
            if (unrepeated.isEmpty()) {
                repeating.clear();
            }
        }
        return true;
    }

    /** From here on the agent does not repeat the prompt of the running turn. */
    @GuardedBy("lock")
    private void forgetPrompt() {
        unrepeated.clear();
        repeating.clear();
        repeated = 0;
    }

    /**
     * Takes a whole message, or what it says from now on in the place of what it said before.
     *
     * @param content null when it says what it said before
     */
    SessionEvent.MessageChanged message(
            Entry.Message.Author author,
            MessageId id,
            @Nullable List<ContentBlock> content,
            SessionEvent.Origin origin) {
        lock.lock();
        try {
            Speech speech = withId(author).get(id);
            if (speech == null) {
                speech = begin(author, id);
            } else if (speech.node() != null) {
                change(speech.node());
            }
            open = speech;
            Node<Entry.Message> node = speech.node();
            if (node == null || node.content == null) {
                // Messages are not kept, so what is new in it is not known.
                Entry.Message whole =
                        Entry.Message.of(author, id, content == null ? List.of() : content, origin.meta());
                return new SessionEvent.MessageChanged(whole, null, origin);
            }
            Entry.Message before = node.view;
            if (content != null) {
                node.content.replace(content);
            }
            show(speech, node, latest(before, origin.meta()));
            return new SessionEvent.MessageChanged(Objects.requireNonNull(node.view), before, origin);
        } finally {
            lock.unlock();
        }
    }

    /** Returns what the agent said in the entries from one number to before another. */
    String agentText(long from, long to) {
        StringBuilder text = new StringBuilder();
        lock.lock();
        try {
            for (Node<?> node : nodes.subList((int) from - 1, (int) Math.min(to - 1, nodes.size()))) {
                if (node.view instanceof Entry.Message message && message.author() == Entry.Message.Author.AGENT) {
                    text.append(message.text());
                }
            }
        } finally {
            lock.unlock();
        }
        return text.toString();
    }

    /** Returns the number that the next entry will have. */
    long nextNumber() {
        lock.lock();
        try {
            return nodes.size() + 1L;
        } finally {
            lock.unlock();
        }
    }

    // ---- what comes between messages: the next piece without an id begins a new message

    SessionEvent toolCall(ToolCall begun, SessionEvent.Origin origin) {
        lock.lock();
        try {
            return toolCall(begun.toolCallId(), (known, place) -> known.with(begun, place), origin);
        } finally {
            lock.unlock();
        }
    }

    SessionEvent toolCall(ToolCallUpdate update, SessionEvent.Origin origin) {
        lock.lock();
        try {
            return toolCall(update.toolCallId(), (known, place) -> known.with(update, place), origin);
        } finally {
            lock.unlock();
        }
    }

    /** Takes one more piece of what a tool call shows. */
    SessionEvent toolCall(ToolCallId id, ToolCallContent piece, SessionEvent.Origin origin) {
        lock.lock();
        try {
            return toolCall(id, (known, place) -> known.with(piece, origin.meta(), place), origin);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private SessionEvent toolCall(
            ToolCallId id, BiFunction<Entry.ToolCall, Entry.Place, Entry.ToolCall> merge, SessionEvent.Origin origin) {
        open = null;
        Node<Entry.ToolCall> node = toolCalls.get(id);
        if (node == null) {
            node = add(null);
            toolCalls.put(id, node);
        } else {
            change(node);
        }
        Entry.ToolCall before = node.view;
        Entry.ToolCall after = merge.apply(before == null ? Entry.ToolCall.unknown(id) : before, node.place());
        node.view = after;
        return new SessionEvent.ToolCallChanged(after, before, origin);
    }

    Optional<Entry.ToolCall> toolCall(ToolCallId id) {
        lock.lock();
        try {
            Node<Entry.ToolCall> node = toolCalls.get(id);
            return node == null ? Optional.empty() : Optional.ofNullable(node.view);
        } finally {
            lock.unlock();
        }
    }

    SessionEvent plan(@Nullable String id, List<PlanEntry> entries, SessionEvent.Origin origin) {
        lock.lock();
        try {
            open = null;
            Node<Entry.Plan> node = plans.get(id);
            if (node == null) {
                node = add(null);
                plans.put(id, node);
            } else {
                change(node);
            }
            Entry.Plan plan = new Entry.Plan(node.place(), latest(node.view, origin.meta()), id, entries);
            node.view = plan;
            return new SessionEvent.PlanChanged(plan, origin);
        } finally {
            lock.unlock();
        }
    }

    SessionEvent notice(Notice notice, SessionEvent.Origin origin) {
        lock.lock();
        try {
            open = null;
            Node<Entry.Notice> node = add(null);
            node.view = new Entry.Notice(node.place(), notice);
            return new SessionEvent.Noticed(notice, origin);
        } finally {
            lock.unlock();
        }
    }

    SessionEvent compaction(CompactionUpdate update, SessionEvent.Origin origin) {
        lock.lock();
        try {
            Node<Entry.Compaction> node = compaction(update.compactionId());
            Entry.Compaction before = node.view;
            GrowingContent summary = Objects.requireNonNull(node.content);
            if (!update.summary().isKeep()) {
                List<ContentBlock> blocks = update.summary().applyTo(null);
                summary.replace(blocks == null ? List.of() : blocks);
            }
            String error = update.error().applyTo(before == null ? null : before.error());
            return compaction(node, update.compactionId(), update.status(), error, origin);
        } finally {
            lock.unlock();
        }
    }

    SessionEvent compaction(CompactionId id, ContentBlock piece, SessionEvent.Origin origin) {
        lock.lock();
        try {
            Node<Entry.Compaction> node = compaction(id);
            Entry.Compaction before = node.view;
            Objects.requireNonNull(node.content).append(piece);
            CompactionStatus status = before == null ? CompactionStatus.IN_PROGRESS : before.status();
            return compaction(node, id, status, before == null ? null : before.error(), origin);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Node<Entry.Compaction> compaction(CompactionId id) {
        open = null;
        Node<Entry.Compaction> node = compactions.get(id);
        if (node == null) {
            node = add(new GrowingContent(lock));
            compactions.put(id, node);
        } else {
            change(node);
        }
        return node;
    }

    private static SessionEvent compaction(
            Node<Entry.Compaction> node,
            CompactionId id,
            CompactionStatus status,
            @Nullable String error,
            SessionEvent.Origin origin) {
        Entry.Compaction before = node.view;
        Entry.Compaction after = new Entry.Compaction(
                node.place(),
                latest(before, origin.meta()),
                id,
                status,
                Objects.requireNonNull(node.content).snapshot(),
                error);
        node.view = after;
        return new SessionEvent.CompactionChanged(after, before, origin);
    }

    // ---- questions

    /** Takes a question that is open. Returns the number of its entry. */
    long asked(Entry.Question question) {
        lock.lock();
        try {
            open = null;
            Node<Entry.Question> node = add(null);
            node.view = question.at(node.place());
            openQuestions.put(node.number, node);
            return node.number;
        } finally {
            lock.unlock();
        }
    }

    /**
     * A question needs no answer any more. Does nothing when that is known.
     *
     * @param option what was chosen, or null
     */
    void answered(long number, Entry.Question.State how, @Nullable PermissionOptionId option) {
        lock.lock();
        try {
            Node<Entry.Question> node = openQuestions.remove(number);
            if (node != null && node.view != null) {
                change(node);
                node.view = node.view.ended(node.place(), how, option);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a question is open. */
    boolean isOpen(long number) {
        lock.lock();
        try {
            return openQuestions.containsKey(number);
        } finally {
            lock.unlock();
        }
    }

    /** The session was closed or detached: wakes the threads that wait for changes. */
    void ends() {
        lock.lock();
        try {
            over = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Nobody answers questions of this session any more. */
    void withdrawQuestions() {
        lock.lock();
        try {
            for (long number : List.copyOf(openQuestions.keySet())) {
                answered(number, Entry.Question.State.WITHDRAWN, null);
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- turns

    /**
     * The prompt of a turn is sent: what is added from here on belongs to it. Returns the first number that can.
     *
     * @param prompt what the user says; null when the agent repeats it as a message of its own
     */
    long turnBegins(@Nullable List<ContentBlock> prompt) {
        lock.lock();
        try {
            open = null;
            forgetPrompt();
            if (prompt != null && keepsMessages) {
                Node<Entry.Message> node = add(new GrowingContent(lock));
                Objects.requireNonNull(node.content).replace(prompt);
                show(new Speech(Entry.Message.Author.USER, null, node), node, Meta.EMPTY);
                unrepeated.addAll(prompt);
            }
            turnFrom = nodes.size() + 1L;
            return turnFrom;
        } finally {
            lock.unlock();
        }
    }

    /** The running turn is cancelled, and with it those of its tool calls that have not ended. */
    void turnCancelled() {
        lock.lock();
        try {
            for (Node<?> node : nodes.subList((int) turnFrom - 1, nodes.size())) {
                if (node.view instanceof Entry.ToolCall call && call.isOpen()) {
                    Node<Entry.ToolCall> known = Objects.requireNonNull(toolCalls.get(call.id()));
                    change(known);
                    known.view = call.cancelled(known.place());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** The running turn has ended by the agent's answer. */
    void turnEnded(TurnResult result) {
        lock.lock();
        try {
            if (result.stopReason().equals(StopReason.CANCELLED)) {
                turnCancelled();
            }
            open = null;
            forgetPrompt();
            Node<Entry.TurnEnd> node = add(null);
            node.view = Entry.TurnEnd.of(node.place(), result);
        } finally {
            lock.unlock();
        }
    }

    /** The running turn has failed. */
    void turnFailed(RuntimeException failure) {
        lock.lock();
        try {
            open = null;
            forgetPrompt();
            Node<Entry.TurnEnd> node = add(null);
            node.view = Entry.TurnEnd.of(node.place(), failure);
        } finally {
            lock.unlock();
        }
    }
}
