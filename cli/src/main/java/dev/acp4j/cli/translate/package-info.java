/** {@code acp translate}. */
@NullMarked
package dev.acp4j.cli.translate;

import org.jspecify.annotations.NullMarked;
