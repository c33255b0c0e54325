/**
 * Safe services of a client for an agent.
 *
 * <p>{@link dev.acp4j.workspace.Workspace#offerTo(dev.acp4j.Client.Builder)} is all that most clients need: it allows
 * agents to use the files and run commands in the folders of their session.
 *
 * <pre>{@code
 * Client client = Workspace.offerTo(Client.builder("my-editor", "1.0"))
 *         .onPermission(Permissions.ask(this::showDialog))
 *         .build();
 * }</pre>
 *
 * <ul>
 *   <li>{@link dev.acp4j.workspace.Workspace} reads and writes text files inside the folders of a session and nowhere
 *       else: all symbolic links of a path are resolved before it is checked, and a replacement in between is rejected.
 *   <li>{@link dev.acp4j.workspace.OpenDocuments} shows agents the unsaved changes of an editor.
 *   <li>{@link dev.acp4j.workspace.Terminals} runs commands, keeps their output up to a limit, and ends them with their
 *       descendants; {@link dev.acp4j.workspace.TerminalOptions} sets the limits.
 *   <li>{@link dev.acp4j.workspace.WorkspaceException} reports a failed request, with a message for the agent.
 *   <li>{@link dev.acp4j.workspace.Permissions} has common policies for permission requests: allow, deny, ask the user
 *       through a {@link dev.acp4j.workspace.PermissionPrompt}. Without a user,
 *       {@link dev.acp4j.workspace.UnattendedPermissions} permits nothing and records the requests;
 *       {@link dev.acp4j.workspace.RememberedPermissions} avoids asking the user the same question twice.
 * </ul>
 *
 * <p>None of this is a sandbox: a command that an agent may run can do whatever this program can.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/file-system">File system</a>
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals">Terminals</a>
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission">Requesting permission</a>
 */
@NullMarked
package dev.acp4j.workspace;

import org.jspecify.annotations.NullMarked;
