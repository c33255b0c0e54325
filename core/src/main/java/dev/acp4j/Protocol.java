package dev.acp4j;

import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Method;

/** What both sides know of the protocol as such. */
final class Protocol {
    /** The newest version that this library speaks. */
    static final int NEWEST = 1;

    private Protocol() {}

    static boolean defines(String method) {
        return contains(AgentMethods.all(), method) || contains(ClientMethods.all(), method) || method.startsWith("$/");
    }

    private static boolean contains(Iterable<Method<?, ?>> methods, String name) {
        for (Method<?, ?> method : methods) {
            if (method.name().equals(name)) {
                return true;
            }
        }
        return false;
    }
}
