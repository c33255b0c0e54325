package dev.acp4j.schema;

/** A version of the protocol. */
public enum Version {
    /** Version 1, which is stable. */
    V1(1),
    /** Version 2, which is a draft. */
    @Unstable
    V2(2);

    private final int number;

    Version(int number) {
        this.number = number;
    }

    /** Returns the number on the wire. */
    public int number() {
        return number;
    }
}
