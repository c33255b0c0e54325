package dev.acp4j.registry;

import java.util.List;

/** An agent is not on this machine: {@link Agents#install} installs it. */
public final class NotInstalledException extends RegistryException {
    private static final long serialVersionUID = 1L;

    private final String id;
    private final boolean isKnown;
    private final transient List<String> known;

    NotInstalledException(String id, String message) {
        super(message);
        this.id = id;
        this.isKnown = true;
        this.known = List.of();
    }

    NotInstalledException(UnknownAgentException cause, String message) {
        super(message, cause);
        this.id = cause.name();
        this.isKnown = false;
        this.known = cause.known();
    }

    /** Returns the id of the agent, or else the name as it was given. */
    public String id() {
        return id;
    }

    /** Returns whether a lock file or an installation has it; if not, an index may have it, or nobody. */
    public boolean isKnown() {
        return isKnown;
    }

    /** Returns the ids of what is pinned or installed, when the agent is not {@linkplain #isKnown known}. */
    public List<String> known() {
        return known;
    }
}
