package dev.acp4j;

import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.RequestPermissionOutcome;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An agent's question whether it may do something.
 *
 * @param session the session that it concerns
 * @param title what is asked, in one line; version 1 of the protocol has none, so there it is the tool call's
 * @param description more about it, or null
 * @param toolCall all that is known of the tool call that it is about, the question's own details included; null when
 *     it is about none, which cannot be in version 1 of the protocol
 * @param options what there is to choose from, in the agent's order and words
 * @param meta extension data of the question, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission">Requesting permission</a>
 */
public record PermissionQuestion(
        Session session,
        String title,
        @Nullable String description,
        @Nullable ToolCallView toolCall,
        List<PermissionOption> options,
        Meta meta) {
    /** Copies the options. */
    public PermissionQuestion {
        options = List.copyOf(options);
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

    /** Returns the answer that rejects this once; cancelled, when the agent offers no such option. */
    public RequestPermissionOutcome rejectOnce() {
        return option(PermissionOptionKind.REJECT_ONCE).map(this::choose).orElseGet(this::cancelled);
    }

    /** Returns the answer that nothing was decided. Agents usually end their turn then. */
    public RequestPermissionOutcome cancelled() {
        return RequestPermissionOutcome.Cancelled.of();
    }
}
