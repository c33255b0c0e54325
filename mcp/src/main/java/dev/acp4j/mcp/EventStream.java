package dev.acp4j.mcp;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Reads server-sent events as their bytes arrive. For one thread.
 *
 * @see <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html">Server-sent events</a>
 */
final class EventStream {
    /** Receives the events. */
    interface Listener {
        /**
         * Receives an event.
         *
         * @param type its type; {@code message} unless the stream says otherwise
         * @param id the id that the stream may be continued from; empty when there is none
         */
        void event(String type, String id, String data);

        /** The server says after how many milliseconds to connect again. */
        void reconnectAfter(long millis);
    }

    private final Listener listener;
    private final int mostBytes;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final StringBuilder data = new StringBuilder();
    private String type = "";
    private String id = "";
    private boolean afterReturn;

    EventStream(int mostBytes, Listener listener) {
        this.mostBytes = mostBytes;
        this.listener = listener;
    }

    /**
     * Takes a byte.
     *
     * @throws IllegalStateException when an event is larger than allowed
     */
    void take(byte b) {
        if (b == '\n' && afterReturn) {
            afterReturn = false;
            return;
        }
        afterReturn = b == '\r';
        if (b == '\n' || b == '\r') {
            String text = line.toString(StandardCharsets.UTF_8);
            line.reset();
            line(text.startsWith("\uFEFF") ? text.substring(1) : text);
        } else {
            line.write(b);
            if (line.size() + data.length() > mostBytes) {
                throw new IllegalStateException("an event has more than " + mostBytes + " bytes");
            }
        }
    }

    private void line(String text) {
        if (text.isEmpty()) {
            dispatch();
            return;
        }
        int colon = text.indexOf(':');
        String field = colon < 0 ? text : text.substring(0, colon);
        String value = colon < 0 ? "" : text.substring(colon + 1);
        value = value.startsWith(" ") ? value.substring(1) : value;
        switch (field) {
            case "event" -> type = value;
            case "data" -> data.append(value).append('\n');
            case "id" -> id = value.indexOf('\0') < 0 ? value : id;
            case "retry" -> reconnectAfter(value);
            default -> {
                // A comment, or a field of the future.
            }
        }
    }

    private void reconnectAfter(String value) {
        if (!value.isEmpty() && value.length() < 10 && value.chars().allMatch(c -> c >= '0' && c <= '9')) {
            listener.reconnectAfter(Long.parseLong(value));
        }
    }

    private void dispatch() {
        if (!data.isEmpty()) {
            data.setLength(data.length() - 1);
            listener.event(type.isEmpty() ? "message" : type, id, data.toString());
        } else if (!id.isEmpty()) {
            // Servers prime a stream with an event that has an id and no data.
            listener.event("", id, "");
        }
        data.setLength(0);
        type = "";
    }
}
