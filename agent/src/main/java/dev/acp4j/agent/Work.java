package dev.acp4j.agent;

import dev.acp4j.AgentTurn;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolKind;
import java.util.ArrayList;
import java.util.List;

/**
 * The work of one turn: sends messages, thoughts and tool calls, and records them for a replay of the session. For use
 * by the thread of the turn only.
 */
final class Work {
    /** The actions that need permission. For the session all edits are allowed, but only one command at a time. */
    enum Action {
        WRITE("Allow all edits for this session"),
        RUN("Allow this command for this session");

        private final String always;

        Action(String always) {
            this.always = always;
        }

        /** Returns what is allowed for the session; the input of a command names it and its folder. */
        private String granted(Step step) {
            return this == WRITE ? name() : name() + " " + step.input();
        }
    }

    private static final int CHUNK = 2_000;
    private static final int MAX_TITLE = 120;

    private final AgentTurn turn;
    private final Conversation conversation;
    private final Workspace workspace;
    private final Attachments attachments;
    private final MessageId messageId;
    private final List<Step> steps = new ArrayList<>();

    Work(AgentTurn turn, Conversation conversation, Workspace workspace) {
        this.turn = turn;
        this.conversation = conversation;
        this.workspace = workspace;
        this.attachments = Attachments.of(turn.prompt(), workspace);
        long number = conversation.nextTurn();
        this.messageId = MessageId.of("agent-" + number);
        MessageId asked = MessageId.of("user-" + number);
        for (ContentBlock block : turn.prompt()) {
            conversation.add(SessionUpdate.UserMessageChunk.of(block, asked));
        }
    }

    AgentTurn turn() {
        return turn;
    }

    Workspace workspace() {
        return workspace;
    }

    /** The attachments of the prompt. */
    Attachments attachments() {
        return attachments;
    }

    boolean isReadOnly() {
        return conversation.mode() == Mode.READ_ONLY;
    }

    /** Sends a message, in chunks of a few paragraphs if it is long. */
    void say(String markdown) throws InterruptedException {
        turn.checkCancelled();
        for (int from = 0; from < markdown.length(); ) {
            int to = pieceEnd(markdown, from);
            SessionUpdate.AgentMessageChunk piece =
                    SessionUpdate.AgentMessageChunk.of(ContentBlock.text(markdown.substring(from, to)), messageId);
            conversation.add(piece);
            turn.update(piece);
            from = to;
        }
    }

    /** Sends a thought. */
    void think(String text) throws InterruptedException {
        SessionUpdate.AgentThoughtChunk thought = SessionUpdate.AgentThoughtChunk.of(ContentBlock.text(text), null);
        conversation.add(thought);
        turn.update(thought);
    }

    void plan(List<PlanEntry> entries) throws InterruptedException {
        turn.plan(entries);
    }

    /** Keeps only the current plan in the history: its earlier states are not replayed. */
    void keepPlan(List<PlanEntry> entries) {
        conversation.add(SessionUpdate.Plan.of(entries));
    }

    /** Announces a tool call. */
    Step step(String title, ToolKind kind, RawJson input) throws InterruptedException {
        turn.checkCancelled();
        ToolCall call = ToolCall.builder(conversation.nextToolCall(), oneLine(title))
                .kind(kind)
                .rawInput(input)
                .build();
        Step step = new Step(turn, conversation, call);
        steps.add(step);
        return step;
    }

    /** A title may quote what the user typed, which may be long. */
    private static String oneLine(String title) {
        String line = title.replaceAll("\\s+", " ");
        return line.length() > MAX_TITLE ? line.substring(0, MAX_TITLE) + "…" : line;
    }

    /** Marks open tool calls as cancelled. */
    void cancelSteps() {
        steps.forEach(Step::cancelled);
    }

    /**
     * Returns whether {@code step} may do {@code action}: by the mode, by an earlier answer of the user, or by a new
     * one.
     */
    boolean mayDo(Action action, Step step) throws InterruptedException {
        if (isReadOnly()) {
            return false;
        }
        String granted = action.granted(step);
        if (conversation.isGranted(granted)) {
            return true;
        }
        Step.Consent consent = step.ask(action.always);
        if (consent == Step.Consent.ALLOWED_ALWAYS) {
            conversation.grant(granted);
        }
        // The mode may have changed while the question was open.
        return consent != Step.Consent.REFUSED && !isReadOnly();
    }

    private static int pieceEnd(String text, int from) {
        if (text.length() - from <= CHUNK) {
            return text.length();
        }
        int line = text.lastIndexOf('\n', from + CHUNK);
        if (line > from) {
            return line + 1;
        }
        int end = from + CHUNK;
        return Character.isHighSurrogate(text.charAt(end - 1)) ? end + 1 : end;
    }
}
