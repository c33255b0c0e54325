package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCall;
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
 * Tells the progress of one tool call. Content and locations are collected: each addition sends the whole, because on
 * the wire a list replaces the one before.
 *
 * <p>An interrupt ends only the waiting for a client that reads too slowly. So the last status can still be told when
 * the turn was cancelled, which is what the protocol asks for: the client sees it before the turn's end.
 *
 * <p>The lock guards the collected lists and is held while an update is sent, so that updates of one tool call are in
 * order.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls">Tool calls</a>
 */
public final class ToolCallHandle {
    private static final List<PermissionOption> USUAL_OPTIONS = List.of(
            PermissionOption.of(new PermissionOptionId("allow"), "Allow", PermissionOptionKind.ALLOW_ONCE),
            PermissionOption.of(
                    new PermissionOptionId("allow-always"),
                    "Allow for this session",
                    PermissionOptionKind.ALLOW_ALWAYS),
            PermissionOption.of(new PermissionOptionId("reject"), "Reject", PermissionOptionKind.REJECT_ONCE));

    private final SessionWriter writer;
    private final ToolCall start;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<ToolCallContent> content;
    private final List<ToolCallLocation> locations;

    ToolCallHandle(SessionWriter writer, ToolCall start) {
        this.writer = writer;
        this.start = start;
        this.content = new ArrayList<>(start.content());
        this.locations = new ArrayList<>(start.locations());
    }

    /** Returns the id of the tool call. */
    public ToolCallId id() {
        return start.toolCallId();
    }

    /** Says that the tool runs now. */
    public ToolCallHandle start() throws InterruptedException {
        return status(ToolCallStatus.IN_PROGRESS);
    }

    /** Says that the tool has done its work. */
    public void complete() throws InterruptedException {
        status(ToolCallStatus.COMPLETED);
    }

    /** Says that the tool failed, and why, as a last piece of content. */
    public void fail(String message) throws InterruptedException {
        lock.lock();
        try {
            content.add(ToolCallContent.text(message));
            update(change().status(ToolCallStatus.FAILED).content(content).build());
        } finally {
            lock.unlock();
        }
    }

    /** Changes the title. */
    public ToolCallHandle title(String title) throws InterruptedException {
        return update(change().title(title).build());
    }

    /** Adds text to the content. */
    public ToolCallHandle text(String text) throws InterruptedException {
        return content(ToolCallContent.text(text));
    }

    /**
     * Adds a change of a file to the content.
     *
     * @param path the file, absolute
     * @param oldText its text before; null for a new file
     * @param newText its text after
     */
    public ToolCallHandle diff(Path path, @Nullable String oldText, String newText) throws InterruptedException {
        return content(ToolCallContent.diff(path.toString(), oldText, newText));
    }

    /** Adds the live output of a terminal of the client to the content. */
    public ToolCallHandle terminal(TerminalId terminal) throws InterruptedException {
        return content(ToolCallContent.terminal(terminal));
    }

    /** Adds content. */
    public ToolCallHandle content(ToolCallContent more) throws InterruptedException {
        lock.lock();
        try {
            content.add(more);
            return update(change().content(content).build());
        } finally {
            lock.unlock();
        }
    }

    /** Replaces the content. */
    public ToolCallHandle replaceContent(List<ToolCallContent> all) throws InterruptedException {
        lock.lock();
        try {
            content.clear();
            content.addAll(all);
            return update(change().content(content).build());
        } finally {
            lock.unlock();
        }
    }

    /** Adds a file that the tool works on. */
    public ToolCallHandle location(Path path) throws InterruptedException {
        return location(ToolCallLocation.of(path.toString()));
    }

    /**
     * Adds a place in a file that the tool works on.
     *
     * @param path the file, absolute
     * @param line the line, counted from 1
     */
    public ToolCallHandle location(Path path, int line) throws InterruptedException {
        return location(ToolCallLocation.of(path.toString(), line));
    }

    private ToolCallHandle location(ToolCallLocation location) throws InterruptedException {
        lock.lock();
        try {
            locations.add(location);
            return update(change().locations(locations).build());
        } finally {
            lock.unlock();
        }
    }

    /** Says with what the tool was called. */
    public ToolCallHandle rawInput(RawJson input) throws InterruptedException {
        return update(change().rawInput(input).build());
    }

    /** Says what the tool returned. */
    public ToolCallHandle rawOutput(RawJson output) throws InterruptedException {
        return update(change().rawOutput(output).build());
    }

    /** Sends any change of this tool call. */
    public ToolCallHandle update(ToolCallUpdate update) throws InterruptedException {
        writer.update(update);
        return this;
    }

    /**
     * Asks the client whether the tool may run.
     *
     * @param options what to choose from; without any: allow, allow for this session, reject
     * @throws InterruptedException when the turn is cancelled; the question is withdrawn
     */
    public Permission requestPermission(PermissionOption... options) throws InterruptedException {
        List<ToolCallContent> shown;
        List<ToolCallLocation> places;
        lock.lock();
        try {
            shown = List.copyOf(content);
            places = List.copyOf(locations);
        } finally {
            lock.unlock();
        }
        ToolCallUpdateBuilder question = change().title(start.title()).kind(start.kind());
        if (!shown.isEmpty()) {
            question.content(shown);
        }
        if (!places.isEmpty()) {
            question.locations(places);
        }
        return writer.requestPermission(question.build(), options.length == 0 ? USUAL_OPTIONS : List.of(options));
    }

    private ToolCallHandle status(ToolCallStatus status) throws InterruptedException {
        return update(change().status(status).build());
    }

    private ToolCallUpdateBuilder change() {
        return ToolCallUpdate.builder(id());
    }
}
