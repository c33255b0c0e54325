package dev.acp4j.soak;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Watches one end of the wire: every request is answered once, and nothing else is. */
final class AnswerWatch {
    private final Run run;
    private final Set<String> ours = ConcurrentHashMap.newKeySet();
    private final Set<String> theirs = ConcurrentHashMap.newKeySet();

    AnswerWatch(Run run) {
        this.run = run;
    }

    Transport watch(Transport transport) {
        Transport.Reader reader = () -> {
            Message message = transport.reader().read();
            if (message != null) {
                note(message, theirs, ours);
            }
            return message;
        };
        Transport.Writer writer = new Transport.Writer() {
            @Override
            public void write(Message message) throws IOException {
                note(message, ours, theirs);
                transport.writer().write(message);
            }

            @Override
            public void flush() throws IOException {
                transport.writer().flush();
            }

            @Override
            public void close() throws IOException {
                transport.writer().close();
            }
        };
        return new Transport() {
            @Override
            public Transport.Reader reader() {
                return reader;
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
            public void close() {
                transport.close();
            }
        };
    }

    private void note(Message message, Set<String> asked, Set<String> answered) {
        RequestId id = message.id();
        if (id != null) {
            boolean isCall = message.kind() == Message.Kind.REQUEST;
            settle(id.toString(), isCall, isCall ? asked : answered);
        }
    }

    private void settle(String id, boolean isCall, Set<String> open) {
        if (isCall) {
            run.count("requests");
            if (!open.add(id)) {
                run.fault("two requests in flight have the id " + id);
            }
        } else if (!open.remove(id)) {
            run.fault("an answer to no open request, id " + id);
        }
    }

    /** Waits until all has been answered. */
    void expectAllAnswered(Duration patience) {
        if (!Run.await(() -> ours.isEmpty() && theirs.isEmpty(), patience)) {
            run.fault("never answered: " + limited(ours) + " of the client, " + limited(theirs) + " of the agent");
        }
    }

    private static String limited(Set<String> ids) {
        @Nullable
        String some = ids.stream().limit(5).reduce((a, b) -> a + " " + b).orElse(null);
        return ids.size() + (some == null ? "" : " (" + some + ")");
    }
}
