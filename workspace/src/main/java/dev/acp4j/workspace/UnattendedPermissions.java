package dev.acp4j.workspace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Client;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.schema.RequestPermissionOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The policy of an unattended run: permits nothing, ends the turn with the outcome <i>cancelled</i>, and records the
 * request, so that the run can end with a specific exit code.
 *
 * <p>Thread-safe. The lock guards the recorded requests; nothing else is done while holding it.
 */
public final class UnattendedPermissions implements Client.PermissionHandler {
    private static final int REMEMBERED = 100;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<PermissionQuestion> requests = new ArrayList<>();

    /** Creates a policy without recorded requests. */
    public UnattendedPermissions() {}

    @Override
    public RequestPermissionOutcome decide(PermissionQuestion request) {
        lock.lock();
        try {
            if (requests.size() < REMEMBERED) {
                requests.add(request);
            }
        } finally {
            lock.unlock();
        }
        return RequestPermissionOutcome.cancelled();
    }

    /** Returns whether the agent requested a permission. */
    public boolean wasAsked() {
        return !requests().isEmpty();
    }

    /** Returns the first 100 requests of the agent. */
    public List<PermissionQuestion> requests() {
        lock.lock();
        try {
            return List.copyOf(requests);
        } finally {
            lock.unlock();
        }
    }
}
