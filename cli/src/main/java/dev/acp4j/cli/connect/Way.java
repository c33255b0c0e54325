package dev.acp4j.cli.connect;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.http.RemoteAgent;
import java.io.IOException;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * How a remote agent is reached: what the command line, the file of servers and the environment say of it.
 *
 * @param agent the agent, with credential, certificates and proxy
 * @param over how messages travel
 * @param credential where the credential comes from, for reports; null when there is none
 * @param proxy the proxy on the way; null for none
 */
public record Way(
        RemoteAgent agent,
        RemoteAgent.Over over,
        @Nullable String credential,
        @Nullable URI proxy) {
    /** Returns the address of the endpoint, with the scheme {@code http} or {@code https}. */
    public URI endpoint() {
        return agent.endpoint();
    }

    /**
     * Demands that {@code acp connect} would go there: beyond this machine only with TLS.
     *
     * @throws UsageException when it would not
     */
    public void requireAllowed() {
        try {
            agent.open().close();
        } catch (IOException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }
}
