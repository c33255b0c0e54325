@NullMarked
package dev.acp4j.soak;

import org.jspecify.annotations.NullMarked;
