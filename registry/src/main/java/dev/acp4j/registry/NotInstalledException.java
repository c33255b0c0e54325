package dev.acp4j.registry;

/** An agent is not on this machine: {@link Agents#install} installs it. */
public final class NotInstalledException extends RegistryException {
    private static final long serialVersionUID = 1L;

    private final String id;
    private final boolean isKnown;

    NotInstalledException(String id, boolean isKnown, String message) {
        super(message);
        this.id = id;
        this.isKnown = isKnown;
    }

    /** Returns the id of the agent, or else the name as it was given. */
    public String id() {
        return id;
    }

    /** Returns whether a lock file or an installation has it; if not, an index may have it, or nobody. */
    public boolean isKnown() {
        return isKnown;
    }
}
