@NullMarked
package dev.acp4j.bench;

import org.jspecify.annotations.NullMarked;
