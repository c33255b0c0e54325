package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CompleteElicitationNotification;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.KillTerminalResponse;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.ReadTextFileResponse;
import dev.acp4j.schema.ReleaseTerminalResponse;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.RequestPermissionRequest;
import dev.acp4j.schema.RequestPermissionResponse;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.WriteTextFileResponse;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Sends each message of an agent to the session and the client's handler for it. */
final class ClientRouter implements Handler {
    private final Client.Builder config;
    private final AgentConnection agent;
    private final CountDownLatch joined = new CountDownLatch(1);

    ClientRouter(Client.Builder config, AgentConnection agent) {
        this.config = config;
        this.agent = agent;
    }

    void joined(Connection connection) {
        agent.joined(connection);
        joined.countDown();
    }

    @Override
    public void notification(String method, @Nullable RawJson params) throws Exception {
        joined.await();
        if (method.equals("session/update")) {
            SessionNotification update = Extensions.decode(ClientMethods.UPDATE, params);
            agent.session(update.sessionId()).apply(update.update(), params == null ? 0 : params.length());
        } else if (method.equals("elicitation/complete")) {
            CompleteElicitationNotification done = Extensions.decode(ClientMethods.COMPLETE_ELICITATION, params);
            config.onElicitationComplete.accept(done.elicitationId());
        } else {
            config.extensions.handle(method, params);
        }
    }

    @Override
    public Task request(IncomingRequest request) throws InterruptedException {
        joined.await();
        return switch (request.method()) {
            case "session/request_permission" -> permission(request);
            case "elicitation/create" ->
                task(ClientMethods.CREATE_ELICITATION, request, config.onElicitation, this::elicit);
            case "fs/read_text_file" -> {
                ReadTextFileHandler handler = config.onReadTextFile;
                yield task(
                        ClientMethods.READ_TEXT_FILE,
                        request,
                        handler,
                        handler == null
                                ? null
                                : read -> {
                                    return ReadTextFileResponse.of(handler.read(session(read.sessionId()), read));
                                });
            }
            case "fs/write_text_file" -> {
                WriteTextFileHandler handler = config.onWriteTextFile;
                yield task(
                        ClientMethods.WRITE_TEXT_FILE,
                        request,
                        handler,
                        handler == null
                                ? null
                                : write -> {
                                    handler.write(session(write.sessionId()), write);
                                    return WriteTextFileResponse.of();
                                });
            }
            default -> terminal(request);
        };
    }

    private Task terminal(IncomingRequest request) {
        TerminalHandler terminals = config.terminals;
        if (terminals == null) {
            return config.extensions.task(request);
        }
        return switch (request.method()) {
            case "terminal/create" ->
                task(
                        ClientMethods.CREATE_TERMINAL,
                        request,
                        terminals,
                        create -> terminals.create(session(create.sessionId()), create));
            case "terminal/output" ->
                task(
                        ClientMethods.TERMINAL_OUTPUT,
                        request,
                        terminals,
                        output -> terminals.output(session(output.sessionId()), output));
            case "terminal/wait_for_exit" ->
                task(
                        ClientMethods.WAIT_FOR_TERMINAL_EXIT,
                        request,
                        terminals,
                        wait -> terminals.waitForExit(session(wait.sessionId()), wait));
            case "terminal/kill" ->
                task(ClientMethods.KILL_TERMINAL, request, terminals, kill -> {
                    terminals.kill(session(kill.sessionId()), kill);
                    return KillTerminalResponse.of();
                });
            case "terminal/release" ->
                task(ClientMethods.RELEASE_TERMINAL, request, terminals, release -> {
                    terminals.release(session(release.sessionId()), release);
                    return ReleaseTerminalResponse.of();
                });
            default -> config.extensions.task(request);
        };
    }

    /** Answers with the handler's result; a method whose handler the client was not given does not exist. */
    private static <P, R> Task task(
            Method<P, R> method,
            IncomingRequest request,
            @Nullable Object given,
            @Nullable RequestHandler<P, R> handler) {
        if (given == null || handler == null) {
            throw RpcError.methodNotFound(method.name());
        }
        P params = Extensions.decode(method, request.params());
        return () -> Extensions.encode(method, handler.handle(params));
    }

    /** The session that an agent's request is about: only one that was opened here may have files and terminals. */
    private Session session(SessionId id) {
        Session session = agent.session(id);
        if (!session.isOpened()) {
            throw RpcError.sessionNotFound(id.value());
        }
        return session;
    }

    // ---- questions to the user: they fail closed

    private Task permission(IncomingRequest incoming) throws InterruptedException {
        RequestPermissionRequest request = Extensions.decode(ClientMethods.REQUEST_PERMISSION, incoming.params());
        Session session = agent.session(request.sessionId());
        // Before anything later in the lane: the question may tell more of the tool call, or be the first to name it.
        session.apply(request.toolCall(), 0);
        ToolCallView call = session.view()
                .toolCall(request.toolCall().toolCallId())
                .orElseGet(() -> ToolCallView.unknown(request.toolCall().toolCallId()));
        PermissionRequest question = new PermissionRequest(session, call, request);
        return () -> {
            RequestPermissionOutcome outcome = question.cancelled();
            if (session.beginQuestion()) {
                RequestPermissionOutcome decided = decide(question);
                outcome = session.endQuestion() ? decided : outcome;
            }
            return Extensions.encode(ClientMethods.REQUEST_PERMISSION, RequestPermissionResponse.of(outcome));
        };
    }

    private RequestPermissionOutcome decide(PermissionRequest question) {
        PermissionHandler handler = config.onPermission;
        if (handler == null) {
            return question.option(PermissionOptionKind.REJECT_ONCE)
                    .map(question::choose)
                    .orElseGet(question::cancelled);
        }
        try {
            return handler.decide(question);
        } catch (InterruptedException e) {
            return question.cancelled();
        } catch (Exception e) {
            config.onProblem.accept(new dev.acp4j.rpc.Problem(
                    dev.acp4j.rpc.Problem.Kind.REQUEST_FAILED, "the permission handler failed: " + e, e));
            return question.cancelled();
        }
    }

    private CreateElicitationResponse elicit(CreateElicitationRequest request) {
        ElicitationHandler handler = config.onElicitation;
        try {
            return handler == null ? CreateElicitationResponse.Cancel.of() : handler.elicit(request);
        } catch (InterruptedException e) {
            return CreateElicitationResponse.Cancel.of();
        } catch (Exception e) {
            config.onProblem.accept(new dev.acp4j.rpc.Problem(
                    dev.acp4j.rpc.Problem.Kind.REQUEST_FAILED, "the elicitation handler failed: " + e, e));
            return CreateElicitationResponse.Cancel.of();
        }
    }
}
