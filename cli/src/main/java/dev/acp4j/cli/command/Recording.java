package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.process.Launch;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Time;
import dev.acp4j.trace.TraceFile;
import dev.acp4j.trace.Tracer;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What {@code --trace} asks for: the trace of a connection that a command has itself. Without the option, nothing. */
public final class Recording implements AutoCloseable {
    private final @Nullable String output;
    private final Streams streams;
    private @Nullable TraceFile file;
    private @Nullable Tracer tracer;

    /** @param output where the trace goes; null for none */
    public Recording(@Nullable String output, Streams streams) {
        this.output = output;
        this.streams = streams;
    }

    /** Begins the trace of an agent, and returns what makes its events; null when none is wanted. */
    @Nullable
    public Tracer begin(Launch agent) {
        return begin(agent.commandLine(), agent.redaction());
    }

    /**
     * Begins the trace, and returns what makes its events; null when none is wanted.
     *
     * @param subject what is traced, without secrets
     */
    @Nullable
    public Tracer begin(String subject) {
        return begin(subject, Redaction.SECRETS);
    }

    private @Nullable Tracer begin(String subject, Redaction redaction) {
        if (output == null) {
            return null;
        }
        try {
            Path path = TraceFolder.file(output);
            file = TraceFile.create(path, subject);
        } catch (IOException e) {
            throw new UsageException("the trace cannot be written: " + IoProblem.text(e));
        }
        tracer = new Tracer(file, redaction, Time.SYSTEM);
        return tracer;
    }

    /** Ends the trace, and says so if it is not whole. */
    @Override
    public void close() {
        try {
            IOException failure = tracer == null ? null : tracer.failure();
            if (failure != null) {
                throw failure;
            }
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            Failure.misuse("the trace is not complete: " + IoProblem.text(e)).tell(streams);
        }
    }
}
