package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import java.util.List;

/** Values are in groups if the first element of the array is one, which has a {@code group}. */
final class SessionConfigSelectOptionsCodec implements Codec<SessionConfigSelectOptions> {
    static final SessionConfigSelectOptionsCodec INSTANCE = new SessionConfigSelectOptionsCodec();

    private static final Names SHAPES = Names.of("group");
    private static final Codec<List<SessionConfigSelectOption>> OPTIONS =
            ListCodec.of(SessionConfigSelectOptionCodec.INSTANCE);
    private static final Codec<List<SessionConfigSelectGroup>> GROUPS =
            ListCodec.of(SessionConfigSelectGroupCodec.INSTANCE);

    private SessionConfigSelectOptionsCodec() {}

    @Override
    public SessionConfigSelectOptions decode(JsonReader in) {
        long start = in.mark();
        in.beginArray();
        boolean grouped = in.nextElement() && Shape.of(in, SHAPES) == 0;
        in.rewind(start);
        if (grouped) {
            return new SessionConfigSelectOptions.Grouped(GROUPS.decode(in));
        }
        return new SessionConfigSelectOptions.Ungrouped(OPTIONS.decode(in));
    }

    @Override
    public void encode(SessionConfigSelectOptions value, JsonWriter out) {
        if (value instanceof SessionConfigSelectOptions.Grouped grouped) {
            GROUPS.encode(grouped.groups(), out);
        } else {
            OPTIONS.encode(value.options(), out);
        }
    }
}
