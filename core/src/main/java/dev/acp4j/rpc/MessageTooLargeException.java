package dev.acp4j.rpc;

import java.io.IOException;

/**
 * One message exceeds the transport's limit. The transport itself is intact: after a failed read the rest of the
 * message is skipped, and after a failed write nothing of it was written.
 */
public final class MessageTooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int limit;
    private final byte[] head;

    /**
     * @param limit the largest size allowed, in bytes
     * @param head the first bytes of the message, in which an id may be visible
     */
    public MessageTooLargeException(int limit, byte[] head) {
        super("message is larger than " + limit + " bytes");
        this.limit = limit;
        this.head = head.clone();
    }

    /** Returns the largest size allowed, in bytes, without the line ending. */
    public int limit() {
        return limit;
    }

    /** Returns the first bytes of the message, up to 1 KiB. They usually end in the middle of something. */
    public byte[] head() {
        return head.clone();
    }
}
