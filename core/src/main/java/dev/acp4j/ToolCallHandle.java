package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallCancelCapabilities;
import dev.acp4j.schema.ToolCallCapabilities;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolCallUpdateBuilder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reports the progress of one tool call. Content and locations accumulate: each addition sends all of them, because on
 * the wire a list replaces the one before.
 *
 * <p>In a {@code try} statement with resources a call fails that was not completed, for example because of an
 * exception:
 *
 * <pre>{@code
 * try (ToolCallHandle call = turn.toolCall("Build", ToolKind.EXECUTE).start()) {
 *     call.text(build());
 *     call.complete();
 * }
 * }</pre>
 *
 * <p>An interrupt ends only the waiting for a client that reads too slowly. So the last status can still be sent when
 * the turn was cancelled, which is what the protocol asks for: the client sees it before the turn's end.
 *
 * <p>The lock guards what was told so far and is held while an update is sent, so that updates of one tool call are in
 * order.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls">Tool calls</a>
 */
public final class ToolCallHandle implements AutoCloseable {
    private static final List<PermissionOption> USUAL_OPTIONS = List.of(
            PermissionOption.of(PermissionOptionId.of("allow"), "Allow", PermissionOptionKind.ALLOW_ONCE),
            PermissionOption.of(
                    PermissionOptionId.of("allow-always"), "Allow for this session", PermissionOptionKind.ALLOW_ALWAYS),
            PermissionOption.of(PermissionOptionId.of("reject"), "Reject", PermissionOptionKind.REJECT_ONCE));

    private static final ToolCallCapabilities CANCELLABLE = ToolCallCapabilities.builder()
            .cancel(ToolCallCancelCapabilities.of())
            .build();

    private final SessionWriter writer;
    private final ToolCallId id;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private Entry.ToolCall told;

    /** The last piece of the content, while it is what {@link #progress} said. */
    @GuardedBy("lock")
    private @Nullable ToolCallContent progress;

    ToolCallHandle(SessionWriter writer, ToolCall start) {
        this.writer = writer;
        this.id = start.toolCallId();
        this.told = Entry.ToolCall.of(start);
    }

    /** Returns the id of the tool call. */
    public ToolCallId id() {
        return id;
    }

    /** Reports that the tool is running. */
    public ToolCallHandle start() {
        return status(ToolCallStatus.IN_PROGRESS);
    }

    /** Reports that the tool has completed. */
    public void complete() {
        end(ToolCallStatus.COMPLETED);
    }

