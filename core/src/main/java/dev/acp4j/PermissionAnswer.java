package dev.acp4j;

import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.RequestPermissionOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The client's answer to a question for permission.
 *
 * @param outcome the answer as it came
 * @param option the option that was chosen; null when the question was cancelled, or the answer names no option that
 *     was offered
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission">Requesting permission</a>
 */
public record PermissionAnswer(
        RequestPermissionOutcome outcome, @Nullable PermissionOption option) {
    static PermissionAnswer of(RequestPermissionOutcome outcome, List<PermissionOption> options) {
        if (outcome instanceof RequestPermissionOutcome.Selected selected) {
            for (PermissionOption option : options) {
                if (option.optionId().equals(selected.optionId())) {
                    return new PermissionAnswer(outcome, option);
                }
            }
        }
        return new PermissionAnswer(outcome, null);
    }

    /** Returns true only when an option was chosen whose kind is known to allow. */
    public boolean isAllowed() {
        return isOfKind(PermissionOptionKind.ALLOW_ONCE, PermissionOptionKind.ALLOW_ALWAYS);
    }

    /** Returns true when the choice is meant to be remembered. */
    public boolean isAlways() {
        return isOfKind(PermissionOptionKind.ALLOW_ALWAYS, PermissionOptionKind.REJECT_ALWAYS);
    }

    /** Returns true when the question was cancelled rather than answered. */
    public boolean isCancelled() {
        return outcome instanceof RequestPermissionOutcome.Cancelled;
    }

    private boolean isOfKind(PermissionOptionKind one, PermissionOptionKind other) {
        return option != null && (option.kind().equals(one) || option.kind().equals(other));
    }
}
