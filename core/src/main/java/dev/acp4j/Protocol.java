package dev.acp4j;

import dev.acp4j.schema.Method;
import dev.acp4j.schema.Version;

/** What both sides know of the protocol as such. */
final class Protocol {
    /** The newest version that this library speaks. */
    static final int NEWEST = 1;

    private Protocol() {}

    /** Returns whether a version of the protocol has a method of this name. */
    static boolean defines(String method) {
        return method.startsWith("$/")
                || Method.find(method, Version.V1).isPresent()
                || Method.find(method, Version.V2).isPresent();
    }
}
