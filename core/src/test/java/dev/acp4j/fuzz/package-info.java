/** Random inputs that look like messages, and runs of many of them. */
@NullMarked
package dev.acp4j.fuzz;

import org.jspecify.annotations.NullMarked;
