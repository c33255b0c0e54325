package dev.acp4j;

import dev.acp4j.json.Codec;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.InitializeRequest;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.Version;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How an agent speaks with one client: all that differs between the versions of the protocol. It is bound when
 * {@code initialize} is read, before anything behind it. What an agent says of a session is a {@link SessionUpdate},
 * the same for all clients; each client gets it as its version has it.
 *
 * <p>It keeps no state beside what the client said of itself.
 */
abstract sealed class AgentDialect extends Dialect permits AgentDialectV1 {
    /** What a client asks in a prompt. */
    record Prompt(SessionId session, List<ContentBlock> content, Meta meta) {}

    /** Nearly all messages of a turn have this method. */
    private static final Names UPDATE = Names.of(ClientMethods.UPDATE.name());

    private final Codec<SessionNotification> update;
    private final Consumer<Problem> onProblem;

    AgentDialect(Version version, Consumer<Problem> onProblem) {
        super(version);
        this.onProblem = onProblem;
        this.update = ClientMethods.UPDATE.params(version);
    }

    /**
     * Returns how to speak with the client that asks to initialize the connection.
     *
     * @param onProblem takes what is wrong with an answer that counts all the same
     * @throws dev.acp4j.rpc.RpcError when the agent does not speak the client's version
     */
    static AgentDialect of(Message initialize, Consumer<Problem> onProblem) {
        InitializeRequest client = Requests.decode(AgentMethods.INITIALIZE, Version.V1, initialize.params());
        if (client.protocolVersion() < Protocol.NEWEST) {
            throw UnsupportedVersion.error(client.protocolVersion());
        }
        return new AgentDialectV1(client, onProblem);
    }

    // ---- requests of the client

    /** Returns the answer of {@code initialize}. */
    abstract RawJson initialized(Agent.Builder agent);

    /** Returns what answers a request; null when this version has no such method. */
    abstract Handler.@Nullable Task task(AgentSessions sessions, ConnectedClient client, IncomingRequest request);

    abstract Prompt prompt(IncomingRequest request);

    /** Returns the answer to the prompt of a turn that has ended. */
    abstract RawJson answer(AgentTurn turn);

    final SessionId cancelled(Message message) {
        return Requests.decode(AgentMethods.CANCEL, version(), message.params()).sessionId();
    }

    // ---- updates and questions of the agent

    final Message update(SessionId session, SessionUpdate content, Meta meta) {
        SessionNotification plain = SessionNotification.of(session, content);
        return Message.notification(UPDATE, meta.isEmpty() ? plain : plain.withMeta(meta), update);
    }

    abstract ToolCallUpdate terminalBegins(ToolCallId call, TerminalId terminal, String cwd);

    abstract ToolCallUpdate terminalPrints(ToolCallId call, TerminalId terminal, String output);

    abstract ToolCallUpdate terminalEnds(ToolCallId call, TerminalId terminal, TerminalExitStatus status);

    abstract Request<?, ?, PermissionAnswer> permission(
            SessionId session, ToolCallUpdate call, List<PermissionOption> options, Meta meta);

    final Request<?, ?, CreateElicitationResponse> elicitation(CreateElicitationRequest asked) {
        return new Request<>(
                ClientMethods.CREATE_ELICITATION,
                version(),
                asked,
                answer -> FormAnswer.checked(asked, answer, onProblem));
    }
}
