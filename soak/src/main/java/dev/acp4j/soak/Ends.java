package dev.acp4j.soak;

import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.util.function.UnaryOperator;

/**
 * Two ends joined by two pipes of the operating system.
 *
 * @param client the client's end
 * @param agent the agent's end
 */
record Ends(Transport client, Transport agent) {
    /** Returns two ends, of which each reads through what it is given. */
    static Ends join(UnaryOperator<InputStream> toClient, UnaryOperator<InputStream> toAgent) throws IOException {
        Pipe fromAgent = Pipe.open();
        Pipe fromClient = Pipe.open();
        return new Ends(
                StreamTransport.of(
                        toClient.apply(Channels.newInputStream(fromAgent.source())),
                        Channels.newOutputStream(fromClient.sink())),
                StreamTransport.of(
                        toAgent.apply(Channels.newInputStream(fromClient.source())),
                        Channels.newOutputStream(fromAgent.sink())));
    }
}
