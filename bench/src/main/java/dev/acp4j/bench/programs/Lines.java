package dev.acp4j.bench.programs;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Lines of standard input, of which the beginnings are kept and looked at; nothing is parsed. */
final class Lines {
    private static final int HEAD_BYTES = 1024;

    final OutputStream out = new FileOutputStream(FileDescriptor.out);
    private final InputStream in;
    private final byte[] block = new byte[64 * 1024];
    private int from;
    private int to;
    private byte[] head = new byte[HEAD_BYTES];
    private int length;

    Lines() {
        this(new FileInputStream(FileDescriptor.in));
    }

    Lines(InputStream in) {
        this.in = in;
    }

    /** Reads up to the end of the next line; false at the end of the input. */
    boolean next() throws IOException {
        length = 0;
        while (true) {
            if (from == to) {
                from = 0;
                to = in.read(block, 0, block.length);
                if (to < 0) {
                    return false;
                }
            }
            int end = from;
            while (end < to && block[end] != '\n') {
                end++;
            }
            keep(end);
            from = end;
            if (end < to) {
                from++;
                return true;
            }
        }
    }

    private void keep(int end) {
        int more = Math.min(end - from, HEAD_BYTES - length);
        System.arraycopy(block, from, head, length, more);
        length += more;
    }

    /** Returns whether the beginning of the line holds these bytes. */
    boolean has(byte[] what) {
        return after(what) >= 0;
    }

    /** Returns what stands between the given bytes and a comma, a brace or a quotation mark; a quoted value whole. */
    String value(byte[] what) {
        int start = after(what);
        int end = start;
        while (end < length && head[end] != ',' && head[end] != '}' && (end == start || head[end] != '"')) {
            end++;
        }
        if (start >= 0 && end < length && head[start] == '"' && head[end] == '"') {
            end++;
        }
        return start < 0 ? "" : new String(head, start, end - start, StandardCharsets.ISO_8859_1);
    }

    /** Returns the index behind the first place of these bytes, or -1. */
    int after(byte[] what) {
        for (int i = 0; i <= length - what.length; i++) {
            if (matches(i, what)) {
                return i + what.length;
            }
        }
        return -1;
    }

    private boolean matches(int at, byte[] what) {
        for (int i = 0; i < what.length; i++) {
            if (head[at + i] != what[i]) {
                return false;
            }
        }
        return true;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
