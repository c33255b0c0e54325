package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The plan of a turn, whose tasks are ticked off one after the other. Each change sends the whole plan, because on the
 * wire a plan replaces the one before. May be used from any thread.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/agent-plan">Agent plan</a>
 */
public final class PlanHandle {
    private final SessionWriter writer;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<PlanEntry> tasks = new ArrayList<>();

    PlanHandle(SessionWriter writer) {
        this.writer = writer;
    }

    /** Adds tasks of medium priority at the end. */
    public void add(String... more) {
        lock.lock();
        try {
            for (String task : more) {
                tasks.add(PlanEntry.of(task, PlanEntryPriority.MEDIUM, PlanEntryStatus.PENDING));
            }
            writer.plan(tasks);
        } finally {
            lock.unlock();
        }
    }

    /** Completes the task in progress, if there is one, and begins with the next one, if there is one. */
    public void next() {
        lock.lock();
        try {
            boolean begun = false;
            for (int i = 0; i < tasks.size(); i++) {
                PlanEntryStatus status = tasks.get(i).status();
                if (status.equals(PlanEntryStatus.IN_PROGRESS)) {
                    change(i, PlanEntryStatus.COMPLETED);
                } else if (!begun && status.equals(PlanEntryStatus.PENDING)) {
                    change(i, PlanEntryStatus.IN_PROGRESS);
                    begun = true;
                }
            }
            writer.plan(tasks);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sets the status of a task.
     *
     * @param index the position of the task, from 0
     * @throws IndexOutOfBoundsException when there is no such task
     */
    public void set(int index, PlanEntryStatus status) {
        lock.lock();
        try {
            change(index, status);
            writer.plan(tasks);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void change(int index, PlanEntryStatus status) {
        PlanEntry task = tasks.get(index);
        tasks.set(index, PlanEntry.of(task.content(), task.priority(), status));
    }

    /** Returns the tasks as they are now. */
    public List<PlanEntry> entries() {
        lock.lock();
        try {
            return List.copyOf(tasks);
        } finally {
            lock.unlock();
        }
    }
}
