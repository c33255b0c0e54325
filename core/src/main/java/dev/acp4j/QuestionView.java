package dev.acp4j;

import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.ToolCallId;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A question of the agent to the user: a permission request or an elicitation. */
public final class QuestionView extends Entry {
    /** The kind of a question. */
    public enum Kind {
        /** A permission request; see {@link Client.Builder#onPermission}. */
        PERMISSION,
        /** A request for input; see {@link Client.Builder#onElicitation}. */
        ELICITATION
    }

    /** The state of a question. */
    public enum State {
        /** The client's handler has not answered yet. */
        OPEN,
        /** The handler has answered, also if its answer is <em>cancelled</em>. */
        ANSWERED,
        /** No answer is needed any more: the turn or the question was cancelled, or the handler failed. */
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

    /** Returns the kind. */
    public Kind kind() {
        return kind;
    }

    /** Returns the text of the question, for people. */
    public String title() {
        return title;
    }

    /** Returns the id of the tool call that the question is about, or null. */
    public @Nullable ToolCallId toolCall() {
        return toolCall;
    }

    /** Returns the options of a permission request; empty for an elicitation. */
    public List<PermissionOption> options() {
        return options;
    }

    /** Returns the state. */
    public State state() {
        return state;
    }

    /** Returns the chosen option, or null. */
    public @Nullable PermissionOption choice() {
        return choice;
    }

    @Override
    List<@Nullable Object> says() {
        return Arrays.asList(kind, title, toolCall, options, state, choice);
    }
}
