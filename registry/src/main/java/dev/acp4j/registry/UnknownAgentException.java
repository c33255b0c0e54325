package dev.acp4j.registry;

import java.util.List;

/** No agent, or more than one, has the name. */
public final class UnknownAgentException extends RegistryException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> known;

    UnknownAgentException(String message, List<String> known) {
        super(message);
        this.known = List.copyOf(known);
    }

    /** Returns the ids that the name was compared with. */
    public List<String> known() {
        return known;
    }
}
