/**
 * A session as {@code acp chat} and {@code acp prompt} open it and show it: its events become lines of text in
 * {@code SessionRenderer}, which knows nothing of terminals, so that its output can be compared with a text file.
 */
@NullMarked
package dev.acp4j.cli.session;

import org.jspecify.annotations.NullMarked;
