/** Shared parts of commands: options, the agent to start, exit codes, failure messages, the recording of a trace. */
@NullMarked
package dev.acp4j.cli.command;

import org.jspecify.annotations.NullMarked;
