package dev.acp4j.http;

import dev.acp4j.rpc.Connector;
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
     * Returns the way to an agent at the other end of lines of another kind, such as a program that ssh runs on another
     * machine. A line that is lost is followed by a new one, on which the open sessions are resumed or loaded, as on a
     * new connection of a server; settings of HTTP have no effect.
     *
     * <p>With {@link RemoteAgent.Over#WEBSOCKET}, the other end of a line is a server of {@link HttpServer#socket}, or
     * a program that joins it to one: then the next line goes on where the one before was cut, and nothing is lost.
     *
     * @param uri names the agent in messages
     * @param line opens a line. Reading one throws an {@link java.io.IOException} when it is lost, and returns null
     *     when the agent has ended, which ends the connection
     */
    public static RemoteAgent to(URI uri, Connector line) {
        return RemoteAgent.at(uri, line);
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
