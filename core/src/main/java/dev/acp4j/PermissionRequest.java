package dev.acp4j;

import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.RequestPermissionRequest;
import java.util.List;
import java.util.Optional;

/**
 * An agent's question whether it may do something.
 *
 * @param session the session that it concerns
 * @param toolCall all that is known of the tool call, the question's own details included
 * @param request the question as it came
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission">Requesting permission</a>
 */
public record PermissionRequest(Session session, ToolCallView toolCall, RequestPermissionRequest request) {
    /** Returns what there is to choose from, in the agent's order and words. */
    public List<PermissionOption> options() {
        return request.options();
    }

    /** Returns the first option of a kind. */
    public Optional<PermissionOption> option(PermissionOptionKind kind) {
        for (PermissionOption option : options()) {
            if (option.kind().equals(kind)) {
                return Optional.of(option);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the answer that chooses an option.
     *
     * @throws IllegalArgumentException when it is not one of the options
     */
    public RequestPermissionOutcome choose(PermissionOption option) {
        if (!options().contains(option)) {
            throw new IllegalArgumentException("not one of the options: " + option.optionId());
        }
        return RequestPermissionOutcome.Selected.of(option.optionId());
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
