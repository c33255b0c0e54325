package dev.acp4j;

import dev.acp4j.schema.Meta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One part of a session's {@link Timeline}, as it was at a revision: an entry does not change, there are newer ones
 * with the same number. Two are equal when they say the same of the same thing, wherever they stand.
 *
 * <p>There will be more kinds: give a switch over them a default branch.
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
     * Returns the number that names the entry in its timeline. It never changes, and entries stand in the order of
     * their numbers, which begin with 1; 0 for what stands in no timeline.
     */
    public final long number() {
        return place.number();
    }

    /** Returns the revision of the timeline in which the entry became as it is here. */
    public final long revision() {
        return place.revision();
    }

    /** Returns the extension data that the agent gave last for this, empty when it gave none. */
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
