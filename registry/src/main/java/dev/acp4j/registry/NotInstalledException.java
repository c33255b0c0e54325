package dev.acp4j.registry;

/** An agent is known, but not on this machine: {@link Agents#install} installs it. */
public final class NotInstalledException extends RegistryException {
    private static final long serialVersionUID = 1L;

    private final String id;

    NotInstalledException(String id, String message) {
        super(message);
        this.id = id;
    }

    /** Returns the id of the agent. */
    public String id() {
        return id;
    }
}
