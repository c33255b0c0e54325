package dev.acp4j.trace;

import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A transport that records messages: outgoing ones before they are written, incoming ones after they were read. */
final class TracedTransport implements Transport, Transport.Reader {
    private final Tracer tracer;
    private final Transport transport;
    private final String here;
    private final String there;
    private final Transport.Reader in;
    private final Transport.Writer writer;

    TracedTransport(Tracer tracer, Transport transport, String here, String there) {
        this.tracer = tracer;
        this.transport = transport;
        this.here = here;
        this.there = there;
        this.in = transport.reader();
        Transport.Writer out = transport.writer();
        this.writer = new Transport.Writer() {
            @Override
            public void write(Message message) throws IOException {
                tracer.message(here, there, message);
                out.write(message);
            }

            @Override
            public void flush() throws IOException {
                out.flush();
            }

            @Override
            public void close() throws IOException {
                tracer.end(here, there);
                out.close();
            }
        };
    }

    @Override
    public @Nullable Message read() throws IOException, InterruptedException {
        try {
            Message message = in.read();
            if (message == null) {
                tracer.end(there, here);
            } else {
                tracer.message(there, here, message);
            }
            return message;
        } catch (IOException e) {
            tracer.end(there, here, String.valueOf(e.getMessage()));
            throw e;
        }
    }

    @Override
    public boolean isReady() {
        return in.isReady();
    }

    @Override
    public Transport.Reader reader() {
        return this;
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
