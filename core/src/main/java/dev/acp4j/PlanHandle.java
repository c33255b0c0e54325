package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

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
    private List<PlanEntry> tasks = List.of();

    PlanHandle(SessionWriter writer) {
        this.writer = writer;
    }

    /** Adds tasks of medium priority at the end. */
    public void add(String... more) {
        change(all -> {
            for (String task : more) {
                all.add(PlanEntry.of(task, PlanEntryPriority.MEDIUM, PlanEntryStatus.PENDING));
            }
        });
    }

    /** Completes the task in progress, if there is one, and begins with the next one, if there is one. */
    public void next() {
        change(all -> {
            boolean begun = false;
            for (int i = 0; i < all.size(); i++) {
                PlanEntryStatus status = all.get(i).status();
                if (status.equals(PlanEntryStatus.IN_PROGRESS)) {
                    set(all, i, PlanEntryStatus.COMPLETED);
                } else if (!begun && status.equals(PlanEntryStatus.PENDING)) {
                    set(all, i, PlanEntryStatus.IN_PROGRESS);
                    begun = true;
                }
            }
        });
    }

    /**
     * Sets the status of a task.
     *
     * @param index the position of the task, from 0
     * @throws IndexOutOfBoundsException when there is no such task
     */
    public void set(int index, PlanEntryStatus status) {
        change(all -> set(all, index, status));
    }

    private static void set(List<PlanEntry> all, int index, PlanEntryStatus status) {
        PlanEntry task = all.get(index);
        all.set(index, PlanEntry.of(task.content(), task.priority(), status));
    }

    /** Changes the plan once it is sent: what clients have not seen is not part of it. */
    private void change(Consumer<List<PlanEntry>> change) {
        lock.lock();
        try {
            List<PlanEntry> changed = new ArrayList<>(tasks);
            change.accept(changed);
            writer.plan(changed);
            tasks = changed;
        } finally {
            lock.unlock();
        }
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
