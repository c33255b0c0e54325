@NullMarked
package dev.acp4j.cli.trace;

import org.jspecify.annotations.NullMarked;
