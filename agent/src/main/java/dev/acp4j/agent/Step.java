package dev.acp4j.agent;

import dev.acp4j.AgentTerminal;
import dev.acp4j.AgentTurn;
import dev.acp4j.PermissionAnswer;
import dev.acp4j.ToolCallHandle;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallBuilder;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolCallUpdateBuilder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * One tool call of a turn: reports its progress to the client, and keeps its final state in the conversation. For use
 * by the thread of the turn only.
 */
final class Step {
    /** The user's answer to a permission request. */
    enum Consent {
        ALLOWED,
        ALLOWED_ALWAYS,
        REFUSED
    }

    private static final int MAX_LOCATIONS = 50;

    private final AgentTurn turn;
    private final ToolCallHandle call;
    private final Conversation conversation;
    private ToolCall state;
    private boolean ended;

    /** Announces the tool call. */
    Step(AgentTurn turn, Conversation conversation, ToolCall start) throws InterruptedException {
        this.turn = turn;
        this.conversation = conversation;
        this.state = start;
        this.call = turn.toolCall(start);
    }

    private static List<PermissionOption> choices(String always) {
        return List.of(
                choice("allow-once", "Allow once", PermissionOptionKind.ALLOW_ONCE),
                choice("allow-session", always, PermissionOptionKind.ALLOW_ALWAYS),
                choice("reject-once", "Reject", PermissionOptionKind.REJECT_ONCE));
    }

    private static PermissionOption choice(String id, String name, PermissionOptionKind kind) {
        return PermissionOption.of(PermissionOptionId.of(id), name, kind);
    }

    /** Returns the input of the tool call. */
    @Nullable
    RawJson input() {
        return state.rawInput();
    }

    /** Reports the start of the work. */
    Step start() throws InterruptedException {
        return send(state.toBuilder().status(ToolCallStatus.IN_PROGRESS), change().status(ToolCallStatus.IN_PROGRESS));
    }

    Step title(String title) throws InterruptedException {
        return send(state.toBuilder().title(title), change().title(title));
    }

    /** Replaces the content by {@code text}. */
    Step show(String text) throws InterruptedException {
        return content(List.of(ToolCallContent.text(text)));
    }

    Step diffs(List<FileChange> changes) throws InterruptedException {
        List<ToolCallContent> diffs = new ArrayList<>();
        List<ToolCallLocation> places = new ArrayList<>();
        for (FileChange change : changes) {
            String path = change.file().path().toString();
            diffs.add(ToolCallContent.diff(path, change.oldText(), change.newText()));
            places.add(ToolCallLocation.of(path, change.firstLine()));
        }
        locations(places);
        return content(diffs);
    }

    /** Shows the live output of a terminal of the client. */
    Step terminal(TerminalId id) throws InterruptedException {
        return content(List.of(ToolCallContent.terminal(id)));
    }

    /** Shows the live output of a command of this process. */
    AgentTerminal openTerminal(String command, Path cwd) {
        return call.openTerminal(command, cwd);
    }

    /** Keeps {@code text} instead of a terminal, which no longer exists when the session is loaded. */
    void keepForHistory(String text) {
        state = state.toBuilder().content(List.of(ToolCallContent.text(text))).build();
    }

    Step location(Path path, int line) throws InterruptedException {
        return locations(List.of(ToolCallLocation.of(path.toString(), line)));
    }

    Step locations(List<ToolCallLocation> places) throws InterruptedException {
        List<ToolCallLocation> first = places.subList(0, Math.min(MAX_LOCATIONS, places.size()));
        return send(state.toBuilder().locations(first), change().locations(first));
    }

    Step output(RawJson output) throws InterruptedException {
        return send(state.toBuilder().rawOutput(output), change().rawOutput(output));
    }

    /** Appends {@code text} to the content. */
    void note(String text) throws InterruptedException {
        List<ToolCallContent> content = new ArrayList<>(state.content());
        content.add(ToolCallContent.text(text));
        content(content);
    }

    void complete() throws InterruptedException {
        end(ToolCallStatus.COMPLETED);
    }

    /** Ends the tool call as failed; its content gives the reason. */
    void fail() throws InterruptedException {
        end(ToolCallStatus.FAILED);
    }

    /** Ends the tool call as failed; {@code why} is appended to the content. */
    void fail(String why) throws InterruptedException {
        note(why);
        fail();
    }

    /** Ends the tool call because the turn was cancelled. */
    void cancelled() {
        if (ended) {
            return;
        }
        try {
            fail("Cancelled.");
        } catch (InterruptedException | CancellationException e) {
            // Cancelled twice: the client has already marked the tool call.
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Asks the user for permission.
     *
     * @param always the name of the option that allows more than this step
     * @throws WithdrawnException when the client cancelled the turn instead
     */
    Consent ask(String always) throws InterruptedException {
        ToolCallUpdateBuilder question = change().title(state.title()).kind(state.kind());
        if (!state.content().isEmpty()) {
            question.content(state.content());
        }
        if (!state.locations().isEmpty()) {
            question.locations(state.locations());
        }
        if (state.rawInput() != null) {
            question.rawInput(state.rawInput());
        }
        PermissionAnswer permission = turn.requestPermission(question.build(), choices(always));
        if (permission.isCancelled()) {
            throw new WithdrawnException();
        }
        if (!permission.isAllowed()) {
            return Consent.REFUSED;
        }
        return permission.isAlways() ? Consent.ALLOWED_ALWAYS : Consent.ALLOWED;
    }

    private Step content(List<ToolCallContent> content) throws InterruptedException {
        return send(state.toBuilder().content(content), change().content(content));
    }

    private void end(ToolCallStatus status) throws InterruptedException {
        ended = true;
        state = state.toBuilder().status(status).build();
        conversation.add(state);
        call.update(change().status(status).build());
    }

    private Step send(ToolCallBuilder newState, ToolCallUpdateBuilder change) throws InterruptedException {
        state = newState.build();
        call.update(change.build());
        return this;
    }

    private ToolCallUpdateBuilder change() {
        return ToolCallUpdate.builder(state.toolCallId());
    }
}
