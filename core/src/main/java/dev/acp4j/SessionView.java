package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.BackgroundList;
import dev.acp4j.schema.BackgroundWork;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.UsageUpdate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of a session on the client's side, with all updates merged: a user interface reads it and merges nothing
 * itself. Thread-safe; every method returns a snapshot.
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
    private SessionEvent.StateChanged.State state = SessionEvent.StateChanged.State.IDLE;

    @GuardedBy("lock")
    private @Nullable List<BackgroundWork> background;

    @GuardedBy("lock")
    private @Nullable String title;

    @GuardedBy("lock")
    private @Nullable String updatedAt;

    @GuardedBy("lock")
    private Meta infoMeta = Meta.EMPTY;

    /**
     * @param patchesMeta whether the extension data of a change is a change itself, as in version 2
     * @param limit see {@link dev.acp4j.rpc.Limits#viewBytes()}
     */
    SessionView(boolean keepsMessages, boolean patchesMeta, long limit) {
        timeline = new Timeline(keepsMessages, patchesMeta, limit, lock);
    }

    /** Returns the prompts, messages, tool calls, plans and other entries of the session, in order. */
    public Timeline timeline() {
        return timeline;
    }

    /**
     * Returns the messages, in the order in which they began; none when the client does not
     * {@linkplain Client.Builder#keepsMessages keep} them.
     */
    public List<Entry.Message> messages() {
        return timeline.entries(Entry.Message.class);
    }

    /** Returns the tool calls, in the order in which they began. */
    public List<Entry.ToolCall> toolCalls() {
        return timeline.entries(Entry.ToolCall.class);
    }

    /** Returns one tool call. */
    public Optional<Entry.ToolCall> toolCall(ToolCallId id) {
        return timeline.toolCall(id);
    }

    /** Returns a terminal in which the agent runs a command by itself; empty for one of the client. */
    public Optional<Entry.Terminal> terminal(TerminalId id) {
        return timeline.terminal(id);
    }

    /**
     * Returns the plans, in the order in which they began; in version 1 of the protocol at most one, unless the client
     * supports {@link Feature#PLANS}.
     */
    public List<Entry.Plan> plans() {
        return timeline.entries(Entry.Plan.class);
    }

    /** Returns the tasks of all plans, in order; empty when there is no plan. */
    public List<PlanEntry> plan() {
        List<PlanEntry> entries = new ArrayList<>();
        for (Entry.Plan plan : plans()) {
            entries.addAll(plan.entries());
        }
        return List.copyOf(entries);
    }

    /** Returns the compactions of the agent's context, in the order in which they began. */
    public List<Entry.Compaction> compactions() {
        return timeline.entries(Entry.Compaction.class);
    }

    /** Returns the notices so far. */
    public List<Notice> notices() {
        List<Notice> notices = new ArrayList<>();
        for (Entry.Notice notice : timeline.entries(Entry.Notice.class)) {
            notices.add(notice.notice());
        }
        return List.copyOf(notices);
    }

    /** Returns the agent's commands that the user can call now. */
    public List<AvailableCommand> commands() {
        lock.lock();
        try {
            return commands;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the latest extension data of the commands; empty when there is none. */
    public Meta commandsMeta() {
        lock.lock();
        try {
            return commandsMeta;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the config options with their values. If the agent has modes but no option of category {@code mode}, its
     * modes are the first option, of that category; see {@link Session#setConfigOption(SessionConfigId,
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

    /** Returns whether an option is made of the agent's models. */
    boolean isMadeOfModels(SessionConfigId option) {
        lock.lock();
        try {
            return options.isMadeOfModels(option);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the latest extension data of the config options; empty when there is none. */
    public Meta configOptionsMeta() {
        lock.lock();
        try {
            return configOptionsMeta;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the agent's latest report of the size of its context and the cost. */
    public Optional<UsageUpdate> usage() {
        lock.lock();
        try {
            return Optional.ofNullable(usage);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns what the agent is doing, as it reports it. In version 1 of the protocol it reports nothing, and this is
     * always {@link SessionEvent.StateChanged.State#IDLE}.
     */
    public SessionEvent.StateChanged.State state() {
        lock.lock();
        try {
            return state;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns what goes on beside the turns: commands and tool calls, for example. Empty when the agent does not report
     * that; an empty list when it reports that nothing does.
     */
    @Unstable
    public Optional<List<BackgroundWork>> background() {
        lock.lock();
        try {
            return Optional.ofNullable(background);
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

    /** Returns when the session was last active, in ISO 8601, as the agent reports it. */
    public Optional<String> updatedAt() {
        lock.lock();
        try {
            return Optional.ofNullable(updatedAt);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the latest extension data of title and time; empty when there is none, or it was cleared by a null. */
    public Meta infoMeta() {
        lock.lock();
        try {
            return infoMeta;
        } finally {
            lock.unlock();
        }
    }

    // ---- folding

    void opened(ClientDialect.Opened how) {
        lock.lock();
        try {
            if (how.modes() != null) {
                options.modes(how.modes());
            }
            if (how.models() != null) {
                options.models(how.models());
            }
            if (!how.options().isEmpty()) {
                options.options(how.options());
            }
            if (!how.commands().isEmpty()) {
                commands = how.commands();
            }
        } finally {
            lock.unlock();
        }
    }

    SessionEvent state(
            SessionEvent.StateChanged.State next, @Nullable BackgroundList work, SessionEvent.Origin origin) {
        lock.lock();
        try {
            state = next;
            background = work == null ? null : work.items();
            return new SessionEvent.StateChanged(next, origin);
        } finally {
            lock.unlock();
        }
    }

    SessionEvent usage(UsageUpdate next, SessionEvent.Origin origin) {
        lock.lock();
        try {
            usage = next;
        } finally {
            lock.unlock();
        }
        return new SessionEvent.UsageChanged(next, origin);
    }

    SessionEvent commands(List<AvailableCommand> next, SessionEvent.Origin origin) {
        lock.lock();
        try {
            commands = next;
            commandsMeta = latest(commandsMeta, origin.meta());
        } finally {
            lock.unlock();
        }
        return new SessionEvent.CommandsChanged(next, origin);
    }

    SessionEvent info(Change<String> newTitle, Change<String> newTime, SessionEvent.Origin origin) {
        lock.lock();
        try {
            title = newTitle.applyTo(title);
            updatedAt = newTime.applyTo(updatedAt);
            infoMeta = origin.meta().isNull() ? Meta.EMPTY : latest(infoMeta, origin.meta());
            return new SessionEvent.InfoChanged(title, updatedAt, origin);
        } finally {
            lock.unlock();
        }
    }

    SessionEvent options(List<SessionConfigOption> next, SessionEvent.Origin origin) {
        return configChanged(offered -> offered.options(next), origin);
    }

    SessionEvent mode(SessionModeId next, SessionEvent.Origin origin) {
        return configChanged(offered -> offered.mode(next), origin);
    }

    SessionEvent model(SessionConfigValueId next, SessionEvent.Origin origin) {
        return configChanged(offered -> offered.model(next), origin);
    }

    private SessionEvent configChanged(Consumer<OfferedOptions> change, SessionEvent.Origin origin) {
        lock.lock();
        try {
            List<SessionConfigOption> before = options.all();
            change.accept(options);
            configOptionsMeta = latest(configOptionsMeta, origin.meta());
            return new SessionEvent.ConfigChanged(options.all(), before, origin);
        } finally {
            lock.unlock();
        }
    }

    private static Meta latest(Meta before, Meta next) {
        return next.isEmpty() ? before : next;
    }
}
