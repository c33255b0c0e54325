package dev.acp4j.cli.translate;

import dev.acp4j.Translator;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.ErrorCode;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Serves a client in the version that it asks for. An agent that speaks it gets what the client says as it is; another
 * one is started anew, and translated.
 */
final class AnyVersion {
    private final Transport client;
    private final Launch agent;
    private final Consumer<Problem> report;

    AnyVersion(Transport client, Launch agent, Consumer<Problem> report) {
        this.client = client;
        this.agent = agent;
        this.report = report;
    }

    /**
     * Serves until either side has ended.
     *
     * @throws ConnectionClosedException when a connection failed
     * @throws IOException when the agent cannot be started, or a pipe breaks
     */
    void serve() throws InterruptedException, IOException {
        Message first = client.reader().read();
        if (first == null) {
            return;
        }
        Version asked = version(first.params());
        boolean isTranslated;
        try (LaunchedProcess started = agent.start()) {
            isTranslated = asked != null && !speaks(asked, first, started.transport());
            if (!isTranslated) {
                if (asked == null) {
                    pass(first, started.transport().writer());
                }
                relay(started.transport());
            }
        }
        if (asked != null && isTranslated) {
            Translator.serve(
                    new Again(client, first), asked, builder -> builder.build().connect(agent), report);
        }
    }

    /** Asks the agent as the client does. If it speaks this version, the client gets the answer. */
    private boolean speaks(Version asked, Message first, Transport to) throws IOException, InterruptedException {
        pass(first, to.writer());
        Message answer = to.reader().read();
        while (answer != null
                && !(answer.kind().isResponse()
                        && answer.id() != null
                        && answer.id().equals(first.id()))) {
            answer = to.reader().read();
        }
        if (answer == null) {
            throw new IOException("the agent has ended before it answered initialize");
        }
        Version answered = version(answer.result());
        boolean isOther =
                answer.isError() ? isUnsupported(answer.error()) : answered != null && !answered.equals(asked);
        if (!isOther) {
            pass(answer, client.writer());
        }
        return !isOther;
    }

    private static boolean isUnsupported(@Nullable RawJson error) {
        return error != null && RpcError.ofAnswer(error).code() == ErrorCode.UNSUPPORTED_PROTOCOL_VERSION.value();
    }

    /** Returns the version in params or a result; null if it names none that can be translated. */
    private static @Nullable Version version(@Nullable RawJson object) {
        if (object == null
                || !(object.value() instanceof JsonObject members)
                || !(members.get("protocolVersion").orElse(null) instanceof JsonNumber number)) {
            return null;
        }
        for (Version version : Version.values()) {
            if (number.toString().equals(Integer.toString(version.number()))) {
                return version;
            }
        }
        return null;
    }

    // ---- what needs no translation

    private void relay(Transport to) throws InterruptedException, IOException {
        Thread input = Thread.ofPlatform().daemon().name("acp-translate-in").start(() -> {
            try {
                copy(client.reader(), to.writer());
                to.writer().close();
            } catch (IOException e) {
                // The agent has gone, which is seen at its output.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            copy(to.reader(), client.writer());
        } finally {
            client.close();
            input.interrupt();
        }
    }

    private static void copy(Transport.Reader from, Transport.Writer to) throws IOException, InterruptedException {
        for (Message message = from.read(); message != null; message = from.read()) {
            if (message.kind() != Message.Kind.NOISE && message.kind() != Message.Kind.OVERSIZED) {
                to.write(message);
                if (!from.isReady()) {
                    to.flush();
                }
            }
        }
        to.flush();
    }

    private static void pass(Message message, Transport.Writer to) throws IOException, InterruptedException {
        to.write(message);
        to.flush();
    }

    /** A transport whose first message is read again. */
    private static final class Again implements Transport, Transport.Reader {
        private final Transport transport;
        private @Nullable Message first;

        Again(Transport transport, Message first) {
            this.transport = transport;
            this.first = first;
        }

        @Override
        public @Nullable Message read() throws IOException, InterruptedException {
            Message next = first;
            first = null;
            return next == null ? transport.reader().read() : next;
        }

        @Override
        public boolean isReady() {
            return first != null || transport.reader().isReady();
        }

        @Override
        public Reader reader() {
            return this;
        }

        @Override
        public Limits limits(Limits limits) {
            return transport.limits(limits);
        }

        @Override
        public Writer writer() {
            return transport.writer();
        }

        @Override
        public IOException explain(IOException failure) {
            return transport.explain(failure);
        }

        @Override
        public void close() {
            transport.close();
        }
    }
}
