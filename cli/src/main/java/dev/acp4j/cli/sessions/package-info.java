/** {@code acp sessions} and {@code acp models}: what an agent has to offer, beside a conversation. */
@NullMarked
package dev.acp4j.cli.sessions;

import org.jspecify.annotations.NullMarked;
