package dev.acp4j;

import dev.acp4j.schema.Notice;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A notice of the agent to the user, which is not part of the conversation. */
public final class NoticeView extends Entry {
    private final Notice notice;

    NoticeView(Place place, Notice notice) {
        super(place, notice.meta());
        this.notice = notice;
    }

    /** Returns the notice. */
    public Notice notice() {
        return notice;
    }

    @Override
    List<@Nullable Object> says() {
        return Arrays.asList(notice);
    }
}
