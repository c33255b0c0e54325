/** Connections, explored in many orders of their threads. */
@NullMarked
package dev.acp4j.rpc;

import org.jspecify.annotations.NullMarked;
