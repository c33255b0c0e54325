@NullMarked
package dev.acp4j.agent;

import org.jspecify.annotations.NullMarked;
