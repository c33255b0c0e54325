@NullMarked
package dev.acp4j;

import org.jspecify.annotations.NullMarked;
