package dev.acp4j.proxy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A transport to a proxy in this program and the agent behind it. It fails as the transport of the agent does: when
 * that has ended, {@link #read} throws the reason, which answers the requests that were open there. The errors with
 * which the proxy has answered them are discarded, since they only say that the agent has ended.
 */
final class ProxiedTransport implements Transport, Transport.Reader {
    private final Transport toProxy;
    private final Transport agent;
    private final RunningProxy proxy;
    private volatile boolean closed;

    /**
     * @param toProxy the transport on which the proxy has its client
     * @param agent where the agent is
     * @param proxy the proxy at work between them
     */
    ProxiedTransport(Transport toProxy, Transport agent, RunningProxy proxy) {
        this.toProxy = toProxy;
        this.agent = agent;
        this.proxy = proxy;
    }

    @Override
    public Transport.Reader reader() {
        return this;
    }

    @Override
    public Transport.Writer writer() {
        return toProxy.writer();
    }

    @Override
    public boolean holdsCarrier() {
        return agent.holdsCarrier();
    }

    @Override
    public Limits limits(Limits limits) {
        return agent.limits(limits);
    }

    /** Writing fails when the proxy has ended, of which the agent may be the reason. */
    @Override
    public IOException explain(IOException failure) {
        Throwable why = closed ? null : proxy.failure().orElse(null);
        if (why == null) {
            return agent.explain(failure);
        }
        return why instanceof IOException known ? known : new IOException(why.getMessage(), why);
    }

    @Override
    public @Nullable Message read() throws IOException, InterruptedException {
        Message message = toProxy.reader().read();
        while (message != null && message.isError() && !proxy.isOpen() && saysTheAgentHasEnded(message)) {
            message = toProxy.reader().read();
        }
        Throwable why = message == null && !closed ? proxy.failure().orElse(null) : null;
        if (why instanceof IOException known) {
            throw known;
        }
        if (why != null) {
            throw new IOException(why.getMessage(), why);
        }
        return message;
    }

    private static boolean saysTheAgentHasEnded(Message answer) {
        RawJson error = answer.error();
        return error != null && error.toString().contains(Interceptions.AGENT_HAS_ENDED);
    }

    @Override
    public boolean isReady() {
        return toProxy.reader().isReady();
    }

    @Override
    public void close() {
        closed = true;
        toProxy.close();
        proxy.close();
    }
}
