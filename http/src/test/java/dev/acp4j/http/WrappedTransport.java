package dev.acp4j.http;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.MessageTooLargeException;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A transport that takes any text, over one that takes messages only: each is the text of a notification. */
final class WrappedTransport implements Transport, Transport.Reader {
    private static final String METHOD = "_contract/text";

    /** How much longer a text of digits is as a notification. */
    static final int BYTES_BESIDE = wrapped("").length();

    private final Transport transport;

    WrappedTransport(Transport transport) {
        this.transport = transport;
    }

    private static Message wrapped(String text) {
        return Message.notification(METHOD, RawJson.parse("{\"text\":" + RawJson.string(text) + "}"));
    }

    @Override
    public Reader reader() {
        return this;
    }

    @Override
    public Writer writer() {
        return new Out();
    }

    @Override
    public @Nullable Message read() throws IOException, InterruptedException {
        for (Message message = transport.reader().read();
                message != null;
                message = transport.reader().read()) {
            RawJson params = message.params();
            if (message.method().equals(METHOD) && params != null && params.value() instanceof JsonObject object) {
                byte[] text = object.text("text").orElseThrow().getBytes(StandardCharsets.UTF_8);
                return Message.parse(RawJson.wrap(text, 0, text.length));
            }
        }
        return null;
    }

    @Override
    public boolean isReady() {
        return transport.reader().isReady();
    }

    private final class Out implements Writer {
        @Override
        public void write(Message message) throws IOException {
            String text = message.toString();
            try {
                transport.writer().write(wrapped(text));
            } catch (MessageTooLargeException e) {
                byte[] head = Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), 1024);
                throw new MessageTooLargeException(e.limit() - BYTES_BESIDE, head);
            }
        }

        @Override
        public void flush() throws IOException {
            transport.writer().flush();
        }

        @Override
        public void close() throws IOException {
            transport.writer().close();
        }
    }

    @Override
    public void close() {
        transport.close();
    }
}
