package dev.acp4j;

import dev.acp4j.schema.RequestPermissionOutcome;

/** Decides on the client's side whether an agent may do something. */
@FunctionalInterface
public interface PermissionHandler {
    /**
     * Decides. Runs on a thread of its own and may take as long as a person needs; the thread is interrupted when the
     * turn is cancelled or the agent withdraws its question. Whatever it throws, the answer is <em>cancelled</em>:
     * nothing is ever allowed by accident.
     *
     * @param request the question
     * @return the answer, made with {@link PermissionRequest#choose} or {@link PermissionRequest#cancelled}
     * @throws Exception is reported, and answers <em>cancelled</em>
     */
    RequestPermissionOutcome decide(PermissionRequest request) throws Exception;
}
