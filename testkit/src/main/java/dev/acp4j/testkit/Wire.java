package dev.acp4j.testkit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.trace.TraceEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Records the messages of a transport, to print them if a test fails: {@code -->} was written, {@code <--} was read.
 * The lock guards the list.
 */
public final class Wire {
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<String> messages = new ArrayList<>();

    /** Creates an empty recording. */
    public Wire() {}

    /** Returns a transport that delegates to the given one and records its messages here. */
    public Transport watch(Transport transport) {
        return new Watched(transport);
    }

    /** Returns the messages so far, in order. */
    public List<String> messages() {
        lock.lock();
        try {
            return List.copyOf(messages);
        } finally {
            lock.unlock();
        }
    }

    void add(String direction, Message message) {
        lock.lock();
        try {
            messages.add(direction + " " + message);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records an event of a trace, in which this end is the client. Events other than messages are named: stderr,
     * noise, end.
     */
    void add(TraceEvent event) {
        String direction = event.from().equals("client") ? "-->" : "<--";
        boolean isMessage = event.type().isMessage();
        lock.lock();
        try {
            messages.add(
                    isMessage ? direction + " " + event.message() : event.type().text() + " " + event.body());
        } finally {
            lock.unlock();
        }
    }

    /** Returns the messages so far, one per line. */
    @Override
    public String toString() {
        return String.join("\n", messages());
    }

    private final class Watched implements Transport {
        private final Transport transport;
        private final Transport.Writer writer;

        Watched(Transport transport) {
            this.transport = transport;
            this.writer = new WatchedWriter(transport.writer());
        }

        @Override
        public Transport.Reader reader() {
            return new Transport.Reader() {
                @Override
                public @Nullable Message read() throws IOException, InterruptedException {
                    return Watched.this.read();
                }

                @Override
                public boolean isReady() {
                    return transport.reader().isReady();
                }
            };
        }

        private @Nullable Message read() throws IOException, InterruptedException {
            Message message = transport.reader().read();
            if (message != null) {
                add("<--", message);
            }
            return message;
        }

        @Override
        public Transport.Writer writer() {
            return writer;
        }

        @Override
        public IOException explain(IOException failure) {
            return transport.explain(failure);
        }

        @Override
        public Limits limits(Limits limits) {
            return transport.limits(limits);
        }

        @Override
        public boolean holdsCarrier() {
            return transport.holdsCarrier();
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    private final class WatchedWriter implements Transport.Writer {
        private final Transport.Writer writer;

        WatchedWriter(Transport.Writer writer) {
            this.writer = writer;
        }

        @Override
        public void write(Message message) throws IOException {
            add("-->", message);
            writer.write(message);
        }

        @Override
        public void flush() throws IOException {
            writer.flush();
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }
}
