package dev.acp4j.http;

import dev.acp4j.schema.Unstable;
import java.net.URI;

/** ACP over HTTP: where a server listens, and where a client connects. */
@Unstable
public final class Http {
    private Http() {}

    /**
     * Returns the way to an agent, for {@link dev.acp4j.Client#connect(dev.acp4j.rpc.Connector)}.
     *
     * @param uri the endpoint: {@code https}, {@code http}, {@code wss} or {@code ws}; without a path, {@code /acp}
     * @throws IllegalArgumentException when it is no such address, or has a user, query or fragment
     */
    public static RemoteAgent to(URI uri) {
        return RemoteAgent.at(uri);
    }

    /**
     * Returns a server at a port of this machine.
     *
     * @param port the port; 0 for any that is free
     */
    public static HttpServer on(int port) {
        return new HttpServer(port);
    }
}
