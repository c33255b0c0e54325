package dev.acp4j.examples;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.MessageTooLargeException;
import dev.acp4j.rpc.Transport;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A transport of one's own: one message a line over a connected socket. The testkit's TransportContract holds it. */
final class SocketLines implements Transport {
    private static final int LARGEST = 1024 * 1024 * 16;

    private final SocketChannel channel;
    private final BufferedReader lines;

    SocketLines(SocketChannel channel) {
        this.channel = channel;
        this.lines = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
    }

    @Override
    public Transport.Reader reader() {
        return this::read;
    }

    private @Nullable Message read() throws IOException {
        try {
            String line = channel.isOpen() ? lines.readLine() : null;
            return line == null ? null : Message.parse(line);
        } catch (IOException e) {
            if (!channel.isOpen()) {
                return null; // closed here
            }
            throw e;
        }
    }

    @Override
    public Transport.Writer writer() {
        return new Transport.Writer() {
            @Override
            public void write(Message message) throws IOException {
                if (message.length() > LARGEST) {
                    byte[] text = message.raw().toString().substring(0, 1024).getBytes(StandardCharsets.UTF_8);
                    throw new MessageTooLargeException(LARGEST, text);
                }
                String line = message.raw().toString().replace('\n', ' ').replace('\r', ' ') + '\n';
                ByteBuffer bytes = StandardCharsets.UTF_8.encode(line);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() throws IOException {
                channel.shutdownOutput();
            }
        };
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing is left to be done with it.
        }
    }
}
