package dev.acp4j.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads server-sent events as their bytes arrive, whatever the pieces. The data of an event is handed out as bytes,
 * since most of it goes on as it came. For one thread.
 *
 * @see <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html">Server-sent events</a>
 */
final class EventParser {
    /** Receives the events. */
    interface Listener {
        /**
         * Receives an event.
         *
         * @param id the last id of the stream, this event's included; empty when there is none
         * @param data its data, an array of its own
         */
        void event(String id, byte[] data) throws InterruptedException;

        /** Receives the beginning of an event that is larger than allowed; the rest of it is skipped. */
        void oversized(String id, byte[] head) throws InterruptedException;

        /** The position has moved without a message. */
        void place(String id) throws InterruptedException;

        /** The server says after how many milliseconds to connect again. */
        void retry(long millis);
    }

    private static final int HEAD_BYTES = 1024;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    private final int mostBytes;
    private final Listener listener;

    private byte[] line = new byte[512];
    private int length;
    private byte[] data = new byte[0];
    private int dataLength;
    private boolean hasData;
    private boolean isOversized;
    private boolean afterReturn;
    private boolean isFirstLine = true;

    /** The id that is dispatched with the next event. */
    private String nextId = "";

    private String id = "";

    /** @param mostBytes the most bytes of data an event may have; of a line they may be some more */
    EventParser(int mostBytes, Listener listener) {
        this.mostBytes = mostBytes;
        this.listener = listener;
    }

    /** Takes some bytes. */
    void take(byte[] bytes, int from, int to) throws InterruptedException {
        int start = from;
        if (afterReturn && from < to) {
            afterReturn = false;
            start = bytes[from] == '\n' ? from + 1 : from;
        }
        int at = start;
        while (at < to) {
            byte b = bytes[at];
            if (b != '\n' && b != '\r') {
                at++;
                continue;
            }
            append(bytes, start, at);
            line();
            at++;
            if (b == '\r') {
                if (at == to) {
                    afterReturn = true;
                } else if (bytes[at] == '\n') {
                    at++;
                }
            }
            start = at;
        }
        append(bytes, start, to);
    }

    private void append(byte[] bytes, int from, int to) {
        // One byte more than a line of the largest event, so that it is seen to be too long.
        int count = Math.min(to - from, mostBytes + HEAD_BYTES - length);
        if (count <= 0) {
            return;
        }
        if (length + count > line.length) {
            line = Arrays.copyOf(line, Math.max(length + count, (int)
                    Math.min(mostBytes + (long) HEAD_BYTES, 2L * line.length)));
        }
        System.arraycopy(bytes, from, line, length, count);
        length += count;
    }

    private void line() throws InterruptedException {
        int from = isFirstLine && startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
        isFirstLine = false;
        int to = length;
        length = 0;
        if (from == to) {
            dispatch();
            return;
        }
        int colon = from;
        while (colon < to && line[colon] != ':') {
            colon++;
        }
        int value = colon == to ? to : colon + 1;
        value = value < to && line[value] == ' ' ? value + 1 : value;
        if (isField("data", from, colon)) {
            data(value, to);
        } else if (isField("id", from, colon)) {
            String text = new String(line, value, to - value, StandardCharsets.UTF_8);
            nextId = text.indexOf('\0') < 0 ? text : nextId;
        } else if (isField("retry", from, colon)) {
            retry(new String(line, value, to - value, StandardCharsets.UTF_8));
        }
        if (line.length > 64 * 1024) {
            line = new byte[512];
        }
    }

    private boolean startsWith(byte[] prefix) {
        return length >= prefix.length && Arrays.equals(line, 0, prefix.length, prefix, 0, prefix.length);
    }

    private boolean isField(String name, int from, int to) {
        if (to - from != name.length()) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (line[from + i] != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private void data(int from, int to) {
        int count = to - from;
        if (!hasData) {
            data = Arrays.copyOfRange(line, from, to);
            dataLength = count;
            hasData = true;
        } else {
            int room = (int) Math.min(mostBytes + (long) HEAD_BYTES, dataLength + 1L + count);
            byte[] joined = Arrays.copyOf(data, room);
            joined[dataLength] = '\n';
            System.arraycopy(line, from, joined, dataLength + 1, room - dataLength - 1);
            data = joined;
            dataLength = room;
        }
        isOversized |= dataLength > mostBytes;
    }

    private void retry(String text) {
        if (!text.isEmpty() && text.length() < 10 && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            listener.retry(Long.parseLong(text));
        }
    }

    private void dispatch() throws InterruptedException {
        boolean has = hasData;
        boolean tooLarge = isOversized;
        byte[] bytes = data;
        hasData = false;
        isOversized = false;
        data = new byte[0];
        boolean hasMoved = !nextId.equals(id);
        id = nextId;
        if (tooLarge) {
            listener.oversized(id, Arrays.copyOf(bytes, Math.min(HEAD_BYTES, bytes.length)));
        } else if (has) {
            listener.event(id, bytes);
        } else if (hasMoved) {
            listener.place(id);
        }
    }
}
