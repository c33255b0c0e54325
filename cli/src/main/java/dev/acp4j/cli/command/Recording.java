package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.ChainTrace;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Time;
import dev.acp4j.trace.TraceFile;
import dev.acp4j.trace.Tracer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The recording requested by {@code --trace}: the trace of the command's own connection. Without the option, nothing is
 * recorded.
 */
public final class Recording implements AutoCloseable {
    private final @Nullable String output;
    private final Streams streams;
    private @Nullable TraceFile file;
    private @Nullable Tracer tracer;
    private @Nullable ChainTrace chain;

    /** @param output the destination of the trace; null for none */
    public Recording(@Nullable String output, Streams streams) {
        this.output = output;
        this.streams = streams;
    }

    /** Begins the trace of an agent and returns its tracer; null if no trace is requested. */
    @Nullable
    public Tracer begin(Launch agent) {
        return begin(agent, agent.redaction());
    }

    /**
     * Begins the trace of an agent and returns its tracer; null if no trace is requested. A second agent is recorded in
     * the same trace.
     *
     * @param redaction hides the secrets
     */
    @Nullable
    Tracer begin(Launch agent, Redaction redaction) {
        return begin(agent.commandLine(), redaction);
    }

    /**
     * Begins the trace and returns its tracer; null if no trace is requested.
     *
     * @param subject the traced program, without secrets
     */
    @Nullable
    public Tracer begin(String subject) {
        return begin(subject, Redaction.SECRETS);
    }

    /**
     * Begins the trace and returns its tracer; null if no trace is requested.
     *
     * @param subject the traced program, without secrets
     * @param redaction hides the secrets
     */
    @Nullable
    public Tracer begin(String subject, Redaction redaction) {
        TraceFile opened = open(subject);
        tracer = opened == null ? null : new Tracer(opened, redaction, Time.SYSTEM);
        return tracer;
    }

    /**
     * Begins the trace of a chain, one event a hop; null if no trace is requested.
     *
     * @param subject the chain, without secrets
     * @param redaction hides the secrets
     * @param onStop receives why the recording has stopped
     */
    @Nullable
    public ChainTrace beginChain(String subject, Redaction redaction, Consumer<String> onStop) {
        TraceFile opened = open(subject);
        chain = opened == null ? null : ChainTrace.to(opened, redaction, onStop);
        return chain;
    }

    private @Nullable TraceFile open(String subject) {
        if (output == null) {
            return null;
        }
        try {
            if (file == null) {
                Path path = TraceFolder.file(output);
                file = TraceFile.create(path, subject);
            }
            return file;
        } catch (IOException e) {
            throw new UsageException("the trace cannot be written: " + IoProblem.text(e));
        }
    }

    /** Ends the trace, and reports if it is incomplete. */
    @Override
    public void close() {
        try {
            if (chain != null) {
                chain.close();
            }
            IOException failure = tracer == null ? null : tracer.failure();
            if (failure != null) {
                throw failure;
            }
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            if (chain != null && chain.isStopped()) {
                return; // That was reported when it happened.
            }
            Failure.misuse("the trace is incomplete: " + IoProblem.text(e)).tell(streams);
        }
    }
}
