package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.CompactionId;
import dev.acp4j.schema.CompactionSummaryChunk;
import dev.acp4j.schema.CompactionUpdate;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.UsageUpdate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The state of a session on the client's side, with all updates folded in: a user interface reads it and never merges
 * updates itself. Every method returns a snapshot; all may be called from any thread.
 *
 * <p>The lock guards everything and is held only while folding one update or copying.
 */
public final class SessionView {
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<MessageLog> messages = new ArrayList<>();

    /** Those that have an id: their pieces may come late. */
    @GuardedBy("lock")
    private final Map<MessageView.Author, Map<MessageId, MessageLog>> messagesById =
            new EnumMap<>(MessageView.Author.class);

    @GuardedBy("lock")
    private final Map<ToolCallId, ToolCallView> toolCalls = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final List<Notice> notices = new ArrayList<>();

    /** The message that a piece without an id belongs to; null after anything else happened. */
    @GuardedBy("lock")
    private @Nullable MessageLog open;

    @GuardedBy("lock")
    private final Map<CompactionId, CompactionView> compactions = new LinkedHashMap<>();

    /** By id; in version 1 of the protocol there is one, whose id is null. */
    @GuardedBy("lock")
    private final Map<@Nullable String, PlanView> plans = new LinkedHashMap<>();

    @GuardedBy("lock")
    private List<AvailableCommand> commands = List.of();

    @GuardedBy("lock")
    private @Nullable SessionModeState modes;

    @GuardedBy("lock")
    private List<SessionConfigOption> configOptions = List.of();

    @GuardedBy("lock")
    private @Nullable UsageUpdate usage;

    @GuardedBy("lock")
    private @Nullable String title;

    @GuardedBy("lock")
    private @Nullable String updatedAt;

    private final boolean keepsMessages;

    SessionView(boolean keepsMessages) {
        this.keepsMessages = keepsMessages;
    }

