package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.schema.BackgroundWork;
import dev.acp4j.schema.CompactionId;
import dev.acp4j.schema.CompactionStatus;
import dev.acp4j.schema.CompactionUpdate;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionMessage;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.SubagentUpdate;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutput;
import dev.acp4j.schema.TerminalUpdate;
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
 * <p>It takes no more memory than {@link dev.acp4j.rpc.Limits#viewBytes()}: beyond that its oldest entries are
 * {@linkplain Dropped dropped}, and an entry that takes more than half of it is {@linkplain Entry#isCut() cut}.
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

    /**
     * The oldest entries were dropped, because the timeline took too much memory. Updates of them count as the first
     * ones of new entries.
     *
     * @param number the number of the last one; all before it were dropped, too
     */
    public record Dropped(long number) implements Change {}

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

        /** Returns the changes, at most one for each entry, in the order of the entries; first the dropped ones. */
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

        /** The memory that it takes, by estimate. */
        long bytes;

        /** How many bytes were read for it, beside those for its content. */
        long read;

        /** Of these, what the parts of a tool call hold. */
        @Nullable
        Parts parts;

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

    /** How many bytes were read for what a tool call has now. */
    private static final class Parts {
        private long content;
        private long input;
        private long output;
        private long rest;

        void begin(long read) {
            content = 0;
            input = 0;
            output = 0;
            rest = read;
        }

        void change(ToolCallUpdate update, long read) {
            content = part(update.content(), content, read);
            input = part(update.rawInput(), input, read);
            output = part(update.rawOutput(), output, read);
            if (update.content().isKeep()
                    && update.rawInput().isKeep()
                    && update.rawOutput().isKeep()) {
                rest = Math.max(rest, read);
            }
        }

        private static long part(dev.acp4j.schema.Change<?> change, long before, long read) {
            return change.isKeep() ? before : change instanceof dev.acp4j.schema.Change.Clear ? 0 : read;
        }

        void append(long read) {
            content += read;
        }

        void halveContent() {
            content /= 2;
        }

        long all() {
            return content + input + output + rest;
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

    /** See {@link dev.acp4j.rpc.Limits#viewBytes()}. */
    private static final long BYTES_OF_ENTRY = 256;

    private final ReentrantLock lock;
    private final Condition changed;
    private final boolean keepsMessages;
    private final boolean patchesMeta;
    private final long limit;

    /** In the order of their numbers, of which the first is {@link #dropped} and one. */
    @GuardedBy("lock")
    private final List<Node<?>> nodes = new ArrayList<>();

    /** The number of the last entry that was dropped, 0 before the first. */
    @GuardedBy("lock")
    private long dropped;

    /** The number of the last message of the agent among these. */
    @GuardedBy("lock")
    private long droppedText;

    /** The revision that dropped the last one. */
    @GuardedBy("lock")
    private long droppedAt;

    /** The memory that all entries take, by estimate. */
    @GuardedBy("lock")
    private long kept;

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

    /** By id; the id of the one plan of version 1 is null. */
    @GuardedBy("lock")
    private final Map<@Nullable String, Node<Entry.Plan>> plans = new HashMap<>();

    @GuardedBy("lock")
    private final Map<CompactionId, Node<Entry.Compaction>> compactions = new HashMap<>();

    @GuardedBy("lock")
    private final Map<SessionId, Node<Entry.Subagent>> subagents = new HashMap<>(0);

    @GuardedBy("lock")
    private final Map<MessageId, Node<Entry.SessionMessage>> sessionMessages = new HashMap<>(0);

    /** Those of the agent. */
    @GuardedBy("lock")
    private final Map<TerminalId, Node<Entry.Terminal>> terminals = new HashMap<>();

    /** What reads the bytes that terminals print, of agents of version 2. */
    @GuardedBy("lock")
    private final Map<TerminalId, Utf8Pieces> decoders = new HashMap<>();

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

    /**
     * @param patchesMeta whether the extension data of a change is a change itself, as in version 2
     * @param limit see {@link dev.acp4j.rpc.Limits#viewBytes()}
     */
    Timeline(boolean keepsMessages, boolean patchesMeta, long limit, ReentrantLock lock) {
        this.keepsMessages = keepsMessages;
        this.patchesMeta = patchesMeta;
        this.limit = limit;
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
            if (droppedAt > since) {
                changes.add(new Dropped(dropped));
            }
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
                count(node);
            }
            forgotten = Math.max(forgotten, until);
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("unchecked") // What the view is, the node is of.
    private static void forgetMessage(Node<?> node) {
        if (node.view instanceof Entry.Message message && node.content != null) {
            node.content.replace(List.of(), 0);
            ((Node<Entry.Message>) node).view = new Entry.Message(
                    node.place(), message.meta(), message.author(), message.id(), node.content.snapshot());
        }
    }

    // ---- changing

    /** Begins a revision that adds an entry. */
    @GuardedBy("lock")
    private <E extends Entry> Node<E> add(@Nullable GrowingContent content) {
        Node<E> node = new Node<>(nextNumber(), revision + 1, content);
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
        leaveOrder(node);
        begin(node);
    }

    /** Takes an entry out of the order of the latest changes. */
    @GuardedBy("lock")
    private void leaveOrder(Node<?> node) {
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
            if (number <= dropped) {
                return;
            }
            Node<?> node = nodes.get(index(number));
            change(node);
            forget(node);
            openQuestions.remove(number);
            open = null;
            node.view = null;
            node.content = null;
            node.read = 0;
            count(node);
        } finally {
            lock.unlock();
        }
    }

    /** From here on nothing that comes belongs to the entry. */
    @GuardedBy("lock")
    private void forget(Node<?> node) {
        if (open != null && node.equals(open.node())) {
            open = null;
        }
        switch (node.view) {
            case Entry.Message message -> {
                if (message.id() != null) {
                    withId(message.author()).remove(message.id());
                }
            }
            case Entry.ToolCall call -> toolCalls.remove(call.id());
            case Entry.Plan plan -> plans.remove(plan.id());
            case Entry.Compaction compaction -> compactions.remove(compaction.id());
            case Entry.Subagent subagent -> subagents.remove(subagent.id());
            case Entry.SessionMessage message -> sessionMessages.remove(message.id());
            case Entry.Terminal terminal -> {
                terminals.remove(terminal.id());
                decoders.remove(terminal.id());
            }
            case null, default -> {}
        }
    }

    @GuardedBy("lock")
    private int index(long number) {
        return (int) (number - dropped - 1);
    }

    // ---- the bound

    /** An entry has changed: notes what memory it takes now, and makes room if all take too much. */
    @GuardedBy("lock")
    private void weigh(Node<?> node) {
        count(node);
        if (kept > limit) {
            makeRoom(node);
        }
    }

    @GuardedBy("lock")
    private void count(Node<?> node) {
        long content = node.content == null ? 0 : node.content.bytes();
        long bytes = BYTES_OF_ENTRY + content + GrowingContent.BYTES_OF_BYTE * node.read;
        kept += bytes - node.bytes;
        node.bytes = bytes;
    }

    @GuardedBy("lock")
    private void makeRoom(Node<?> changedNow) {
        if (changedNow.bytes > limit / 2 && cut(changedNow)) {
            return;
        }
        int gone = 0;
        // Some more than necessary, for not every update is to move all entries.
        while (kept > limit - limit / 8 && gone < nodes.size() - 1) {
            Node<?> oldest = nodes.get(gone++);
            kept -= oldest.bytes;
            if (oldest.view instanceof Entry.Message message && message.author() == Entry.Message.Author.AGENT) {
                droppedText = oldest.number;
            }
            leaveOrder(oldest);
            forget(oldest);
        }
        if (gone > 0) {
            nodes.subList(0, gone).clear();
            dropped += gone;
            droppedAt = ++revision;
            changed.signalAll();
        }
    }

    /**
     * Drops the first half of what an entry says. Returns false if that is no list or text, which cannot grow either.
     */
    @GuardedBy("lock")
    @SuppressWarnings("unchecked") // What the view is, the node is of.
    private boolean cut(Node<?> node) {
        GrowingContent content = node.content;
        if (content != null && !content.dropFirstHalf()) {
            return false;
        }
        if (content != null && node.view instanceof Entry.Message message) {
            ((Node<Entry.Message>) node).view =
                    new Entry.Message(node.place(), message.meta(), message.author(), message.id(), content.snapshot());
        } else if (content != null && node.view instanceof Entry.Compaction old) {
            ((Node<Entry.Compaction>) node).view = new Entry.Compaction(
                    node.place(), old.meta(), old.id(), old.status(), content.snapshot(), old.error());
        } else if (content != null && node.view instanceof Entry.SessionMessage old) {
            ((Node<Entry.SessionMessage>) node).view =
                    new Entry.SessionMessage(node.place(), old.meta(), old.id(), old.parties(), content.snapshot());
        } else if (content != null && node.view instanceof Entry.Terminal old) {
            ((Node<Entry.Terminal>) node).view =
                    new Entry.Terminal(node.place(), old.id(), old.about(), content.snapshot());
        } else if (node.parts != null
                && node.view instanceof Entry.ToolCall call
                && call.content().size() > 1) {
            ((Node<Entry.ToolCall>) node).view = call.withoutFirstHalf(node.place());
            node.parts.halveContent();
            node.read = node.parts.all();
        } else {
            return false;
        }
        weigh(node);
        return true;
    }

    /** Returns the latest extension data of an entry. */
    private Meta latest(@Nullable Entry before, Meta next) {
        if (before == null || (patchesMeta && !before.meta().isEmpty())) {
            return before == null ? next : before.meta().patchedBy(next);
        }
        return next.isEmpty() && !next.isNull() ? before.meta() : next;
    }

    // ---- messages

    /**
     * Appends a piece. Returns true when it begins a message.
     *
     * @param read how many bytes were read for it
     */
    boolean append(Entry.Message.Author author, @Nullable MessageId id, ContentBlock piece, Meta meta, int read) {
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
                    boolean unused = append(author, id, block, meta, read);
                }
            }
            if (open != null && open.continuesWith(author, id)) {
                append(open, piece, meta, read);
                return false;
            }
            Speech known = id == null ? null : withId(author).get(id);
            open = known == null ? begin(author, id) : known;
            append(open, piece, meta, read);
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
    private void append(Speech speech, ContentBlock piece, Meta meta, int read) {
        Node<Entry.Message> node = speech.node();
        if (node == null || node.content == null) {
            return;
        }
        Entry.Message before = node.view;
        if (before != null) {
            change(node);
        }
        node.content.append(piece, read);
        show(speech, node, latest(before, meta));
        if (!meta.isEmpty()) {
            node.read = read;
        }
        weigh(node);
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
                node.content.replace(content, origin.bytes());
            }
            show(speech, node, latest(before, origin.meta()));
            Entry.Message after = Objects.requireNonNull(node.view);
            if (!origin.meta().isEmpty()) {
                node.read = origin.bytes();
            }
            weigh(node);
            return new SessionEvent.MessageChanged(after, before, origin);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns what the agent said in the entries from one number to before another.
     *
     * @throws IllegalStateException when some of it was dropped
     */
    String agentText(long from, long to) {
        StringBuilder text = new StringBuilder();
        lock.lock();
        try {
            boolean isWhole = from > droppedText;
            int first = Math.max(0, index(from));
            for (Node<?> node : nodes.subList(first, Math.max(first, Math.min(index(to), nodes.size())))) {
                if (node.view instanceof Entry.Message message && message.author() == Entry.Message.Author.AGENT) {
                    isWhole &= !message.isCut();
                    text.append(message.text());
                }
            }
            if (!isWhole) {
                throw new IllegalStateException("the beginning of the answer was dropped: the session's view takes more"
                        + " than Limits.viewBytes() = " + limit + "; read the events of the turn instead");
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
            return dropped + nodes.size() + 1;
        } finally {
            lock.unlock();
        }
    }

    // ---- what comes between messages: the next piece without an id begins a new message

    SessionEvent toolCall(ToolCall begun, SessionEvent.Origin origin) {
        lock.lock();
        try {
            Parts parts = parts(begun.toolCallId());
            parts.begin(origin.bytes());
            return toolCall(
                    begun.toolCallId(),
                    parts,
                    (known, place) -> known.with(begun, latest(known, begun.meta()), place),
                    origin);
        } finally {
            lock.unlock();
        }
    }

    SessionEvent toolCall(ToolCallUpdate update, SessionEvent.Origin origin) {
        lock.lock();
        try {
            Parts parts = parts(update.toolCallId());
            parts.change(update, origin.bytes());
            return toolCall(
                    update.toolCallId(),
                    parts,
                    (known, place) -> known.with(update, latest(known, update.meta()), place),
                    origin);
        } finally {
            lock.unlock();
        }
    }

    /** Takes one more piece of what a tool call shows. */
    SessionEvent toolCall(ToolCallId id, ToolCallContent piece, SessionEvent.Origin origin) {
        lock.lock();
        try {
            Parts parts = parts(id);
            parts.append(origin.bytes());
            return toolCall(
                    id, parts, (known, place) -> known.with(piece, latest(known, origin.meta()), place), origin);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Parts parts(ToolCallId id) {
        Node<Entry.ToolCall> node = toolCalls.get(id);
        return node == null || node.parts == null ? new Parts() : node.parts;
    }

    @GuardedBy("lock")
    private SessionEvent toolCall(
            ToolCallId id,
            Parts parts,
            BiFunction<Entry.ToolCall, Entry.Place, Entry.ToolCall> merge,
            SessionEvent.Origin origin) {
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
        if (!terminals.isEmpty() && after.content().isEmpty()) {
            TerminalId own = TerminalId.of(id.value());
            if (terminals.containsKey(own)) {
                // Some agents of version 1 name the terminal of a command nowhere else.
                after = after.with(ToolCallContent.terminal(own), after.meta(), node.place());
            }
        }
        node.view = after;
        node.parts = parts;
        node.read = parts.all();
        weigh(node);
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

    /** Takes what an agent of version 1 says of a terminal of its own. */
    SessionEvent terminal(VendorDialect.TerminalChange change, SessionEvent.Origin origin) {
        lock.lock();
        try {
            Node<Entry.Terminal> node = terminal(change.id(), false);
            Entry.Terminal before = node.view;
            Entry.Terminal.About about = before == null ? Entry.Terminal.About.NOTHING : before.about();
            return terminal(node, change.id(), about.with(change.cwd(), change.exitStatus()), change.output(), origin);
        } finally {
            lock.unlock();
        }
    }

    /** Takes a change of a terminal, whose output replaces what it printed before. */
    SessionEvent terminal(TerminalUpdate change, SessionEvent.Origin origin) {
        TerminalOutput output = change.output().applyTo(null);
        byte[] bytes = output == null ? new byte[0] : output.bytes();
        lock.lock();
        try {
            boolean replaces = !change.output().isKeep();
            Node<Entry.Terminal> node = terminal(change.terminalId(), replaces);
            Entry.Terminal before = node.view;
            Entry.Terminal.About about = before == null ? Entry.Terminal.About.NOTHING : before.about();
            String text = replaces ? pieces(change.terminalId(), true).add(bytes) : "";
            return terminal(node, change.terminalId(), about.with(change, latest(before, change.meta())), text, origin);
        } finally {
            lock.unlock();
        }
    }

    /** Takes what the command of a terminal has printed: bytes, among which a character may be split. */
    SessionEvent terminal(TerminalId id, byte[] bytes, SessionEvent.Origin origin) {
        lock.lock();
        try {
            Node<Entry.Terminal> node = terminal(id, false);
            Entry.Terminal before = node.view;
            Entry.Terminal.About about = before == null ? Entry.Terminal.About.NOTHING : before.about();
            return terminal(node, id, about, pieces(id, false).add(bytes), origin);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Utf8Pieces pieces(TerminalId id, boolean anew) {
        Utf8Pieces known = anew ? null : decoders.get(id);
        if (known == null) {
            known = new Utf8Pieces();
            decoders.put(id, known);
        }
        return known;
    }

    @GuardedBy("lock")
    private Node<Entry.Terminal> terminal(TerminalId id, boolean clears) {
        open = null;
        Node<Entry.Terminal> node = terminals.get(id);
        if (node == null) {
            node = add(new GrowingContent(lock));
            terminals.put(id, node);
        } else {
            change(node);
        }
        if (clears) {
            Objects.requireNonNull(node.content).replace(List.of(), 0);
        }
        return node;
    }

    @GuardedBy("lock")
    private SessionEvent terminal(
            Node<Entry.Terminal> node,
            TerminalId id,
            Entry.Terminal.About about,
            String printed,
            SessionEvent.Origin origin) {
        GrowingContent output = Objects.requireNonNull(node.content);
        output.append(ContentBlock.text(printed), 0);
        Entry.Terminal after = new Entry.Terminal(node.place(), id, about, output.snapshot());
        node.view = after;
        weigh(node);
        return new SessionEvent.TerminalChanged(after, printed, origin);
    }

    Optional<Entry.Terminal> terminal(TerminalId id) {
        lock.lock();
        try {
            Node<Entry.Terminal> node = terminals.get(id);
            return node == null ? Optional.empty() : Optional.ofNullable(node.view);
        } finally {
            lock.unlock();
        }
    }

    SessionEvent plan(@Nullable String id, List<PlanEntry> entries, SessionEvent.Origin origin) {
        return plan(id, entries, null, null, origin);
    }

    /** Takes a plan, whole: tasks, the address of a file, or a text. */
    SessionEvent plan(
            @Nullable String id,
            List<PlanEntry> entries,
            @Nullable String uri,
            @Nullable String markdown,
            SessionEvent.Origin origin) {
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
            Entry.Plan plan =
                    new Entry.Plan(node.place(), latest(node.view, origin.meta()), id, entries, uri, markdown);
            node.view = plan;
            node.read = origin.bytes();
            weigh(node);
            return new SessionEvent.PlanChanged(plan, origin);
        } finally {
            lock.unlock();
        }
    }

    /** Removes a plan. Returns null when there is none with that id. */
    @Nullable
    SessionEvent planRemoved(String id, SessionEvent.Origin origin) {
        lock.lock();
        try {
            Node<Entry.Plan> node = plans.get(id);
            if (node == null || node.view == null) {
                return null;
            }
            Entry.Plan gone = node.view;
            remove(node.number);
            return new SessionEvent.PlanRemoved(gone, origin);
        } finally {
            lock.unlock();
        }
    }

    SessionEvent.SubagentChanged subagent(
            SubagentUpdate change,
            dev.acp4j.schema.Change<SessionEvent.StateChanged.State> state,
            SessionEvent.Origin origin) {
        lock.lock();
        try {
            Node<Entry.Subagent> node = subagents.get(change.sessionId());
            if (node == null) {
                node = add(null);
                subagents.put(change.sessionId(), node);
            } else {
                change(node);
            }
            Entry.Subagent before = node.view;
            Entry.Subagent known = before == null ? Entry.Subagent.unknown(change.sessionId()) : before;
            Entry.Subagent after = known.with(change, state, latest(before, origin.meta()), node.place());
            node.view = after;
            node.read = Math.max(node.read, origin.bytes());
            weigh(node);
            return new SessionEvent.SubagentChanged(after, before, origin);
        } finally {
            lock.unlock();
        }
    }

    /** Takes what a message between sessions says from now on, as far as the change mentions it. */
    SessionEvent sessionMessage(SessionMessage change, SessionEvent.Origin origin) {
        lock.lock();
        try {
            Node<Entry.SessionMessage> node = sessionMessage(change.messageId());
            if (!change.content().isKeep()) {
                List<ContentBlock> blocks = change.content().applyTo(null);
                Objects.requireNonNull(node.content).replace(blocks == null ? List.of() : blocks, origin.bytes());
            }
            Entry.SessionMessage before = node.view;
            return sessionMessage(
                    node,
                    change.messageId(),
                    (before == null ? Entry.SessionMessage.Parties.NOBODY : before.parties()).with(change),
                    latest(before, origin.meta()),
                    origin);
        } finally {
            lock.unlock();
        }
    }

    SessionEvent sessionMessage(MessageId id, ContentBlock piece, SessionEvent.Origin origin) {
        lock.lock();
        try {
            Node<Entry.SessionMessage> node = sessionMessage(id);
            Objects.requireNonNull(node.content).append(piece, origin.bytes());
            Entry.SessionMessage before = node.view;
            // The extension data of a piece is its own.
            return sessionMessage(
                    node,
                    id,
                    before == null ? Entry.SessionMessage.Parties.NOBODY : before.parties(),
                    before == null ? Meta.EMPTY : before.meta(),
                    origin);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Node<Entry.SessionMessage> sessionMessage(MessageId id) {
        open = null;
        Node<Entry.SessionMessage> node = sessionMessages.get(id);
        if (node == null) {
            node = add(new GrowingContent(lock));
            sessionMessages.put(id, node);
        } else {
            change(node);
        }
        return node;
    }

    @GuardedBy("lock")
    private SessionEvent sessionMessage(
            Node<Entry.SessionMessage> node,
            MessageId id,
            Entry.SessionMessage.Parties about,
            Meta meta,
            SessionEvent.Origin origin) {
        Entry.SessionMessage before = node.view;
        Entry.SessionMessage after = new Entry.SessionMessage(
                node.place(),
                meta,
                id,
                about,
                Objects.requireNonNull(node.content).snapshot());
        node.view = after;
        if (!meta.isEmpty()) {
            node.read = Math.max(node.read, origin.bytes());
        }
        weigh(node);
        return new SessionEvent.SessionMessageChanged(after, before, origin);
    }

    SessionEvent notice(Notice notice, SessionEvent.Origin origin) {
        lock.lock();
        try {
            open = null;
            Node<Entry.Notice> node = add(null);
            node.view = new Entry.Notice(node.place(), notice);
            node.read = origin.bytes();
            weigh(node);
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
                summary.replace(blocks == null ? List.of() : blocks, origin.bytes());
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
            Objects.requireNonNull(node.content).append(piece, origin.bytes());
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

    @GuardedBy("lock")
    private SessionEvent compaction(
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
        if (error != null || !origin.meta().isEmpty()) {
            node.read = Math.max(node.read, origin.bytes());
        }
        weigh(node);
        return new SessionEvent.CompactionChanged(after, before, origin);
    }

    // ---- questions

    /**
     * Takes a question that is open. Returns the number of its entry.
     *
     * @param read how many bytes were read for it
     */
    long asked(Entry.Question question, int read) {
        lock.lock();
        try {
            open = null;
            Node<Entry.Question> node = add(null);
            node.view = question.at(node.place());
            openQuestions.put(node.number, node);
            node.read = read;
            weigh(node);
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
            if (node != null && node.view != null && number > dropped) {
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

    /** Returns whether a question is asked for one of these, which are no part of a turn. */
    boolean isFor(long number, List<BackgroundWork> works) {
        lock.lock();
        try {
            Node<Entry.Question> node = openQuestions.get(number);
            return node != null && node.view != null && node.view.isFor(works);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Nobody answers questions of this session any more.
     *
     * @param except the work whose questions stay open
     */
    void withdrawQuestions(List<BackgroundWork> except) {
        lock.lock();
        try {
            for (long number : List.copyOf(openQuestions.keySet())) {
                if (!isFor(number, except)) {
                    answered(number, Entry.Question.State.WITHDRAWN, null);
                }
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
                Objects.requireNonNull(node.content).replace(prompt, GrowingContent.dataOf(prompt));
                show(new Speech(Entry.Message.Author.USER, null, node), node, Meta.EMPTY);
                weigh(node);
                unrepeated.addAll(prompt);
            }
            turnFrom = nextNumber();
            return turnFrom;
        } finally {
            lock.unlock();
        }
    }

    /** The running turn is cancelled, and with it those of its tool calls that have not ended. */
    void turnCancelled() {
        lock.lock();
        try {
            for (Node<?> node : nodes.subList(Math.max(0, index(turnFrom)), nodes.size())) {
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
            node.read = result.meta().isEmpty() ? 0 : result.meta().raw().bytes().length;
            weigh(node);
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
            weigh(node);
        } finally {
            lock.unlock();
        }
    }
}
