package dev.acp4j.schema;

/** Version 2 calls a group's id {@code groupId}. */
@Unstable
final class SessionConfigSelectOptionsCodecV2 extends SessionConfigSelectOptionsCodec {
    static final SessionConfigSelectOptionsCodecV2 INSTANCE = new SessionConfigSelectOptionsCodecV2();

    private SessionConfigSelectOptionsCodecV2() {
        super("groupId", SessionConfigSelectGroupCodecV2.INSTANCE);
    }
}
