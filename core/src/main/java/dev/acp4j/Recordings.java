package dev.acp4j;

import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.trace.TraceFile;
import dev.acp4j.trace.Tracer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Recordings of all connections of a process, made without a change of its code: the system property
 * {@code acp4j.trace} or the environment variable {@code ACP4J_TRACE} names the folder. Each connection gets a file
 * there, which is named by the end that wrote it.
 */
final class Recordings {
    /** Where a recording ends: nobody watches how large it gets. */
    private static final long MOST_BYTES = 64L << 20;

    private static final AtomicInteger COUNT = new AtomicInteger();

    private Recordings() {}

    /**
     * Returns a transport that does what the given one does, and is recorded if the user wants that.
     *
     * @param redaction makes what takes out the secrets, if the user wants that; null for {@link Redaction#SECRETS}
     */
    static Transport of(
            Transport transport, String name, String here, String there, @Nullable Supplier<Redaction> redaction) {
        // First things when a process starts: nothing here may cost time.
        String folder = setting("acp4j.trace", "ACP4J_TRACE");
        return folder == null || folder.isEmpty()
                ? transport
                : Recorded.of(folder, transport, name, here, there, redaction);
    }

    private static @Nullable String setting(String property, String variable) {
        String value = System.getProperty(property);
        return value == null ? System.getenv(variable) : value;
    }

    /** Closes the file with the transport. All that only a recording needs is here, as most connections have none. */
    private record Recorded(Transport transport, TraceFile file) implements Transport {
        static Transport of(
                String folder,
                Transport transport,
                String name,
                String here,
                String there,
                @Nullable Supplier<Redaction> redaction) {
            TraceFile file;
            try {
                Path parent = Files.createDirectories(Path.of(folder));
                String fileName = here + "-" + System.currentTimeMillis() + "-"
                        + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet() + ".trace.jsonl";
                file = TraceFile.create(parent.resolve(fileName), here + " " + name, MOST_BYTES);
            } catch (IOException | InvalidPathException e) {
                System.getLogger("dev.acp4j").log(System.Logger.Level.WARNING, "nothing is recorded: " + e);
                return transport;
            }
            boolean keep = "keep".equals(setting("acp4j.trace.secrets", "ACP4J_TRACE_SECRETS"));
            Redaction secrets = redaction == null ? Redaction.SECRETS : redaction.get();
            Tracer tracer = new Tracer(file, keep ? Redaction.NONE : secrets, Time.SYSTEM);
            return new Recorded(tracer.watch(transport, here, there), file);
        }

        @Override
        public Transport.Reader reader() {
            return transport.reader();
        }

        @Override
        public Transport.Writer writer() {
            return transport.writer();
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
            try {
                file.close();
            } catch (IOException e) {
                // A full disk: what could be kept is there, and the connection ends as it would.
            }
        }
    }
}
