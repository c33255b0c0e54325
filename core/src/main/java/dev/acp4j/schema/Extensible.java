package dev.acp4j.schema;

/** An object of the protocol that may have members unknown to its record. */
public interface Extensible {
    /** Returns extension data and members unknown to this version of the library. */
    Rest rest();

    /** Returns extension data of the implementations, possibly empty. */
    default Meta meta() {
        return rest().meta();
    }
}
