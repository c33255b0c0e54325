package dev.acp4j.schema;

/** An object of the protocol that may carry more than its record knows. */
public interface Extensible {
    /** Returns extension data, and members that this version of the library does not know. */
    Rest rest();

    /** Returns extension data of the implementations, empty when there is none. */
    default Meta meta() {
        return rest().meta();
    }
}
