package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.CompactionSummaryChunk;
import dev.acp4j.schema.CompactionUpdate;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.UsageUpdate;
import java.util.ArrayList;
import java.util.List;
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
    private final Timeline timeline;

    @GuardedBy("lock")
    private List<AvailableCommand> commands = List.of();

    @GuardedBy("lock")
    private Meta commandsMeta = Meta.EMPTY;

    @GuardedBy("lock")
    private final OfferedOptions options = new OfferedOptions();

    @GuardedBy("lock")
    private Meta configOptionsMeta = Meta.EMPTY;

    @GuardedBy("lock")
    private @Nullable UsageUpdate usage;

    @GuardedBy("lock")
    private @Nullable String title;

    @GuardedBy("lock")
    private @Nullable String updatedAt;

    @GuardedBy("lock")
    private Meta infoMeta = Meta.EMPTY;

    SessionView(boolean keepsMessages) {
        timeline = new Timeline(keepsMessages, lock);
    }

    /** Returns all that a user sees of the session, in order. */
    public Timeline timeline() {
        return timeline;
    }

    /**
     * Returns the messages, in the order in which they began; none when the client does not
     * {@linkplain Client.Builder#keepsMessages keep} them.
     */
    public List<MessageView> messages() {
        return timeline.entries(MessageView.class);
    }

    /** Returns the tool calls, in the order in which they began. */
    public List<ToolCallView> toolCalls() {
        return timeline.entries(ToolCallView.class);
    }

    /** Returns one tool call. */
    public Optional<ToolCallView> toolCall(ToolCallId id) {
        return timeline.toolCall(id);
    }

    /** Returns the plans, in the order in which they began; in version 1 of the protocol there is at most one. */
    public List<PlanView> plans() {
        return timeline.entries(PlanView.class);
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
        return timeline.entries(CompactionView.class);
    }

    /** Returns the notices so far. */
    public List<Notice> notices() {
        List<Notice> notices = new ArrayList<>();
        for (NoticeView notice : timeline.entries(NoticeView.class)) {
            notices.add(notice.notice());
        }
        return List.copyOf(notices);
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

    /** Returns the extension data that the agent gave last with the commands, empty when it gave none. */
    public Meta commandsMeta() {
        lock.lock();
        try {
            return commandsMeta;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the config options with their values. The modes of an agent that has modes and no option of category
     * {@code mode} are the first option, of that category; see {@link Session#setConfigOption(SessionConfigId,
     * SessionConfigOptionValue)}.
     */
    public List<SessionConfigOption> configOptions() {
        lock.lock();
        try {
            return options.all();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the first config option of a category. */
    public Optional<SessionConfigOption> configOption(SessionConfigOptionCategory category) {
        for (SessionConfigOption option : configOptions()) {
            if (category.equals(option.category())) {
                return Optional.of(option);
            }
        }
        return Optional.empty();
    }

    /** Returns whether an option is made of the agent's modes. */
    boolean isMadeOfModes(SessionConfigId option) {
        lock.lock();
        try {
            return options.isMadeOfModes(option);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the extension data that the agent gave last with the config options, empty when it gave none. */
    public Meta configOptionsMeta() {
        lock.lock();
        try {
            return configOptionsMeta;
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

    /** Returns the extension data that the agent gave last with title and time, empty when it gave none. */
    public Meta infoMeta() {
        lock.lock();
        try {
            return infoMeta;
        } finally {
            lock.unlock();
        }
    }

    // ---- folding

    void opened(@Nullable SessionModeState modes, List<SessionConfigOption> offered) {
        lock.lock();
        try {
            if (modes != null) {
                options.modes(modes);
            }
            if (!offered.isEmpty()) {
                options.options(offered);
            }
        } finally {
            lock.unlock();
        }
    }

    SessionEvent fold(SessionUpdate update, SessionEvent.Origin origin) {
        // Most are pieces of messages, and a switch over patterns costs more.
        if (update instanceof SessionUpdate.Chunk piece) {
            return message(piece, origin);
        }
        lock.lock();
        try {
            return change(update, origin);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private SessionEvent change(SessionUpdate update, SessionEvent.Origin origin) {
        return switch (update) {
            case SessionUpdate.Chunk piece -> message(piece, origin);
            case ToolCall call -> timeline.toolCall(call, origin);
            case ToolCallUpdate change -> timeline.toolCall(change, origin);
            case SessionUpdate.Plan next -> timeline.plan(null, next.entries(), origin);
            case Notice next -> timeline.notice(next, origin);
            case CompactionUpdate next -> timeline.compaction(next, origin);
            case CompactionSummaryChunk next -> timeline.compaction(next, origin);
            case UsageUpdate next -> {
                usage = next;
                yield new SessionEvent.UsageChanged(next, origin);
            }
            case SessionUpdate.AvailableCommandsUpdate next -> {
                commands = next.availableCommands();
                commandsMeta = latest(commandsMeta, next.meta());
                yield new SessionEvent.CommandsChanged(commands, origin);
            }
            case SessionUpdate.CurrentModeUpdate next -> {
                List<SessionConfigOption> before = options.all();
                options.mode(next.currentModeId());
                yield configChanged(before, origin);
            }
            case SessionUpdate.ConfigOptionUpdate next -> {
                List<SessionConfigOption> before = options.all();
                options.options(next.configOptions());
                yield configChanged(before, origin);
            }
            case SessionUpdate.SessionInfoUpdate next -> {
                title = next.title().applyTo(title);
                updatedAt = next.updatedAt().applyTo(updatedAt);
                infoMeta = latest(infoMeta, next.meta());
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

    private static Meta latest(Meta before, Meta next) {
        return next.isEmpty() ? before : next;
    }

    private SessionEvent message(SessionUpdate.Chunk chunk, SessionEvent.Origin origin) {
        return switch (chunk) {
            case SessionUpdate.AgentMessageChunk piece -> {
                boolean isFirst = timeline.append(MessageView.Author.AGENT, piece);
                yield new SessionEvent.Message(piece.content(), piece.messageId(), isFirst, origin);
            }
            case SessionUpdate.AgentThoughtChunk piece -> {
                boolean isFirst = timeline.append(MessageView.Author.THOUGHT, piece);
                yield new SessionEvent.Thought(piece.content(), piece.messageId(), isFirst, origin);
            }
            case SessionUpdate.UserMessageChunk piece -> {
                boolean isFirst = timeline.append(MessageView.Author.USER, piece);
                yield new SessionEvent.UserMessage(piece.content(), piece.messageId(), isFirst, origin);
            }
        };
    }

    @GuardedBy("lock")
    private SessionEvent configChanged(List<SessionConfigOption> before, SessionEvent.Origin origin) {
        configOptionsMeta = latest(configOptionsMeta, origin.meta());
        return new SessionEvent.ConfigChanged(options.all(), before, origin);
    }
}
