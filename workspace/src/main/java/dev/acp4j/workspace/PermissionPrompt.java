package dev.acp4j.workspace;

import dev.acp4j.PermissionQuestion;
import dev.acp4j.schema.PermissionOption;
import org.jspecify.annotations.Nullable;

/** Asks the user; to be implemented by the user interface. */
@FunctionalInterface
public interface PermissionPrompt {
    /**
     * Shows the tool call and all options, including those of unknown kinds, and waits for the user. The thread is
     * interrupted when the answer is no longer needed; the dialog should then close.
     *
     * @return the option that the user chose, or null if the user closed the dialog without a choice
     */
    @Nullable
    PermissionOption choose(PermissionQuestion request) throws Exception;
}
