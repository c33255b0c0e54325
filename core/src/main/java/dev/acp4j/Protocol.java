package dev.acp4j;

/** What both sides know of the protocol as such. */
final class Protocol {
    /** The newest version that this library speaks. */
    static final int NEWEST = 1;

    private Protocol() {}
}
