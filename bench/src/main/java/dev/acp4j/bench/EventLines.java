package dev.acp4j.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The lines of a response on HTTP/1.1, whose body comes in chunks or until the end, from its bytes as they arrive. */
final class EventLines {
    /** Takes a line; what it is given is valid during the call. */
    @FunctionalInterface
    interface Taker {
        void line(byte[] bytes, int length) throws IOException;
    }

    private enum Part {
        HEAD,
        SIZE,
        CHUNK,
        AFTER,
        REST
    }

    private final Taker taker;
    private byte[] line = new byte[512];
    private int length;
    private Part part = Part.HEAD;
    private boolean isChunked;
    private int left;

    EventLines(Taker taker) {
        this.taker = taker;
    }

    /** Returns whether the head of the response has come. */
    boolean isOpen() {
        return part != Part.HEAD;
    }

    void take(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            byte next = bytes.get();
            switch (part) {
                case HEAD -> head(next);
                case SIZE -> size(next);
                case AFTER -> part = next == '\n' ? Part.SIZE : Part.AFTER;
                case CHUNK -> {
                    body(next);
                    if (--left == 0) {
                        part = Part.AFTER;
                    }
                }
                case REST -> body(next);
            }
        }
    }

    private void head(byte next) throws IOException {
        if (next == '\r') {
            return;
        }
        if (next != '\n') {
            add(next);
            return;
        }
        String header = new String(line, 0, length, StandardCharsets.ISO_8859_1);
        if (header.isEmpty()) {
            part = isChunked ? Part.SIZE : Part.REST;
        } else if (header.startsWith("HTTP/") && !header.contains(" 200 ")) {
            throw new IOException("the stream was answered with " + header);
        } else if (header.equalsIgnoreCase("transfer-encoding: chunked")) {
            isChunked = true;
        }
        length = 0;
    }

    private void size(byte next) {
        if (next == '\n') {
            part = left == 0 ? Part.SIZE : Part.CHUNK;
        } else if (next != '\r') {
            left = left * 16 + Character.digit(next, 16);
        }
    }

    private void body(byte next) throws IOException {
        if (next != '\n') {
            add(next);
            return;
        }
        taker.line(line, length);
        length = 0;
    }

    private void add(byte next) {
        if (length == line.length) {
            line = Arrays.copyOf(line, 2 * length);
        }
        line[length++] = next;
    }
}
