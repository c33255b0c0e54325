package dev.acp4j.cli.trace;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.TraceHeader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads a trace line by line, even if it is damaged. */
final class TraceReader {
    private static final int LONGEST_LINE = 64 << 20;

    private final InputStream in;
    private final byte[] buffer = new byte[64 << 10];
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private int at;
    private int end;
    private long number;
    private boolean isTooLong;

    /** @param in the source of the lines; it may have more of them after its end was reported */
    TraceReader(InputStream in) {
        this.in = in;
    }

    /** Returns the next item whose line is complete; null if there is none, or none yet. */
    @Nullable
    TraceItem next() throws IOException {
        while (true) {
            if (at == end) {
                at = 0;
                end = Math.max(0, in.read(buffer));
                if (end == 0) {
                    return null;
                }
            }
            int start = at;
            while (at < end && buffer[at] != '\n') {
                at++;
            }
            keep(start);
            if (at < end) {
                at++;
                TraceItem item = ended(false);
                if (item != null) {
                    return item;
                }
            }
        }
    }

    /** Returns the text after the last line break; null if there is none. */
    @Nullable
    TraceItem rest() {
        return line.size() == 0 ? null : ended(true);
    }

    private void keep(int start) {
        isTooLong |= line.size() + (at - start) > LONGEST_LINE;
        if (!isTooLong) {
            line.write(buffer, start, at - start);
        }
    }

    private @Nullable TraceItem ended(boolean isRest) {
        number++;
        byte[] bytes = line.toByteArray();
        boolean wasTooLong = isTooLong;
        line.reset();
        isTooLong = false;
        if (wasTooLong) {
            return new TraceItem.Broken(number, "longer than " + (LONGEST_LINE >> 20) + " MiB", false);
        }
        return isBlank(bytes) ? null : item(bytes, isRest);
    }

    private static boolean isBlank(byte[] bytes) {
        for (byte b : bytes) {
            if (b != ' ' && b != '\t' && b != '\r') {
                return false;
            }
        }
        return true;
    }

    private TraceItem item(byte[] bytes, boolean isRest) {
        try {
            RawJson json = RawJson.parse(bytes);
            return isHeader(bytes)
                    ? new TraceItem.Begin(json.decode(TraceHeader.CODEC))
                    : new TraceItem.Event(json.decode(TraceEvent.CODEC));
        } catch (JsonException e) {
            return new TraceItem.Broken(number, String.valueOf(e.getMessage()), isRest);
        }
    }

    private static boolean isHeader(byte[] bytes) {
        byte[] first = {'{', '"', 't', 'r', 'a', 'c', 'e', '"'};
        return bytes.length > first.length && Arrays.equals(first, 0, first.length, bytes, 0, first.length);
    }
}
