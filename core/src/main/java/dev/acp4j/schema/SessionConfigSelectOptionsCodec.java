package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import dev.acp4j.schema.codec.ListCodec;
import java.util.List;

/** Reads values as groups if the first element of the array is a group, which has a {@code group}. */
class SessionConfigSelectOptionsCodec implements Codec<SessionConfigSelectOptions> {
    static final SessionConfigSelectOptionsCodec INSTANCE = new SessionConfigSelectOptionsCodec();

    private static final Codec<List<SessionConfigSelectOption>> OPTIONS =
            ListCodec.of(SessionConfigSelectOptionCodec.INSTANCE);

    private final Names shapes;
    private final Codec<List<SessionConfigSelectGroup>> groups;

    private SessionConfigSelectOptionsCodec() {
        this("group", SessionConfigSelectGroupCodec.INSTANCE);
    }

    SessionConfigSelectOptionsCodec(String groupMember, Codec<SessionConfigSelectGroup> groups) {
        this.shapes = Names.of(groupMember);
        this.groups = ListCodec.of(groups);
    }

    @Override
    public SessionConfigSelectOptions decode(JsonReader in) {
        long start = in.mark();
        in.beginArray();
        boolean grouped = in.nextElement() && Shape.of(in, shapes) == 0;
        in.rewind(start);
        if (grouped) {
            return new SessionConfigSelectOptions.Grouped(groups.decode(in));
        }
        return new SessionConfigSelectOptions.Ungrouped(OPTIONS.decode(in));
    }

    @Override
    public void encode(SessionConfigSelectOptions value, JsonWriter out) {
        if (value instanceof SessionConfigSelectOptions.Grouped grouped) {
            groups.encode(grouped.groups(), out);
        } else {
            OPTIONS.encode(value.options(), out);
        }
    }
}
