package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CompleteElicitationNotification;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.KillTerminalRequest;
import dev.acp4j.schema.KillTerminalResponse;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.ReadTextFileRequest;
import dev.acp4j.schema.ReadTextFileResponse;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.ReleaseTerminalResponse;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.RequestPermissionRequest;
import dev.acp4j.schema.RequestPermissionResponse;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.WriteTextFileRequest;
import dev.acp4j.schema.WriteTextFileResponse;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Sends each message of an agent to the session and the client's handler for it. */
final class ClientRouter implements Handler {
    private final Client.Builder config;
    private final ConnectedAgent agent;

    ClientRouter(Client.Builder config, ConnectedAgent agent) {
        this.config = config;
        this.agent = agent;
    }

    @Override
    public void bound(Connection connection) {
        agent.joined(connection);
    }

    @Override
    public @Nullable Delivery notification(Message message) throws InterruptedException {
        if (config.extensions.receives(message.method())) {
            return () -> extended(message);
        }
        return switch (message.method()) {
            case "session/update" -> update(message);
            case "elicitation/complete" -> () -> completed(message.params());
            default -> () -> extended(message);
        };
    }

    private void extended(Message message) throws Exception {
        Extensions.reportUnless(
                config.extensions.handle(agent, message.method(), message.params()),
                message.method(),
                config.onProblem);
    }

    private @Nullable Delivery update(Message message) throws InterruptedException {
        SessionNotification update = Requests.decode(ClientMethods.UPDATE, message.params());
        Session session = agent.mentioned(update.sessionId());
        if (session == null) {
            return () -> config.onProblem.accept(new Problem(
                    Problem.Kind.UNHANDLED_NOTIFICATION,
                    "discarded an update: the agent talks about too many sessions that nobody opened",
                    null));
        }
        return session.updated(update.update(), message.length());
    }

    private void completed(@Nullable RawJson params) throws Exception {
        CompleteElicitationNotification done = Requests.decode(ClientMethods.COMPLETE_ELICITATION, params);
        Client.ElicitationHandler handler = config.onElicitation;
        if (handler != null) {
            handler.completed(agent, done.elicitationId());
        }
    }

    @Override
    public Acceptance request(IncomingRequest request) throws InterruptedException {
        boolean isQuestion = request.method().equals("session/request_permission");
        return isQuestion && !config.extensions.handles(request.method()) ? permission(request) : () -> task(request);
    }

    private Task task(IncomingRequest request) {
        if (config.extensions.handles(request.method())) {
            return config.extensions.task(agent, request);
        }
        return switch (request.method()) {
            case "elicitation/create" ->
                Requests.task(ClientMethods.CREATE_ELICITATION, request, config.onElicitation, this::elicit);
            case "fs/read_text_file" ->
                Requests.task(ClientMethods.READ_TEXT_FILE, request, config.onReadTextFile, this::read);
            case "fs/write_text_file" ->
                Requests.task(ClientMethods.WRITE_TEXT_FILE, request, config.onWriteTextFile, this::write);
            case "terminal/create" ->
                terminal(
                        ClientMethods.CREATE_TERMINAL,
                        request,
                        (terminals, create) -> terminals.create(session(create.sessionId()), create));
            case "terminal/output" ->
                terminal(
                        ClientMethods.TERMINAL_OUTPUT,
                        request,
                        (terminals, output) -> terminals.output(session(output.sessionId()), output));
            case "terminal/wait_for_exit" ->
                terminal(
                        ClientMethods.WAIT_FOR_TERMINAL_EXIT,
                        request,
                        (terminals, wait) -> terminals.waitForExit(session(wait.sessionId()), wait));
            case "terminal/kill" -> terminal(ClientMethods.KILL_TERMINAL, request, this::kill);
            case "terminal/release" -> terminal(ClientMethods.RELEASE_TERMINAL, request, this::release);
            default -> config.extensions.task(agent, request);
        };
    }

    private <P, R> Task terminal(
            Method<P, R> method, IncomingRequest request, Requests.Answer<Client.TerminalHandler, P, R> answer) {
        return Requests.task(method, request, config.terminals, answer);
    }

    private ReadTextFileResponse read(Client.ReadTextFileHandler handler, ReadTextFileRequest request)
            throws Exception {
        return ReadTextFileResponse.of(handler.read(session(request.sessionId()), request));
    }

