/**
 * A JSON-RPC 2.0 peer: {@link dev.acp4j.rpc.Connection} joins a {@link dev.acp4j.rpc.Transport} and a
 * {@link dev.acp4j.rpc.Handler}. It keeps order, cancels by interruption, and answers every request once. It knows
 * nothing of ACP.
 */
@NullMarked
package dev.acp4j.rpc;

import org.jspecify.annotations.NullMarked;
