package dev.acp4j.schema;

/** In version 2 each value says its type. */
@Unstable
public final class SetSessionConfigOptionRequestCodecV2 extends SetSessionConfigOptionRequestCodec {
    public static final SetSessionConfigOptionRequestCodecV2 INSTANCE = new SetSessionConfigOptionRequestCodecV2();

    private SetSessionConfigOptionRequestCodecV2() {
        super("id");
    }
}
