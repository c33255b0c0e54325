package dev.acp4j.schema;

/** In version 2 each value says its type. */
@Unstable
final class SetSessionConfigOptionRequestCodecV2 extends SetSessionConfigOptionRequestCodec {
    static final SetSessionConfigOptionRequestCodecV2 INSTANCE = new SetSessionConfigOptionRequestCodecV2();

    private SetSessionConfigOptionRequestCodecV2() {
        super("id");
    }
}