    /** Reports that the tool failed, with the reason as the last piece of content. */
    public void fail(String message) {
        lock.lock();
        try {
            List<ToolCallContent> all = and(lasting(), ToolCallContent.text(message));
            update(change().status(ToolCallStatus.FAILED).content(all).build());
            progress = null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Fails the tool call if it has neither completed nor failed. Does nothing when its turn was cancelled, because
     * clients show the open tool calls of a cancelled turn as cancelled, nor when its turn or the connection has ended.
     */
    @Override
    public void close() {
        state().cancellable(id, null);
        AgentTurn turn = writer.turn();
        if (isOver() || (turn != null && turn.isCancelled())) {
            return;
        }
        lock.lock();
        try {
            if (told.isOpen()) {
                end(ToolCallStatus.FAILED);
            }
        } catch (ConnectionClosedException e) {
            // Nobody is there to see it.
        } finally {
            lock.unlock();
        }
    }

    /** Reports that the tool was cancelled before it completed: in version 1 of the protocol, that it failed. */
    public void cancelled() {
        end(ToolCallStatus.CANCELLED);
    }

    /**
     * Offers clients of version 2 to cancel this tool call alone, until it has ended. The action runs on a thread of
     * its own when a client asks for that; the end is reported as always, for example with {@link #cancelled}.
     */
    public ToolCallHandle onCancel(Runnable action) {
        lock.lock();
        try {
            if (told.isOpen()) {
                writer.session().state().cancellable(id, action);
                update(change().capabilities(CANCELLABLE).build());
            }
            return this;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the turn of the tool call has ended. */
    boolean isOver() {
        AgentTurn turn = writer.turn();
        return turn != null && turn.hasEnded();
    }

    /** Changes the title. */
    public ToolCallHandle title(String title) {
        return update(change().title(title).build());
    }

    /**
     * Shows how far the tool is, below the other content: {@code call.progress("3 of 10 files")}. The next progress
     * replaces it, and the end of the tool call removes it. See {@link #text} for what stays.
     */
    public ToolCallHandle progress(String text) {
        lock.lock();
        try {
            ToolCallContent now = ToolCallContent.text(text);
            update(change().content(and(lasting(), now)).build());
            progress = now;
            return this;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the content without the progress. */
    @GuardedBy("lock")
    private List<ToolCallContent> lasting() {
        List<ToolCallContent> content = told.content();
        return progress != null && !content.isEmpty() && content.getLast().equals(progress)
                ? content.subList(0, content.size() - 1)
                : content;
    }

    private void end(ToolCallStatus status) {
        lock.lock();
        try {
            ToolCallUpdateBuilder end = change().status(status);
            if (progress != null) {
                end.content(lasting());
            }
            update(end.build());
            progress = null;
        } finally {
            lock.unlock();
        }
    }

    /** Adds text to the content. */
    public ToolCallHandle text(String text) {
        return content(ToolCallContent.text(text));
    }

    /**
     * Adds a change of a file to the content.
     *
     * @param path the file, absolute
     * @param oldText its text before; null for a new file
     * @param newText its text after
     */
    public ToolCallHandle diff(Path path, @Nullable String oldText, String newText) {
        return content(ToolCallContent.diff(RemoteFiles.absolute(path), oldText, newText));
    }

    /** Adds the live output of a terminal of the client to the content. */
    public ToolCallHandle terminal(TerminalId terminal) {
        return content(ToolCallContent.terminal(terminal));
    }

    /**
     * Begins to show the output of a command that the agent runs by itself; see {@link AgentTerminal}. One for each
     * tool call.
     *
     * @param command what runs, as the user would type it
     * @param cwd the folder in which it runs, absolute
     */
    public AgentTerminal openTerminal(String command, Path cwd) {
        return new AgentTerminal(this, command, RemoteFiles.absolute(cwd));
    }

    /** Adds content. */
    public ToolCallHandle content(ToolCallContent more) {
        lock.lock();
        try {
            List<ToolCallContent> all = and(lasting(), more);
            return update(change().content(progress == null ? all : and(all, progress))
                    .build());
        } finally {
            lock.unlock();
        }
    }

    /** Replaces the content. */
    public ToolCallHandle replaceContent(List<ToolCallContent> all) {
        return update(change().content(all).build());
    }

    /** Adds a file that the tool works on; its path is absolute. */
    public ToolCallHandle location(Path path) {
        return location(ToolCallLocation.of(RemoteFiles.absolute(path)));
    }

    /**
     * Adds a place in a file that the tool works on.
     *
     * @param path the file, absolute
     * @param line the line, counted from 1
     */
    public ToolCallHandle location(Path path, int line) {
        return location(ToolCallLocation.of(RemoteFiles.absolute(path), line));
    }

    private ToolCallHandle location(ToolCallLocation location) {
        lock.lock();
        try {
            return update(change().locations(and(told.locations(), location)).build());
        } finally {
            lock.unlock();
        }
    }

    /** Sends the raw input of the tool. */
    public ToolCallHandle rawInput(RawJson input) {
        return update(change().rawInput(input).build());
    }

    /** Sends the raw output of the tool. */
    public ToolCallHandle rawOutput(RawJson output) {
        return update(change().rawOutput(output).build());
    }

    /**
     * Sends any change of this tool call.
     *
     * @throws IllegalArgumentException when it is the change of another one
     */
    public ToolCallHandle update(ToolCallUpdate update) {
        if (!update.toolCallId().equals(id)) {
            throw new IllegalArgumentException("expected a change of " + id + ", got one of " + update.toolCallId());
        }
        lock.lock();
        try {
            Meta meta = update.meta().isEmpty() ? told.meta() : update.meta();
            Entry.ToolCall after = told.with(update, meta, Entry.Place.NONE);
            writer.update(update);
            told = after;
            if (!after.isOpen()) {
                writer.session().state().cancellable(id, null);
            }
            return this;
        } finally {
            lock.unlock();
        }
    }

    /** Says something beside the tool call. */
    void say(SessionUpdate update) {
        writer.update(update);
    }

    AgentSessionState state() {
        return writer.session().state();
    }

    /**
     * Asks the client whether the tool may run.
     *
     * @param options what to choose from; without any: allow, allow for this session, reject
     * @throws InterruptedException when the turn is cancelled, or ends first; the question is withdrawn
     */
    public PermissionAnswer requestPermission(PermissionOption... options) throws InterruptedException {
        Entry.ToolCall asked = told();
        ToolCallUpdateBuilder question = change().title(asked.title()).kind(asked.kind());
        if (!asked.content().isEmpty()) {
            question.content(asked.content());
        }
        if (!asked.locations().isEmpty()) {
            question.locations(asked.locations());
        }
        return writer.requestPermission(question.build(), options.length == 0 ? USUAL_OPTIONS : List.of(options));
    }

    private Entry.ToolCall told() {
        lock.lock();
        try {
            return told;
        } finally {
            lock.unlock();
        }
    }

    private static <T> List<T> and(List<T> all, T more) {
        List<T> longer = new ArrayList<>(all);
        longer.add(more);
        return longer;
    }

    private ToolCallHandle status(ToolCallStatus status) {
        return update(change().status(status).build());
    }

    private ToolCallUpdateBuilder change() {
        return ToolCallUpdate.builder(id);
    }
}
