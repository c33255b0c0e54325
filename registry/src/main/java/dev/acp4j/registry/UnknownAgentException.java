package dev.acp4j.registry;

import java.util.List;

/** No agent, or more than one, has the name. */
public final class UnknownAgentException extends RegistryException {
    private static final long serialVersionUID = 1L;

    private final String name;
    private final transient List<String> known;

    UnknownAgentException(String name, String message, List<String> known) {
        super(message);
        this.name = name;
        this.known = List.copyOf(known);
    }

    /** Returns the name. */
    public String name() {
        return name;
    }

    /** Returns the ids that the name was compared with. */
    public List<String> known() {
        return known;
    }
}
