/**
 * Agents and clients of the Agent Client Protocol. This page is the tour; the code on it is from the programs in
 * {@code examples}, whose names stand beside it.
 *
 * <h2>An agent</h2>
 *
 * An {@link dev.acp4j.Agent} answers prompts. Its handler gets an {@link dev.acp4j.AgentTurn}: the prompt, and the
 * methods to answer it. {@link dev.acp4j.Stdio#system()} is the transport that editors use ({@code EchoAgent}):
 *
 * <pre>{@code
 * Agent.builder("echo", "1.0")
 *         .onPrompt(turn -> {
 *             turn.thought("Looking…");
 *             turn.message("You said: " + turn.text());
 *         })
 *         .serve(Stdio.system());
 * }</pre>
 *
 * <p>A capability is advertised if and only if the builder has a handler for it. A {@link dev.acp4j.ToolCallHandle}
 * reports one tool call from its announcement to its end; {@link dev.acp4j.RemoteFiles} and
 * {@link dev.acp4j.RemoteTerminals} are the files and terminals of the client ({@code EditingAgent}):
 *
 * <pre>{@code
 * var call = turn.toolCall("Write greeting.txt", ToolKind.EDIT)
 *         .location(file)
 *         .diff(file, null, text);
 * if (!call.requestPermission().isAllowed()) {
 *     call.fail("The user does not want this.");
 *     return;
 * }
 * call.start();
 * turn.files().writeText(file, text);
 * call.complete();
 * }</pre>
 *
 * <p>A turn ends when its handler returns. When the user cancels, the handler's thread is interrupted. An
 * {@link dev.acp4j.AgentSession} lives longer than its turns, and can send updates between them.
 *
 * <h2>A client</h2>
 *
 * A {@link dev.acp4j.Client} starts an agent, described by a {@link dev.acp4j.process.Launch}, and gets a
 * {@link dev.acp4j.ConnectedAgent}. That opens a {@link dev.acp4j.Session}; each prompt is a {@link dev.acp4j.Turn},
 * which is read as a sequence of {@link dev.acp4j.SessionEvent}s ({@code Ask}):
 *
 * <pre>{@code
 * for (var event : turn) if (event instanceof SessionEvent.Message message) System.out.print(message.text());
 * System.out.println(" [" + turn.result().stopReason() + "]");
 * }</pre>
 *
 * <p>A user interface does not merge events. {@link dev.acp4j.Session#view()} holds the state of the session, and its
 * {@link dev.acp4j.Timeline} holds one {@link dev.acp4j.Entry} for each prompt, message, tool call, plan, question and
 * end of a turn, in order. After each change the interface redraws what changed ({@code Transcript}):
 *
 * <pre>{@code
 * var changes = timeline.changesSince(revision);
 * for (var change : changes.list()) {
 *     switch (change) {
 *         case Timeline.Added added -> draw(added.entry());
 *         case Timeline.Changed changed -> draw(changed.entry());
 *         case Timeline.Appended appended -> row(appended.number(), "… " + appended.text());
 *         case Timeline.Removed removed -> row(removed.number(), "");
 *         case Timeline.Dropped dropped -> row(dropped.number(), "and all before it: dropped");
 *     }
 * }
 * revision = changes.revision();
 * }</pre>
 *
 * <p>Handlers of the client's builder answer the agent's requests: a {@link dev.acp4j.PermissionQuestion}, an
 * {@link dev.acp4j.ElicitationQuestion}, files and terminals. Without a handler, permission is rejected and the rest is
 * not advertised. The module {@code dev.acp4j.workspace} has handlers for files, terminals and permissions.
 *
 * <h2>Names</h2>
 *
 * The name of a type says which side holds it:
 *
 * <ul>
 *   <li>{@code AgentSession}, {@code AgentTurn}, {@code ToolCallHandle}, {@code ConnectedClient}: the agent.
 *   <li>{@code Session}, {@code Turn}, {@code SessionView}, {@code ConnectedAgent}: the client.
 *   <li>{@code RemoteFiles}, {@code RemoteTerminals}, {@code RemoteTerminal}: what the other side has.
 * </ul>
 *
 * <h2>Both sides</h2>
 *
 * {@link dev.acp4j.Peer} is what {@code ConnectedAgent} and {@code ConnectedClient} have in common: what the other side
 * says of itself, methods of extensions, the end of the connection. {@link dev.acp4j.Peer#supports} returns whether the
 * other side offers a {@link dev.acp4j.Feature}; a request for what it does not offer throws an
 * {@link dev.acp4j.UnsupportedException}.
 *
 * <ul>
 *   <li><b>Blocking.</b> Every method that waits may be interrupted, and a handler may wait for anything. A wait that
 *       could never end throws a {@link dev.acp4j.rpc.WouldDeadlockException}.
 *   <li><b>Threads.</b> Handlers run on platform threads, which later handlers reuse: a handler must remove what it
 *       puts into a {@code ThreadLocal}. Those of an agent run on virtual threads if it is built so.
 *   <li><b>Errors.</b> What fails on the connection is a {@link dev.acp4j.rpc.RpcException}. A handler refuses a
 *       request by throwing a {@link dev.acp4j.rpc.RpcError}; any other exception is logged here, and the other side
 *       gets an internal error without details.
 *   <li><b>Null.</b> Nothing is null unless it is marked {@code @Nullable}.
 * </ul>
 *
 * <h2>Names here and names of the wire</h2>
 *
 * <p>{@code dev.acp4j.schema} has what stands in messages, under the protocol's names. What ends in {@code Request},
 * {@code Response}, {@code Notification}, {@code Update} or {@code Capabilities} is always there. This package has what
 * programs work with, and no type at the top of either package has the name of one in the other:
 *
 * <table>
 * <caption>What becomes of the types of messages</caption>
 * <tr><th>in a message</th><th>in a program</th></tr>
 * <tr><td>{@link dev.acp4j.schema.SessionUpdate}</td><td>{@link dev.acp4j.SessionEvent}: an update after the session
 * has taken it in, with its state after it</td></tr>
 * <tr><td>{@link dev.acp4j.schema.ToolCall}, {@link dev.acp4j.schema.ToolCallUpdate},
 * {@link dev.acp4j.schema.SessionUpdate.AgentMessageChunk}</td><td>{@link dev.acp4j.Entry.ToolCall},
 * {@link dev.acp4j.Entry.Message}: the state that a client has collected of many updates, as every kind of
 * {@link dev.acp4j.Entry} is</td></tr>
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
