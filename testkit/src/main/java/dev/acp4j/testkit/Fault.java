package dev.acp4j.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.function.Function;

/**
 * Something that goes wrong with the bytes of one direction, as pipes, start scripts and careless peers make it happen.
 * Give it to {@link Transports#overBytes}.
 */
@FunctionalInterface
public interface Fault {
    /** Nothing goes wrong. */
    Fault NONE = in -> in;

    /** Returns the stream as the reader will get it. */
    InputStream applyTo(InputStream in);

    /** Returns this fault followed by another. */
    default Fault then(Fault next) {
        return in -> next.applyTo(applyTo(in));
    }

    /**
     * Reads return so few bytes at a time: characters and line ends are split between them.
     *
     * @param bytes how many; positive
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
     * The stream ends after so many bytes, as if the writer had died.
     *
     * @param bytes how many
     */
    static Fault cutAfter(long bytes) {
        return in -> new EndingStream(in, bytes, null);
    }

    /**
     * Reading fails after so many bytes.
     *
     * @param bytes how many
     */
    static Fault failAfter(long bytes) {
        return in -> new EndingStream(in, bytes, "the fault after " + bytes + " bytes");
    }

    /**
     * Other lines come instead of each line: none, to lose it; two, to double it; another, to break it.
     *
     * @param change from a line without its end to what comes instead, each with an end of its own choice
     */
    static Fault lines(Function<String, List<String>> change) {
        return in -> new LineStream(in, change);
    }

    /** Something comes before the first byte, for example a banner or a byte order mark. */
    static Fault before(String text) {
        boolean[] first = {true};
        return lines(line -> {
            String start = first[0] ? text : "";
            first[0] = false;
            return List.of(start + line + "\n");
        });
    }
}
