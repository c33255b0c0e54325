package dev.acp4j.schema;

/** The codec of version 2, in which each value has a type. */
@Unstable
final class SetSessionConfigOptionRequestCodecV2 extends SetSessionConfigOptionRequestCodec {
    static final SetSessionConfigOptionRequestCodecV2 INSTANCE = new SetSessionConfigOptionRequestCodecV2();

    private SetSessionConfigOptionRequestCodecV2() {
        super("id");
    }
}
