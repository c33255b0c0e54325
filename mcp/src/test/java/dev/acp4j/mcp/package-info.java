@NullMarked
package dev.acp4j.mcp;

import org.jspecify.annotations.NullMarked;
