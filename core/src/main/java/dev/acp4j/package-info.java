/**
 * Agents and clients of the Agent Client Protocol. Begin with {@link dev.acp4j.Agent}, which answers prompts through
 * {@link dev.acp4j.AgentTurn}, or with {@link dev.acp4j.Client}, which opens a {@link dev.acp4j.Session} and reads a
 * {@link dev.acp4j.Turn}. Everything blocks, and may be interrupted. Handlers run on platform threads of their
 * connection, which later handlers reuse: a handler must remove what it puts into a {@code ThreadLocal}.
 *
 * @see <a href="https://agentclientprotocol.com">Agent Client Protocol</a>
 */
@NullMarked
package dev.acp4j;

import org.jspecify.annotations.NullMarked;
