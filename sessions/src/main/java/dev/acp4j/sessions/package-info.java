/**
 * Conversations in files. {@link dev.acp4j.sessions.JsonLines} is the file that the offline agent keeps a conversation
 * in, and the proxy {@code record} its records: a JSON value on each line.
 */
@NullMarked
package dev.acp4j.sessions;

import org.jspecify.annotations.NullMarked;
