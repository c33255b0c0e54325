/**
 * Opens and shows a session for {@code acp chat} and {@code acp prompt}: {@code SessionRenderer} turns events into
 * lines of text and is independent of terminals, so that its output can be compared with a text file.
 */
@NullMarked
package dev.acp4j.cli.session;

import org.jspecify.annotations.NullMarked;
