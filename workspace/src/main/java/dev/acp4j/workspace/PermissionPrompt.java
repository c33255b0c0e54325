package dev.acp4j.workspace;

import dev.acp4j.PermissionQuestion;
import dev.acp4j.schema.PermissionOption;
import org.jspecify.annotations.Nullable;

/** Asks the user; what a user interface has to supply. */
@FunctionalInterface
public interface PermissionPrompt {
    /**
     * Shows the tool call and all of the options, those of a kind it does not know as well, and waits for the user. The
     * thread is interrupted when the answer is no longer wanted; then the dialog should close.
     *
     * @return the option that the user chose, or null when the user only closed the dialog
     */
    @Nullable
    PermissionOption choose(PermissionQuestion request) throws Exception;
}