    private WriteTextFileResponse write(Client.WriteTextFileHandler handler, WriteTextFileRequest request)
            throws Exception {
        handler.write(session(request.sessionId()), request);
        return WriteTextFileResponse.of();
    }

    private KillTerminalResponse kill(Client.TerminalHandler terminals, KillTerminalRequest request) throws Exception {
        terminals.kill(session(request.sessionId()), request);
        return KillTerminalResponse.of();
    }

    private ReleaseTerminalResponse release(Client.TerminalHandler terminals, ReleaseTerminalRequest request)
            throws Exception {
        terminals.release(session(request.sessionId()), request);
        return ReleaseTerminalResponse.of();
    }

    /** Returns the session that an agent's request is about. Only one that is open here has files and terminals. */
    private Session session(SessionId id) {
        Session session = agent.openSession(id);
        if (session == null) {
            throw RpcError.sessionNotFound(id.value());
        }
        return session;
    }

    /**
     * Returns the session that a question to the user is about: one that is open here or that may be about to be. An
     * agent may ask while it opens a session, or right behind its answer, which is not always handled by then.
     */
    private Session asking(SessionId id) {
        Session session = agent.isOpening() ? agent.mentioned(id) : agent.openSession(id);
        if (session == null) {
            throw RpcError.sessionNotFound(id.value());
        }
        return session;
    }

    // ---- questions to the user: they fail closed, and are withdrawn when the turn is cancelled

    private Acceptance permission(IncomingRequest incoming) throws InterruptedException {
        RawJson params = incoming.takeParams();
        int bytes = params == null ? 0 : params.length();
        RequestPermissionRequest request = Requests.decode(ClientMethods.REQUEST_PERMISSION, params);
        Session session = asking(request.sessionId());
        // The question may tell more of the tool call, or be the first to name it.
        Delivery told = session.updated(request.toolCall(), bytes);
        ToolCallView call = session.view()
                .toolCall(request.toolCall().toolCallId())
                .orElseGet(() -> ToolCallView.unknown(request.toolCall().toolCallId()));
        PermissionQuestion question =
                new PermissionQuestion(session, call.title(), null, call, request.options(), request.meta());
        RequestPermissionOutcome cancelled = question.cancelled();
        Task answer = () -> Requests.encode(
                ClientMethods.REQUEST_PERMISSION,
                RequestPermissionResponse.of(ask(session, "permission", cancelled, () -> decide(question))));
        return () -> {
            if (told != null) {
                told.deliver();
            }
            return answer;
        };
    }

    private RequestPermissionOutcome decide(PermissionQuestion question) throws Exception {
        Client.PermissionHandler handler = config.onPermission;
        if (handler == null) {
            return question.option(PermissionOptionKind.REJECT_ONCE)
                    .map(question::choose)
                    .orElseGet(question::cancelled);
        }
        return handler.decide(question);
    }

    private CreateElicitationResponse elicit(Client.ElicitationHandler handler, CreateElicitationRequest request) {
        if (request instanceof CreateElicitationRequest.Url page && !isWebPage(page.url())) {
            throw RpcError.invalidParams("params.url: expected the address of a web page, http or https");
        }
        SessionId id = request instanceof CreateElicitationRequest.Scoped scoped ? scoped.sessionId() : null;
        Session session = id == null ? null : asking(id);
        ElicitationQuestion question = new ElicitationQuestion(agent, session, request);
        return ask(session, "elicitation", question.cancel(), () -> handler.elicit(question));
    }

    /** Whatever opens it for the user must not be led to files, scripts or other programs. */
    private static boolean isWebPage(String url) {
        try {
            URI address = new URI(url);
            String scheme = address.getScheme();
            return address.getHost() != null && ("https".equalsIgnoreCase(scheme) || "http".equalsIgnoreCase(scheme));
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private <R> R ask(@Nullable Session session, String what, R cancelled, Callable<R> handler) {
        if (session != null && !session.state().beginQuestion()) {
            return cancelled;
        }
        R answer = cancelled;
        try {
            answer = Objects.requireNonNull(handler.call(), "the answer is null");
        } catch (InterruptedException e) {
            // Withdrawn, by a cancelled turn or by the agent itself.
        } catch (Throwable e) {
            config.onProblem.accept(
                    new Problem(Problem.Kind.REQUEST_FAILED, "the " + what + " handler failed: " + e, e));
        }
        return session == null || session.state().endQuestion() ? answer : cancelled;
    }
}
