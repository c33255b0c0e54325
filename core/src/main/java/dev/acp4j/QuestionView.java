package dev.acp4j;

import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.ToolCallId;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A question of the agent to the user: for permission, or for information (elicitation). */
public final class QuestionView extends Entry {
    /** What is asked for. */
    public enum Kind {
        /** Permission; see {@link Client.Builder#onPermission}. */
        PERMISSION,
        /** Information; see {@link Client.Builder#onElicitation}. */
        ELICITATION
    }

    /** How far a question is. */
    public enum State {
        /** It waits for the answer of the client's handler. */
        OPEN,
        /** The handler's answer goes to the agent, also when it decides nothing. */
        ANSWERED,
        /** It needs no answer any more: the turn or the question was cancelled, or the handler failed. */
        WITHDRAWN
    }

    private final Kind kind;
    private final String title;
    private final @Nullable ToolCallId toolCall;
    private final List<PermissionOption> options;
    private final State state;
    private final @Nullable PermissionOption choice;

    private QuestionView(QuestionView like, Place place, State state, @Nullable PermissionOption choice) {
        super(place, like.meta());
        this.kind = like.kind;
        this.title = like.title;
        this.toolCall = like.toolCall;
        this.options = like.options;
        this.state = state;
        this.choice = choice;
    }

    QuestionView(Kind kind, Meta meta, String title, @Nullable ToolCallId toolCall, List<PermissionOption> options) {
        super(Place.NONE, meta);
        this.kind = kind;
        this.title = title;
        this.toolCall = toolCall;
        this.options = List.copyOf(options);
        this.state = State.OPEN;
        this.choice = null;
    }

    QuestionView at(Place place) {
        return new QuestionView(this, place, state, choice);
    }

    QuestionView ended(Place place, State how, @Nullable PermissionOptionId chosen) {
        for (PermissionOption option : options) {
            if (option.optionId().equals(chosen)) {
                return new QuestionView(this, place, how, option);
            }
        }
        return new QuestionView(this, place, how, null);
    }

    /** Returns what is asked for. */
    public Kind kind() {
        return kind;
    }

    /** Returns the question in one line or a few, for people. */
    public String title() {
        return title;
    }

    /** Returns the tool call that it is about, or null when it is about none. */
    public @Nullable ToolCallId toolCall() {
        return toolCall;
    }

    /** Returns what there is to choose from; empty when it is not for permission. */
    public List<PermissionOption> options() {
        return options;
    }

    /** Returns how far it is. */
    public State state() {
        return state;
    }

    /** Returns the option that was chosen; null when none was. */
    public @Nullable PermissionOption choice() {
        return choice;
    }

    @Override
    List<@Nullable Object> says() {
        return Arrays.asList(kind, title, toolCall, options, state, choice);
    }
}
