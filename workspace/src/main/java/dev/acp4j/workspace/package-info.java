/**
 * What a client offers an agent, safely.
 *
 * <p>{@link dev.acp4j.workspace.Workspace} reads and writes text files inside the folders of a session and nowhere
 * else: paths are followed through all symbolic links before they are judged, and what is exchanged in between is
 * refused. {@link dev.acp4j.workspace.WorkspaceException} says what is refused, in words for the agent.
 *
 * <p>{@link dev.acp4j.workspace.Permissions} has the usual answers to permission requests: allow, deny, ask the user
 * through a {@link dev.acp4j.workspace.PermissionPrompt}. Where nobody is there to ask,
 * {@link dev.acp4j.workspace.UnattendedPermissions} permits nothing and remembers that it was asked;
 * {@link dev.acp4j.workspace.RememberedPermissions} spares the user the same question twice.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/file-system">File system</a>
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission">Requesting permission</a>
 */
@NullMarked
package dev.acp4j.workspace;

import org.jspecify.annotations.NullMarked;
