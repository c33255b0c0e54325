/** Tests of agents by name, over real sockets and with real programs. */
@NullMarked
package dev.acp4j.registry;

import org.jspecify.annotations.NullMarked;
