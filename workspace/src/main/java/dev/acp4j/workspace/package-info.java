/**
 * What a client offers an agent, safely.
 *
 * <p>{@link dev.acp4j.workspace.Workspace} reads and writes text files inside the folders of a session and nowhere else:
 * paths are followed through all symbolic links before they are judged, and what is exchanged in between is refused.
 * {@link dev.acp4j.workspace.WorkspaceException} says what is refused, in words for the agent.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/file-system">File system</a>
 */
@NullMarked
package dev.acp4j.workspace;

import org.jspecify.annotations.NullMarked;
