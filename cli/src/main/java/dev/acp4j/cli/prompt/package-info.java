/** {@code acp prompt}: one turn, as text or as JSON. */
@NullMarked
package dev.acp4j.cli.prompt;

import org.jspecify.annotations.NullMarked;
