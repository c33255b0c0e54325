package dev.acp4j;

/**
 * The other side has not said that it can do this, so it was not asked. {@link Peer#supports} tells before.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#capabilities">Capabilities</a>
 */
public final class UnsupportedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final Feature feature;
    private final int version;

    UnsupportedException(String peer, Feature feature, int version) {
        super("the " + peer + " does not offer " + feature);
        this.feature = feature;
        this.version = version;
    }

    /** Returns what is not supported. */
    public Feature feature() {
        return feature;
    }

    /** Returns the version of the protocol that is spoken, which may be why. */
    public int version() {
        return version;
    }
}
