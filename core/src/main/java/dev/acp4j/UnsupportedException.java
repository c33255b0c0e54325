package dev.acp4j;

/**
 * The other side has not advertised a feature, so nothing was sent. Check with {@link Peer#supports} before.
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

    /** Returns the missing feature. */
    public Feature feature() {
        return feature;
    }

    /** Returns the protocol version of the connection, which may be the reason. */
    public int version() {
        return version;
    }
}
