package dev.acp4j.schema;

/** Reads the values of version 2, in which the id of a group is {@code groupId}. */
@Unstable
final class SessionConfigSelectOptionsCodecV2 extends SessionConfigSelectOptionsCodec {
    static final SessionConfigSelectOptionsCodecV2 INSTANCE = new SessionConfigSelectOptionsCodecV2();

    private SessionConfigSelectOptionsCodecV2() {
        super("groupId", SessionConfigSelectGroupCodec.V2);
    }
}
