@NullMarked
package dev.acp4j.cli.terminal;

import org.jspecify.annotations.NullMarked;
