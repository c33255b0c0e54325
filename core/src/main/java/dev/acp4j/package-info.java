/**
 * Agents and clients of the Agent Client Protocol. Begin with {@link dev.acp4j.Agent}, which answers prompts through
 * {@link dev.acp4j.AgentTurn}, or with {@link dev.acp4j.Client}, which opens a {@link dev.acp4j.Session} and reads a
 * {@link dev.acp4j.Turn}. Everything blocks, and may be interrupted. Handlers run on platform threads of their
 * connection, which later handlers reuse: a handler must remove what it puts into a {@code ThreadLocal}.
 *
 * <h2>Names here and names of the wire</h2>
 *
 * <p>{@code dev.acp4j.schema} has what stands in messages, under the protocol's names. What ends in {@code Request},
 * {@code Response}, {@code Notification}, {@code Update} or {@code Capabilities} is always there. This package has what
 * programs work with, and no name is in both:
 *
 * <table>
 * <caption>What becomes of the types of messages</caption>
 * <tr><th>in a message</th><th>in a program</th></tr>
 * <tr><td>{@link dev.acp4j.schema.SessionUpdate}</td><td>{@link dev.acp4j.SessionEvent}: an update after the session
 * has taken it in, with its state after it</td></tr>
 * <tr><td>{@link dev.acp4j.schema.ToolCall}, {@link dev.acp4j.schema.ToolCallUpdate},
 * {@link dev.acp4j.schema.SessionUpdate.AgentMessageChunk}</td><td>{@link dev.acp4j.ToolCallView}, {@link dev.acp4j.MessageView}: the state
 * that a client has collected of many updates; a name with {@code View} is always that</td></tr>
 * <tr><td>{@link dev.acp4j.schema.RequestPermissionRequest},
 * {@link dev.acp4j.schema.CreateElicitationRequest}</td><td>{@link dev.acp4j.PermissionQuestion},
 * {@link dev.acp4j.ElicitationQuestion}: what a client's handler answers</td></tr>
 * <tr><td>{@link dev.acp4j.schema.RequestPermissionOutcome}</td><td>{@link dev.acp4j.PermissionAnswer}: the outcome for
 * an agent, with the option that was chosen</td></tr>
 * <tr><td>{@link dev.acp4j.schema.PromptRequest}, {@link dev.acp4j.schema.PromptResponse}</td><td>{@link dev.acp4j.Turn}
 * and {@link dev.acp4j.AgentTurn}, {@link dev.acp4j.TurnResult}</td></tr>
 * <tr><td>{@link dev.acp4j.schema.NewSessionRequest}</td><td>{@link dev.acp4j.SessionSetup}</td></tr>
 * </table>
 *
 * @see <a href="https://agentclientprotocol.com">Agent Client Protocol</a>
 */
@NullMarked
package dev.acp4j;

import org.jspecify.annotations.NullMarked;
