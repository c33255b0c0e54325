package dev.acp4j;

import dev.acp4j.rpc.Message;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.RequestPermissionOutcome;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The client's answer to a permission request.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission">Requesting permission</a>
 */
public final class PermissionAnswer {
    private final RequestPermissionOutcome outcome;
    private final @Nullable PermissionOption option;
    private final Meta meta;
    private final Message raw;

    PermissionAnswer(RequestPermissionOutcome outcome, List<PermissionOption> options, Meta meta, Message raw) {
        this.outcome = outcome;
        this.option = chosen(outcome, options);
        this.meta = meta;
        this.raw = raw;
    }

    private static @Nullable PermissionOption chosen(RequestPermissionOutcome outcome, List<PermissionOption> options) {
        if (outcome instanceof RequestPermissionOutcome.Selected selected) {
            for (PermissionOption option : options) {
                if (option.optionId().equals(selected.optionId())) {
                    return option;
                }
            }
        }
        return null;
    }

    /** Returns the outcome as the client sent it. */
    public RequestPermissionOutcome outcome() {
        return outcome;
    }

    /**
     * Returns the option that was chosen; null when the question was cancelled, or the answer names no option that was
     * offered.
     */
    public @Nullable PermissionOption option() {
        return option;
    }

    /** Returns the {@code _meta} of the answer, empty when there is none. */
    public Meta meta() {
        return meta;
    }

    /** Returns the answer's message, including members that this library does not know. */
    public Optional<Message> raw() {
        return Optional.of(raw);
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

    @Override
    public String toString() {
        return outcome.toString();
    }
}
