/** Sessions, explored in many orders of their threads. */
@NullMarked
package dev.acp4j;

import org.jspecify.annotations.NullMarked;
