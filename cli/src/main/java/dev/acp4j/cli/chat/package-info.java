/** {@code acp chat}: a conversation with an agent. */
@NullMarked
package dev.acp4j.cli.chat;

import org.jspecify.annotations.NullMarked;
