package dev.acp4j;

import org.jspecify.annotations.Nullable;

/**
 * The other side does not have a feature: it has not advertised it, and nothing was sent, or it has answered <em>method
 * not found</em>, which is the cause. Check with {@link Peer#supports} before.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#capabilities">Capabilities</a>
 */
public final class UnsupportedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final Feature feature;
    private final int version;

    UnsupportedException(String peer, Feature feature, int version, @Nullable Throwable cause) {
        super("the " + peer + " does not offer " + feature + (cause == null ? "" : ": " + cause.getMessage()), cause);
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
