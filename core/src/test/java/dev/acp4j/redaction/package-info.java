@NullMarked
package dev.acp4j.redaction;

import org.jspecify.annotations.NullMarked;
