/** {@code acp connect}: an agent on another machine, as a local one. */
@NullMarked
package dev.acp4j.cli.connect;

import org.jspecify.annotations.NullMarked;
