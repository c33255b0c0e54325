package dev.acp4j.testkit;

import dev.acp4j.rpc.StreamTransport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

class SocketTransportContractTest extends TransportContract {
    @Override
    protected Ends open() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel left = SocketChannel.open(server.getLocalAddress());
            return new Ends(StreamTransport.of(left), StreamTransport.of(server.accept()));
        }
    }
}
