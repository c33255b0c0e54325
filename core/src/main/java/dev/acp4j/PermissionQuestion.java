package dev.acp4j;

import dev.acp4j.rpc.Message;
import dev.acp4j.schema.BackgroundWork;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.Unstable;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An agent's permission request.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission">Requesting permission</a>
 */
public final class PermissionQuestion {
    private final Session session;
    private final String title;
    private final @Nullable String description;
    private final Entry.@Nullable ToolCall toolCall;
    private final @Nullable TerminalId terminal;
    private final List<PermissionOption> options;
    private final Meta meta;
    private final @Nullable Message raw;

    PermissionQuestion(
            Session session,
            String title,
            Entry.@Nullable ToolCall toolCall,
            ClientDialect.Permission asked,
            @Nullable Message raw) {
        this.session = session;
        this.title = title;
        this.description = asked.description();
        this.toolCall = toolCall;
        this.terminal = asked.terminal();
        this.options = List.copyOf(asked.options());
        this.meta = asked.meta();
        this.raw = raw;
    }

    /** Returns a question that no agent has asked, to test a handler. */
    public static PermissionQuestion of(Session session, Entry.ToolCall toolCall, List<PermissionOption> options) {
        return new PermissionQuestion(
                session,
                toolCall.title(),
                toolCall,
                new ClientDialect.Permission(session.id(), null, null, null, null, options, Meta.EMPTY),
                null);
    }

    /** Returns the session that the question concerns. */
    public Session session() {
        return session;
    }

    /** Returns the question in one line. Version 1 of the protocol has none; there it is the title of the tool call. */
    public String title() {
        return title;
    }

    /** Returns more about the question, or null. */
    public @Nullable String description() {
        return description;
    }

    /**
     * Returns the tool call that the question concerns, with the details of the question merged. Null when it concerns
     * none, which cannot be in version 1 of the protocol.
     */
    public Entry.@Nullable ToolCall toolCall() {
        return toolCall;
    }

    /**
     * Returns whether the question concerns work that goes on beside the turns, as the agent last reported it; see
     * {@link SessionView#background()}. Such a question stays open when the running turn is cancelled.
     */
    @Unstable
    public boolean isForBackgroundWork() {
        List<BackgroundWork> works = session.view().background().orElse(List.of());
        return Entry.Question.isFor(works, toolCall == null ? null : toolCall.id(), terminal);
    }

    /** Returns the options to choose from, in the agent's order and words. */
    public List<PermissionOption> options() {
        return options;
    }

    /** Returns the {@code _meta} of the request, empty when there is none. */
    public Meta meta() {
        return meta;
    }

    /** Returns the request's message, including members that this library does not know. */
    public Optional<Message> raw() {
        return Optional.ofNullable(raw);
    }

    /**
     * Returns the first option of a kind that can be chosen. An option whose id another one of a different kind has too
     * cannot be: the agent could read the answer as it likes.
     */
    public Optional<PermissionOption> option(PermissionOptionKind kind) {
        for (PermissionOption option : options) {
            if (option.kind().equals(kind) && isUnmistakable(option)) {
                return Optional.of(option);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the answer that chooses an option; {@link #cancelled()}, when another option of a different kind has the
     * same id.
     *
     * @throws IllegalArgumentException when it is not one of the options
     */
    public RequestPermissionOutcome choose(PermissionOption option) {
        if (!options.contains(option)) {
            throw new IllegalArgumentException("not one of the options: " + option.optionId());
        }
        return isUnmistakable(option) ? RequestPermissionOutcome.Selected.of(option.optionId()) : cancelled();
    }

    private boolean isUnmistakable(PermissionOption option) {
        for (PermissionOption other : options) {
            if (other.optionId().equals(option.optionId()) && !other.kind().equals(option.kind())) {
                return false;
            }
        }
        return true;
    }

    /** Returns the answer that allows this once; cancelled, when the agent offers no such option. */
    public RequestPermissionOutcome allowOnce() {
        return option(PermissionOptionKind.ALLOW_ONCE).map(this::choose).orElseGet(this::cancelled);
    }

    /**
     * Returns the answer that allows this and what the agent takes for the same; cancelled, when the agent offers no
     * such option.
     */
    public RequestPermissionOutcome allowAlways() {
        return option(PermissionOptionKind.ALLOW_ALWAYS).map(this::choose).orElseGet(this::cancelled);
    }

    /** Returns the answer that rejects this once; cancelled, when the agent offers no such option. */
    public RequestPermissionOutcome rejectOnce() {
        return option(PermissionOptionKind.REJECT_ONCE).map(this::choose).orElseGet(this::cancelled);
    }

    /** Returns the answer that nothing was decided. Agents usually end their turn then. */
    public RequestPermissionOutcome cancelled() {
        return RequestPermissionOutcome.Cancelled.of();
    }

    @Override
    public String toString() {
        return title + " " + options;
    }
}
