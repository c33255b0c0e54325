@NullMarked
package dev.acp4j.trace;

import org.jspecify.annotations.NullMarked;
