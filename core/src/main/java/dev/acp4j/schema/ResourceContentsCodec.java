package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;

/** Reads contents as text if they have a {@code text}, else as bytes if they have a {@code blob}. */
final class ResourceContentsCodec implements Codec<ResourceContents> {
    static final ResourceContentsCodec INSTANCE = new ResourceContentsCodec();

    private static final Names SHAPES = Names.of("text", "blob");

    private ResourceContentsCodec() {}

    @Override
    public ResourceContents decode(JsonReader in) {
        return switch (Shape.of(in, SHAPES)) {
            case 0 -> ResourceContentsTextCodec.INSTANCE.decode(in);
            case 1 -> ResourceContentsBlobCodec.INSTANCE.decode(in);
            default -> new ResourceContents.Unknown(in.raw());
        };
    }

    @Override
    public void encode(ResourceContents value, JsonWriter out) {
        if (value instanceof ResourceContents.Text text) {
            ResourceContentsTextCodec.INSTANCE.encode(text, out);
        } else if (value instanceof ResourceContents.Blob blob) {
            ResourceContentsBlobCodec.INSTANCE.encode(blob, out);
        } else if (value instanceof ResourceContents.Unknown unknown) {
            out.raw(unknown.raw());
        }
    }
}
