package dev.acp4j.agent;

import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import java.util.ArrayList;
import java.util.List;

/** A plan with changing entries, sent in full after each change. */
final class FixPlan {
    private final Work work;
    private final List<PlanEntry> entries = new ArrayList<>();

    FixPlan(Work work, String first) {
        this.work = work;
        add(first);
    }

    int size() {
        return entries.size();
    }

    /** Adds an entry; it is sent with the next change. */
    void add(String content) {
        entries.add(PlanEntry.of(content, PlanEntryPriority.MEDIUM, PlanEntryStatus.PENDING));
    }

    void begin(int entry) throws InterruptedException {
        set(entry, PlanEntryStatus.IN_PROGRESS);
        work.plan(entries);
    }

    void done(int entry) throws InterruptedException {
        set(entry, PlanEntryStatus.COMPLETED);
        work.plan(entries);
    }

    /** Marks an entry as not done in its text, because the protocol has no status for that. */
    void leftUndone(int entry) throws InterruptedException {
        PlanEntry old = entries.get(entry);
        entries.set(entry, PlanEntry.of(old.content() + " (not done)", old.priority(), PlanEntryStatus.PENDING));
        work.plan(entries);
    }

    /** Keeps the current plan in the history. */
    void keep() {
        work.keepPlan(entries);
    }

    private void set(int entry, PlanEntryStatus status) {
        PlanEntry old = entries.get(entry);
        entries.set(entry, PlanEntry.of(old.content(), old.priority(), status));
    }
}
