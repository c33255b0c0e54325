package dev.acp4j.examples;

import dev.acp4j.testkit.TransportContract;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** The transport of the example keeps the promises of all transports. */
class SocketLinesTest extends TransportContract {
    @Override
    protected Ends open() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel left = SocketChannel.open(server.getLocalAddress());
            return new Ends(new SocketLines(left), new SocketLines(server.accept()));
        }
    }

    @Override
    protected int largestMessage() {
        return 16 * 1024 * 1024;
    }
}
