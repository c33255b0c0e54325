/**
 * What commands share: options, the agent to start, exit codes, failures told to a person, the recording of a trace.
 */
@NullMarked
package dev.acp4j.cli.command;

import org.jspecify.annotations.NullMarked;
