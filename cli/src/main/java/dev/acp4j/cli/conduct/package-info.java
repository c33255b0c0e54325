/** {@code acp conduct}. */
@NullMarked
package dev.acp4j.cli.conduct;

import org.jspecify.annotations.NullMarked;
