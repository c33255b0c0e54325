/**
 * Recordings of connections, with secrets hidden. A {@link dev.acp4j.trace.Tracer} observes a transport and gives
 * {@link dev.acp4j.trace.TraceEvent}s to a {@link dev.acp4j.trace.TraceSink}; a {@link dev.acp4j.trace.TraceFile} is a
 * sink that writes one JSON object per line, and reads them back ({@code ClientRecipes} in {@code examples}):
 *
 * <pre>{@code
 * try (var trace = TraceFile.create(file, launch.commandLine());
 *         var agent =
 *                 Client.builder("traced", "1.0").trace(Tracer.of(trace)).connect(launch)) {
 *     agent.newSession(folder).prompt("Hello!").result();
 * }
 * }</pre>
 *
 * <p>Without a change to the program, the environment variable {@code ACP4J_TRACE} names a folder that gets a recording
 * of each connection. The command {@code acp trace show} displays a recording. {@link dev.acp4j.redaction.Redaction}
 * defines what counts as a secret.
 */
@NullMarked
package dev.acp4j.trace;

import org.jspecify.annotations.NullMarked;
