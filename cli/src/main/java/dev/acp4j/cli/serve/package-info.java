/** {@code acp serve}. */
@NullMarked
package dev.acp4j.cli.serve;

import org.jspecify.annotations.NullMarked;
