package dev.acp4j.workspace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Client;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.schema.RequestPermissionOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The policy of a run that nobody watches: permits nothing, ends the turn by answering that nobody decided, and
 * remembers that, so that the run can end with an exit code that says so.
 *
 * <p>May be used from any thread. The lock guards the requests seen; nothing else is done while holding it.
 */
public final class UnattendedPermissions implements Client.PermissionHandler {
    private static final int REMEMBERED = 100;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<PermissionQuestion> requests = new ArrayList<>();

    /** Begins a run in which nothing was asked yet. */
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

    /** Returns whether the agent asked for something that nobody was there to permit. */
    public boolean wasAsked() {
        return !requests().isEmpty();
    }

    /** Returns what the agent asked for, the first 100 requests. */
    public List<PermissionQuestion> requests() {
        lock.lock();
        try {
            return List.copyOf(requests);
        } finally {
            lock.unlock();
        }
    }
}
