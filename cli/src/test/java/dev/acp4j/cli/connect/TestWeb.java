package dev.acp4j.cli.connect;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.Executors;

/** A server that knows nothing of agents. */
public final class TestWeb implements AutoCloseable {
    private final HttpServer server;

    /** Answers a request. */
    @FunctionalInterface
    public interface Answers {
        void answer(HttpExchange exchange) throws IOException;
    }

    public TestWeb(Answers answers) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            try (exchange) {
                answers.answer(exchange);
            }
        });
        server.start();
    }

    public URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/acp");
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
