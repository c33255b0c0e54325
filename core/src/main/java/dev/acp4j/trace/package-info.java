/**
 * Recordings of connections: what went over them, line by line, without secrets. A {@link dev.acp4j.trace.Tracer} makes
 * {@link dev.acp4j.trace.TraceEvent}s, a {@link dev.acp4j.trace.TraceFile} writes and reads them.
 */
@NullMarked
package dev.acp4j.trace;

import org.jspecify.annotations.NullMarked;
