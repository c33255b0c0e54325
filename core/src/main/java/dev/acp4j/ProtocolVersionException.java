package dev.acp4j;

import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.schema.AgentMethods;

/**
 * The agent does not speak the version of the protocol that the client does; the connection is closed.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/initialization#protocol-version">Protocol version</a>
 */
public final class ProtocolVersionException extends ConnectionClosedException {
    private static final long serialVersionUID = 1L;

    private final int version;
    private final int newest;

    ProtocolVersionException(int version, int newest) {
        super(
                AgentMethods.INITIALIZE.name() + ": the agent speaks protocol version " + version
                        + ", this client speaks " + newest,
                AgentMethods.INITIALIZE.name(),
                null);
        this.version = version;
        this.newest = newest;
    }

    @Override
    public String nextStep() {
        return "Update the " + (version > newest ? "client" : "agent") + ".";
    }

    /** Returns the version that the agent answered with. */
    public int version() {
        return version;
    }
}
