package dev.acp4j.mcp;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * The program that an agent starts to reach a server of another program: copies standard input to a port of the
 * loopback interface, and what comes from there to standard output. It ends with either. It knows nothing of MCP, uses
 * the JDK only, and has port and token from its environment.
 *
 * <p>An agent waits for its start. So there is nothing here that the JVM links at run time, which costs milliseconds:
 * no lambda, and no text that is joined by {@code +}; and no look at the system's proxies.
 */
final class ToolShim extends Thread {
    static final String PORT = "ACP4J_MCP_PORT";
    static final String TOKEN = "ACP4J_MCP_TOKEN";

    private final Socket socket;
    private final OutputStream there;

    private ToolShim(Socket socket, OutputStream there) {
        super("input");
        this.socket = socket;
        this.there = there;
    }

    /** Runs until either side ends. */
    public static void main(String[] args) throws IOException {
        Socket socket = new Socket(Proxy.NO_PROXY);
        socket.connect(new InetSocketAddress(Loopback.ADDRESS, Integer.parseInt(System.getenv(PORT))));
        OutputStream there = socket.getOutputStream();
        there.write(System.getenv(TOKEN).concat("\n").getBytes(StandardCharsets.UTF_8));
        Thread input = new ToolShim(socket, there);
        input.setDaemon(true);
        input.start();
        copy(socket.getInputStream(), new FileOutputStream(FileDescriptor.out));
    }

    /** Copies what comes in. */
    @Override
    public void run() {
        copy(new FileInputStream(FileDescriptor.in), there);
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            // The other side has ended.
        }
    }

    private static void copy(InputStream from, OutputStream to) {
        try {
            byte[] bytes = new byte[8192];
            for (int length = from.read(bytes); length >= 0; length = from.read(bytes)) {
                to.write(bytes, 0, length);
                to.flush();
            }
        } catch (IOException e) {
            // One side has ended, and so does the other.
        }
    }
}
