package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** An agent and a client that talk over {@link SocketLines}, a transport of one's own. */
final class OwnTransport {
    public static void main(String[] args) throws IOException, InterruptedException {
        try (var server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            var here = new SocketLines(SocketChannel.open(server.getLocalAddress()));
            var there = new SocketLines(server.accept());
            var agent = Agent.builder("echo", "1.0")
                    .onPrompt(turn -> turn.message("You said: " + turn.text()))
                    .build();
            try (var served = agent.connect(there);
                    var connected = Client.builder("caller", "1.0").connect(here)) {
                System.out.println(
                        connected.newSession(Path.of(".")).prompt("Hello!").text());
                System.out.println("served by protocol version " + served.protocolVersion());
            }
        }
    }
}
