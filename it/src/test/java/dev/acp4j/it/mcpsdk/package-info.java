/** Programs of the MCP Java SDK: a server and a client. */
@NullMarked
package dev.acp4j.it.mcpsdk;

import org.jspecify.annotations.NullMarked;
