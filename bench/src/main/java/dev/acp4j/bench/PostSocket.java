package dev.acp4j.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import javax.net.SocketFactory;

/** A connection on HTTP/1.1 for requests that are answered at once. */
final class PostSocket implements AutoCloseable {
    private final SocketFactory sockets;
    private final int port;
    private Socket socket;
    private InputStream in;
    private OutputStream out;

    PostSocket(SocketFactory sockets, int port) throws IOException {
        this.sockets = sockets;
        this.port = port;
        socket = open();
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    private Socket open() throws IOException {
        Socket opened = sockets.createSocket(InetAddress.getLoopbackAddress(), port);
        opened.setTcpNoDelay(true);
        return opened;
    }

    /** The server closes the connection behind an answer, if it likes. */
    private void reopen() throws IOException {
        socket.close();
        socket = open();
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /** Sends a message and does not wait for the answer. */
    void send(String headers, String message) throws IOException {
        byte[] body = message.getBytes(StandardCharsets.UTF_8);
        String head = "POST /acp HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nContent-Type: application/json\r\n"
                + "Accept: application/json, text/event-stream\r\n" + headers + "Content-Length: " + body.length
                + "\r\n\r\n";
        byte[] first = head.getBytes(StandardCharsets.ISO_8859_1);
        byte[] all = new byte[first.length + body.length];
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(body, 0, all, first.length, body.length);
        out.write(all);
    }

    /** Asks for the end of something and does not wait for the answer. */
    void delete(String headers) throws IOException {
        String head = "DELETE /acp HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\n" + headers + "\r\n";
        out.write(head.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Reads an answer; returns its connection id, or the empty string. */
    String answer() throws IOException {
        String status = line();
        if (!status.contains(" 200") && !status.contains(" 202")) {
            throw new IOException("a message was answered with " + status);
        }
        String connection = "";
        int length = 0;
        boolean isChunked = false;
        boolean isLast = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            int colon = header.indexOf(':');
            String name = header.substring(0, colon);
            String value = header.substring(colon + 1).strip();
            if (name.equalsIgnoreCase("acp-connection-id")) {
                connection = value;
            } else if (name.equalsIgnoreCase("content-length")) {
                length = Integer.parseInt(value);
            } else if (name.equalsIgnoreCase("transfer-encoding")) {
                isChunked = true;
            } else if (name.equalsIgnoreCase("connection")) {
                isLast = value.equalsIgnoreCase("close");
            }
        }
        if (isChunked) {
            int chunk;
            do {
                chunk = Integer.parseInt(line(), 16);
                in.skipNBytes(chunk);
                line();
            } while (chunk > 0);
        } else {
            in.skipNBytes(length);
        }
        if (isLast) {
            reopen();
        }
        return connection;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder(64);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the server has closed the connection");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