    /**
     * Returns the messages, in the order in which they began; none when the client does not
     * {@linkplain Client.Builder#keepsMessages keep} them.
     */
    public List<MessageView> messages() {
        lock.lock();
        try {
            List<MessageView> views = new ArrayList<>(messages.size());
            for (MessageLog message : messages) {
                views.add(message.view());
            }
            return List.copyOf(views);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the tool calls, in the order in which they began. */
    public List<ToolCallView> toolCalls() {
        lock.lock();
        try {
            return List.copyOf(toolCalls.values());
        } finally {
            lock.unlock();
        }
    }

    /** Returns one tool call. */
    public Optional<ToolCallView> toolCall(ToolCallId id) {
        lock.lock();
        try {
            return Optional.ofNullable(toolCalls.get(id));
        } finally {
            lock.unlock();
        }
    }

    /** Returns the plans, in the order in which they began; in version 1 of the protocol there is at most one. */
    public List<PlanView> plans() {
        lock.lock();
        try {
            return List.copyOf(plans.values());
        } finally {
            lock.unlock();
        }
    }

    /** Returns the tasks of all plans, in order; empty when there is no plan. */
    public List<PlanEntry> plan() {
        List<PlanEntry> entries = new ArrayList<>();
        for (PlanView plan : plans()) {
            entries.addAll(plan.entries());
        }
        return List.copyOf(entries);
    }

    /** Returns the compactions of the agent's context, in the order in which they began. */
    public List<CompactionView> compactions() {
        lock.lock();
        try {
            return List.copyOf(compactions.values());
        } finally {
            lock.unlock();
        }
    }

    /** Returns the commands that the user may call now. */
    public List<AvailableCommand> commands() {
        lock.lock();
        try {
            return commands;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the modes that the agent offers, and the current one. */
    public Optional<SessionModeState> modes() {
        lock.lock();
        try {
            return Optional.ofNullable(modes);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the config options with their values. */
    public List<SessionConfigOption> configOptions() {
        lock.lock();
        try {
            return configOptions;
        } finally {
            lock.unlock();
        }
    }

    /** Returns how full the context is, as the agent said last. */
    public Optional<UsageUpdate> usage() {
        lock.lock();
        try {
            return Optional.ofNullable(usage);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the session's title. */
    public Optional<String> title() {
        lock.lock();
        try {
            return Optional.ofNullable(title);
        } finally {
            lock.unlock();
        }
    }

    /** Returns when the session was last active, in ISO 8601, as the agent says it. */
    public Optional<String> updatedAt() {
        lock.lock();
        try {
            return Optional.ofNullable(updatedAt);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the notices so far. */
    public List<Notice> notices() {
        lock.lock();
        try {
            return List.copyOf(notices);
        } finally {
            lock.unlock();
        }
    }

    // ---- folding

    void opened(@Nullable SessionModeState state, List<SessionConfigOption> options) {
        lock.lock();
        try {
            modes = state == null ? modes : state;
            configOptions = options.isEmpty() ? configOptions : options;
        } finally {
            lock.unlock();
        }
    }

    SessionEvent fold(SessionUpdate update, SessionEvent.Origin origin) {
        lock.lock();
        try {
            // Most are pieces of messages, and a switch over patterns costs more.
            return update instanceof SessionUpdate.AgentMessageChunk piece
                    ? message(piece, origin)
                    : change(update, origin);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private SessionEvent change(SessionUpdate update, SessionEvent.Origin origin) {
        return switch (update) {
            case SessionUpdate.AgentMessageChunk piece -> message(piece, origin);
            case SessionUpdate.AgentThoughtChunk piece -> thought(piece, origin);
            case SessionUpdate.UserMessageChunk piece -> userMessage(piece, origin);
            case ToolCall call -> toolCall(ToolCallView.of(call), origin);
            case ToolCallUpdate change -> toolCall(known(change.toolCallId()).with(change), origin);
            case SessionUpdate.Plan next -> plan(new PlanView(null, next.entries()), origin);
            case Notice next -> notice(next, origin);
            case CompactionUpdate next ->
                compaction(compaction(next.compactionId()).with(next), origin);
            case CompactionSummaryChunk next ->
                compaction(compaction(next.compactionId()).with(next), origin);
            case UsageUpdate next -> {
                usage = next;
                yield new SessionEvent.UsageChanged(next, origin);
            }
            case SessionUpdate.AvailableCommandsUpdate next -> {
                commands = next.availableCommands();
                yield new SessionEvent.CommandsChanged(commands, origin);
            }
            case SessionUpdate.CurrentModeUpdate next -> mode(next.currentModeId(), origin);
            case SessionUpdate.ConfigOptionUpdate next -> {
                configOptions = next.configOptions();
                yield new SessionEvent.ConfigChanged(configOptions, origin);
            }
            case SessionUpdate.SessionInfoUpdate next -> {
                title = next.title().applyTo(title);
                updatedAt = next.updatedAt().applyTo(updatedAt);
                yield new SessionEvent.InfoChanged(title, updatedAt, origin);
            }
            // Only version 2 has these, which is not spoken yet.
            case SessionUpdate.Message next -> later(next);
            case StateUpdate next -> later(next);
            case SessionUpdate.ToolCallContentChunk next -> later(next);
            case SessionUpdate.PlanUpdate next -> later(next);
            case SessionUpdate.Unknown next -> new SessionEvent.Other(next.sessionUpdate(), next.raw(), origin);
        };
    }

    private static SessionEvent later(SessionUpdate update) {
        throw new IllegalArgumentException(
                "version 1 of the protocol has no " + update.getClass().getSimpleName());
    }

    // What comes between messages sets open to null: the next piece without an id begins a new message.

    @GuardedBy("lock")
    private SessionEvent toolCall(ToolCallView after, SessionEvent.Origin origin) {
        open = null;
        ToolCallView before = toolCalls.put(after.id(), after);
        return new SessionEvent.ToolCallChanged(after, before, origin);
    }

    @GuardedBy("lock")
    private ToolCallView known(ToolCallId id) {
        ToolCallView known = toolCalls.get(id);
        return known == null ? ToolCallView.unknown(id) : known;
    }

    @GuardedBy("lock")
    private SessionEvent plan(PlanView plan, SessionEvent.Origin origin) {
        open = null;
        plans.put(plan.id(), plan);
        return new SessionEvent.PlanChanged(plan, origin);
    }

    @GuardedBy("lock")
    private SessionEvent notice(Notice notice, SessionEvent.Origin origin) {
        open = null;
        notices.add(notice);
        return new SessionEvent.Noticed(notice, origin);
    }

    @GuardedBy("lock")
    private CompactionView compaction(CompactionId id) {
        CompactionView known = compactions.get(id);
        return known == null ? CompactionView.begun(id) : known;
    }

    @GuardedBy("lock")
    private SessionEvent compaction(CompactionView changed, SessionEvent.Origin origin) {
        open = null;
        CompactionView before = compactions.put(changed.id(), changed);
        return new SessionEvent.CompactionChanged(changed, before, origin);
    }

    @GuardedBy("lock")
    private SessionEvent mode(SessionModeId mode, SessionEvent.Origin origin) {
        if (modes != null) {
            modes = SessionModeState.of(mode, modes.availableModes()).withMeta(modes.meta());
        }
        return new SessionEvent.ModeChanged(mode, origin);
    }

    @GuardedBy("lock")
    private SessionEvent message(SessionUpdate.AgentMessageChunk piece, SessionEvent.Origin origin) {
        boolean isFirst = append(MessageView.Author.AGENT, piece);
        return new SessionEvent.Message(piece.content(), piece.messageId(), isFirst, origin);
    }

    @GuardedBy("lock")
    private SessionEvent thought(SessionUpdate.AgentThoughtChunk piece, SessionEvent.Origin origin) {
        boolean isFirst = append(MessageView.Author.THOUGHT, piece);
        return new SessionEvent.Thought(piece.content(), piece.messageId(), isFirst, origin);
    }

    @GuardedBy("lock")
    private SessionEvent userMessage(SessionUpdate.UserMessageChunk piece, SessionEvent.Origin origin) {
        boolean isFirst = append(MessageView.Author.USER, piece);
        return new SessionEvent.UserMessage(piece.content(), piece.messageId(), isFirst, origin);
    }

    /** Returns true when the piece begins a message. */
    @GuardedBy("lock")
    private boolean append(MessageView.Author author, SessionUpdate.Chunk chunk) {
        MessageId id = chunk.messageId();
        if (open != null && open.continues(author, id)) {
            keep(open, chunk);
            return false;
        }
        MessageLog known = id == null ? null : withId(author).get(id);
        open = known == null ? begin(author, id) : known;
        keep(open, chunk);
        return known == null;
    }

    @GuardedBy("lock")
    private void keep(MessageLog message, SessionUpdate.Chunk chunk) {
        if (keepsMessages) {
            message.append(chunk.content());
        }
    }

    @GuardedBy("lock")
    private MessageLog begin(MessageView.Author author, @Nullable MessageId id) {
        MessageLog message = new MessageLog(author, id);
        if (keepsMessages) {
            messages.add(message);
            if (id != null) {
                withId(author).put(id, message);
            }
        }
        return message;
    }

    @GuardedBy("lock")
    private Map<MessageId, MessageLog> withId(MessageView.Author author) {
        return messagesById.computeIfAbsent(author, any -> new HashMap<>());
    }
}
