/** A JSON-RPC 2.0 peer. It knows nothing of the Agent Client Protocol. */
@NullMarked
package dev.acp4j.rpc;

import org.jspecify.annotations.NullMarked;
