package dev.acp4j.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.function.Function;

/**
 * A fault in the byte stream of one direction, as caused by pipes, start scripts and faulty peers. For use with
 * {@link Transports#overBytes}.
 */
@FunctionalInterface
public interface Fault {
    /** No fault. */
    Fault NONE = in -> in;

    /** Returns the stream for the reader. */
    InputStream applyTo(InputStream in);

    /** Returns this fault followed by another. */
    default Fault then(Fault next) {
        return in -> next.applyTo(applyTo(in));
    }

    /**
     * Reads return this number of bytes at a time, so characters and line ends are split between them.
     *
     * @param bytes the number of bytes; positive
     */
    static Fault pieces(int bytes) {
        return in -> new InputStream() {
            @Override
            public int read() throws IOException {
                return in.read();
            }

            @Override
            public int read(byte[] buffer, int from, int length) throws IOException {
                return in.read(buffer, from, Math.min(length, bytes));
            }

            @Override
            public void close() throws IOException {
                in.close();
            }
        };
    }

    /**
     * The stream ends after this number of bytes, as if the writer had died.
     *
     * @param bytes the number of bytes
     */
    static Fault cutAfter(long bytes) {
        return in -> new EndingStream(in, bytes, null);
    }

    /**
     * Reading fails after this number of bytes.
     *
     * @param bytes the number of bytes
     */
    static Fault failAfter(long bytes) {
        return in -> new EndingStream(in, bytes, "the fault after " + bytes + " bytes");
    }

    /**
     * Each line is replaced: by none, to lose it; by two, to double it; by another, to corrupt it.
     *
     * @param change maps a line without its end to its replacement, including line ends
     */
    static Fault lines(Function<String, List<String>> change) {
        return in -> new LineStream(in, change);
    }

    /** Bytes precede the stream, for example a banner or a byte order mark. */
    static Fault before(String text) {
        boolean[] first = {true};
        return lines(line -> {
            String start = first[0] ? text : "";
            first[0] = false;
            return List.of(start + line + "\n");
        });
    }
}
