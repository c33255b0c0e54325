package dev.acp4j.schema;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.Names;

/** Distinguishes objects without discriminator by the members they have. */
final class Shape {
    private Shape() {}

    /**
     * Looks ahead into the object at the cursor. The cursor does not move.
     *
     * @return the index of the first of these names that the object has a value for, or {@link JsonReader#UNKNOWN}
     */
    static int of(JsonReader in, Names names) {
        long start = in.mark();
        int first = names.size();
        in.beginObject();
        for (int member = in.member(names); member != JsonReader.END; member = in.member(names)) {
            if (member != JsonReader.UNKNOWN && member < first && in.kind() != JsonReader.Kind.NULL) {
                first = member;
            }
            in.skip();
        }
        in.rewind(start);
        return first < names.size() ? first : JsonReader.UNKNOWN;
    }
}
