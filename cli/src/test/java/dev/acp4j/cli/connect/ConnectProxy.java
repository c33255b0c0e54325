package dev.acp4j.cli.connect;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An HTTP proxy that answers CONNECT, asks for a password if it has one, and leads every name to one server. */
final class ConnectProxy implements AutoCloseable {
    private final ServerSocket listening;
    private final int serverPort;
    private final String password;
    private final String expected;
    private final List<Socket> open = new CopyOnWriteArrayList<>();

    /** The first lines of the requests. */
    final List<String> requests = new CopyOnWriteArrayList<>();

    /** The headers of those that were let through. */
    final List<String> headers = new CopyOnWriteArrayList<>();

    ConnectProxy(int serverPort, String userAndPassword) throws IOException {
        this.serverPort = serverPort;
        this.password = userAndPassword;
        this.expected = "Basic " + Base64.getEncoder().encodeToString(userAndPassword.getBytes(StandardCharsets.UTF_8));
        listening = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    private static void start(Runnable body) {
        Thread unused = Thread.ofVirtual().name("connect-proxy").start(body);
    }

    String address() {
        return "127.0.0.1:" + listening.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                open.add(client);
                start(() -> serve(client));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void serve(Socket client) {
        try {
            // What follows a CONNECT is sent when it was answered, so nothing is read ahead.
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1));
            while (true) {
                String first = in.readLine();
                if (first == null) {
                    return;
                }
                requests.add(first);
                List<String> lines = new ArrayList<>();
                for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                    lines.add(line);
                }
                if (!password.isEmpty() && !lines.contains("Proxy-Authorization: " + expected)) {
                    answer(
                            client,
                            "407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\n"
                                    + "Content-Length: 0");
                    continue;
                }
                headers.addAll(lines);
                Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                open.add(server);
                answer(client, "200 Connection established");
                start(() -> pass(server, client));
                pass(client, server);
                return;
            }
        } catch (IOException e) {
            close(client);
        }
    }

    private static void answer(Socket client, String answer) throws IOException {
        client.getOutputStream().write(("HTTP/1.1 " + answer + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    private static void pass(Socket from, Socket to) {
        try {
            long unused = from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // It is over.
        }
        close(from);
        close(to);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        open.forEach(ConnectProxy::close);
    }
}
