package dev.acp4j.proxies;

import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.RequestPermissionOutcome;
import java.util.List;
import java.util.Optional;

/** Answers to questions for permission, by the kind of an option; never by its position, and never for always. */
final class Choice {
    private Choice() {}

    /** Returns the rejection for once; if it is not offered, the outcome of a question that nobody answers. */
    static RequestPermissionOutcome reject(List<PermissionOption> options) {
        return once(options, PermissionOptionKind.REJECT_ONCE).orElse(RequestPermissionOutcome.cancelled());
    }

    /** Returns the permission for once; empty if it is not offered, or cannot be told from another option. */
    static Optional<RequestPermissionOutcome> allow(List<PermissionOption> options) {
        return once(options, PermissionOptionKind.ALLOW_ONCE);
    }

    private static Optional<RequestPermissionOutcome> once(List<PermissionOption> options, PermissionOptionKind kind) {
        return options.stream()
                .filter(option -> option.kind().equals(kind))
                .map(PermissionOption::optionId)
                .filter(id -> options.stream()
                                .filter(other -> other.optionId().equals(id))
                                .count()
                        == 1)
                .findFirst()
                .map(RequestPermissionOutcome::selected);
    }
}
