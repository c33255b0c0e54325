/**
 * Agents as processes: a {@link dev.acp4j.process.Launch} says how to start one, a
 * {@link dev.acp4j.process.LaunchedProcess} is one with the transport over its standard streams, a
 * {@link dev.acp4j.process.ProcessTree} ends a process with all that it started, and a
 * {@link dev.acp4j.process.FailureReport} explains a failure.
 */
@NullMarked
package dev.acp4j.process;

import org.jspecify.annotations.NullMarked;
