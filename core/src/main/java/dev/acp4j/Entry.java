package dev.acp4j;

import dev.acp4j.schema.Meta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a session's {@link Timeline}, as it was at a revision. An entry is immutable; when it changes, the
 * timeline has a new one with the same number. Two entries are equal when their kind and content are equal, whatever
 * their numbers.
 *
 * <p>More kinds may be added: a switch over entries needs a default branch.
 */
public abstract sealed class Entry
        permits MessageView, ToolCallView, PlanView, NoticeView, CompactionView, QuestionView, TurnEnd {
    /** Where an entry stands: what names it in its timeline, and since when it is as it is. */
    record Place(long number, long revision) {
        /** The place of what stands in no timeline. */
        static final Place NONE = new Place(0, 0);
    }

    private final Place place;
    private final Meta meta;

    Entry(Place place, Meta meta) {
        this.place = place;
        this.meta = meta;
    }

    /**
     * Returns the number of the entry in its timeline. It never changes. Numbers begin with 1 and give the order of the
     * entries; an entry that is in no timeline has the number 0.
     */
    public final long number() {
        return place.number();
    }

    /** Returns the revision of the timeline in which the entry got this content. */
    public final long revision() {
        return place.revision();
    }

    /** Returns the latest extension data of the entry; empty when there is none. */
    public final Meta meta() {
        return meta;
    }

    final Place place() {
        return place;
    }

    /** Returns all that the entry says, beside extension data. */
    abstract List<@Nullable Object> says();

    @Override
    public final boolean equals(@Nullable Object other) {
        return other instanceof Entry entry
                && getClass() == entry.getClass()
                && meta.equals(entry.meta)
                && says().equals(entry.says());
    }

    @Override
    public final int hashCode() {
        return says().hashCode();
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + says();
    }
}
