/**
 * Agents as processes. A {@link dev.acp4j.process.Launch} is the command, its folder and its environment, and
 * {@link dev.acp4j.Client#connect(dev.acp4j.process.Launch)} starts it ({@code CancelTurn} in {@code examples}):
 *
 * <pre>{@code
 * var process = Launch.of(args[0], List.of(args).subList(1, args.length));
 * }</pre>
 *
 * <p>The agent inherits only the environment variables that agents need; {@code Launch} adds others. Closing the
 * connection ends the agent and its descendants.
 *
 * <p>An agent that cannot be started, dies or does not answer in time causes a
 * {@link dev.acp4j.process.ProcessFailedException}. Its {@link dev.acp4j.process.FailureReport} has the phase, the exit
 * code, the last lines of standard error, a likely cause and the next step, without secrets ({@code ClientRecipes} in
 * {@code examples}):
 *
 * <pre>{@code
 * System.err.println(e.report());
 * }</pre>
 *
 * <p>For processes that speak another protocol, {@link dev.acp4j.process.LaunchedProcess} is a process with a transport
 * over its standard streams, and {@link dev.acp4j.process.ProcessTree} a process that is ended with its descendants.
 */
@NullMarked
package dev.acp4j.process;

import org.jspecify.annotations.NullMarked;
