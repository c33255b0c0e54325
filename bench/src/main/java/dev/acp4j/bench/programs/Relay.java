package dev.acp4j.bench.programs;

import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.Transport;
import java.util.List;

/** Passes everything that comes in at one end on to the other, in both directions, and decodes none of it. */
final class Relay {
    private Relay() {}

    /** Joins two transports. Returns both connections. */
    static List<Connection> join(Transport left, Transport right) {
        Link link = new Link(Link.Interception.NONE);
        Connection.Builder client =
                Connection.builder(left, Link.handler(link.left())).name("left");
        return Link.start(
                client,
                Connection.builder(right, Link.handler(link.right()))
                        .name("right")
                        // On a thread of its own: the end of the one does not wait for that of the other.
                        .onEnded(() -> Thread.ofPlatform()
                                .start(() -> link.left().channel().connection().close())));
    }
}
