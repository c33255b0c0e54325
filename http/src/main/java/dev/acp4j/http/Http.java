package dev.acp4j.http;

import dev.acp4j.schema.Unstable;

/** ACP over HTTP: where a server listens, and where a client connects. */
@Unstable
public final class Http {
    private Http() {}

    /**
     * Returns a server at a port of this machine.
     *
     * @param port the port; 0 for any that is free
     */
    public static HttpServer on(int port) {
        return new HttpServer(port);
    }
}
