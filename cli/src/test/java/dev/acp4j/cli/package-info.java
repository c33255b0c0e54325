@NullMarked
package dev.acp4j.cli;

import org.jspecify.annotations.NullMarked;
