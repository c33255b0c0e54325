package dev.acp4j.mcp;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * The program that an agent starts to reach a server of another program: copies standard input to a port of the
 * loopback interface, and what comes from there to standard output. It ends with either. It knows nothing of MCP, uses
 * the JDK only, and has port and token from its environment.
 */
final class ToolShim {
    static final String PORT = "ACP4J_MCP_PORT";
    static final String TOKEN = "ACP4J_MCP_TOKEN";

    private ToolShim() {}

    /** Runs until either side ends. */
    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(System.getenv(PORT));
        Socket socket = new Socket(Loopback.ADDRESS, port);
        OutputStream there = socket.getOutputStream();
        there.write((System.getenv(TOKEN) + "\n").getBytes(StandardCharsets.UTF_8));
        Thread input = new Thread(() -> copy(new FileInputStream(FileDescriptor.in), there, socket));
        input.setDaemon(true);
        input.start();
        copy(socket.getInputStream(), new FileOutputStream(FileDescriptor.out), null);
    }

    private static void copy(InputStream from, OutputStream to, @org.jspecify.annotations.Nullable Socket socket) {
        try {
            byte[] bytes = new byte[8192];
            for (int length = from.read(bytes); length >= 0; length = from.read(bytes)) {
                to.write(bytes, 0, length);
                to.flush();
            }
            if (socket != null) {
                socket.shutdownOutput();
            }
        } catch (IOException e) {
            // One side has ended, and so does the other.
        }
    }
}
