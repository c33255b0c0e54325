package dev.acp4j.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

/** A stream that replaces each line. */
final class LineStream extends InputStream {
    private final InputStream in;
    private final Function<String, List<String>> change;
    private byte[] ready = {};
    private int at;

    LineStream(InputStream in, Function<String, List<String>> change) {
        this.in = in;
        this.change = change;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int from, int length) throws IOException {
        while (at == ready.length) {
            if (!fill()) {
                return -1;
            }
        }
        int count = Math.min(length, ready.length - at);
        System.arraycopy(ready, at, buffer, from, count);
        at += count;
        return count;
    }

    private boolean fill() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        while (next >= 0 && next != '\n') {
            line.write(next);
            next = in.read();
        }
        if (next < 0 && line.size() == 0) {
            return false;
        }
        ready = String.join("", change.apply(line.toString(StandardCharsets.UTF_8)))
                .getBytes(StandardCharsets.UTF_8);
        at = 0;
        return true;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
