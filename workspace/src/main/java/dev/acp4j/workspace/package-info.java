/**
 * What a client offers an agent, safely.
 *
 * <p>{@link dev.acp4j.workspace.Workspace#offerTo(dev.acp4j.Client.Builder)} is all that most clients need: it lets
 * agents use the files and run commands in the folders of their session.
 *
 * <pre>{@code
 * Client client = Workspace.offerTo(Client.builder("my-editor", "1.0"))
 *         .onPermission(Permissions.ask(this::showDialog))
 *         .build();
 * }</pre>
 *
 * <ul>
 *   <li>{@link dev.acp4j.workspace.Workspace} reads and writes text files inside the folders of a session and nowhere
 *       else: paths are followed through all symbolic links before they are judged, and what is exchanged in between is
 *       refused.
 *   <li>{@link dev.acp4j.workspace.Terminals} runs commands, keeps their output to a limit, and ends them with all that
 *       they started; {@link dev.acp4j.workspace.TerminalOptions} says how much of that an agent may have.
 *   <li>{@link dev.acp4j.workspace.WorkspaceException} says what an agent does not get, in words for the agent.
 *   <li>{@link dev.acp4j.workspace.Permissions} has the usual answers to permission requests: allow, deny, ask the user
 *       through a {@link dev.acp4j.workspace.PermissionPrompt}. Where nobody is there to ask,
 *       {@link dev.acp4j.workspace.UnattendedPermissions} permits nothing and remembers that it was asked;
 *       {@link dev.acp4j.workspace.RememberedPermissions} spares the user the same question twice.
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
