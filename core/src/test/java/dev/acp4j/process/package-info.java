@NullMarked
package dev.acp4j.process;

import org.jspecify.annotations.NullMarked;
