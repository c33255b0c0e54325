package dev.acp4j.schema;

import dev.acp4j.schema.codec.Draft;
import java.util.List;

/** The sessions that a list has, by whether they are archived. */
@Draft
@Unstable
public final class SessionArchiveFilter extends StringValue {
    /** Sessions that are not archived; the default. */
    public static final SessionArchiveFilter EXCLUDE = new SessionArchiveFilter("exclude");

    /** All sessions. */
    public static final SessionArchiveFilter INCLUDE = new SessionArchiveFilter("include");

    /** Archived sessions. */
    public static final SessionArchiveFilter ONLY = new SessionArchiveFilter("only");

    private SessionArchiveFilter(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static SessionArchiveFilter of(String value) {
        return new SessionArchiveFilter(value);
    }

    /** Returns the constants. */
    public static List<SessionArchiveFilter> known() {
        return StringValueCodec.SESSION_ARCHIVE_FILTER.known();
    }
}
