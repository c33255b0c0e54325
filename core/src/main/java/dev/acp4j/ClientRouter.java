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
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.ToolCallUpdate;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
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
            case "session/update" -> agent.dialectOrFirst().update(agent, message);
            case "elicitation/complete" -> () -> completed(message.params());
            case VendorDialect.AUTH_STATUS -> () -> authStatus(VendorDialect.authStatus(message.params()));
            case "auth/status_update" -> () -> authStatus(agent.dialectOrFirst().authStatus(message.params()));
            default -> () -> extended(message);
        };
    }

    private void extended(Message message) throws Exception {
        Extensions.reportUnless(
                config.extensions.handle(agent, message.method(), message.params()),
                message.method(),
                config.onProblem);
    }

    private void completed(@Nullable RawJson params) throws Exception {
        CompleteElicitationNotification done =
                Requests.decode(ClientMethods.COMPLETE_ELICITATION, agent.version(), params);
        Client.ElicitationHandler handler = config.onElicitation;
        // Of ids that are not known, or have been completed, nobody learns.
        if (handler != null && agent.pageEnds(done.elicitationId())) {
            handler.completed(agent, done.elicitationId());
        }
    }

    private void authStatus(AuthStatus status) {
        agent.authStatus(status);
        Client.AuthStatusHandler handler = config.onAuthStatus;
        if (handler != null) {
            handler.changed(agent, status);
        }
    }

    @Override
    public Acceptance request(IncomingRequest request) throws InterruptedException {
        agent.dialectOrFirst().requireId(request);
        if (!config.extensions.handles(request.method())) {
            if (request.method().equals("session/request_permission")) {
                return permission(request);
            }
            if (request.method().equals("elicitation/create") && config.onElicitation != null) {
                return elicitation(request, config.onElicitation);
            }
        }
        return () -> task(request);
    }

    private Task task(IncomingRequest request) {
        if (config.extensions.handles(request.method())) {
            return config.extensions.task(agent, request);
        }
        Task own = agent.dialectOrFirst().task(config, agent, request);
        return own == null ? config.extensions.task(agent, request) : own;
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
        Message message = Objects.requireNonNull(incoming.message());
        ClientDialect dialect = agent.dialectOrFirst();
        ClientDialect.Permission asked = dialect.permission(incoming);
        Session session = asking(asked.session());
        ToolCallUpdate about = asked.toolCall();
        // The question may add details of the tool call, or be the first message to name it.
        Delivery told = about == null ? null : dialect.fold(session, about, asked.meta(), message);
        Entry.ToolCall call = about == null
                ? null
                : session.view()
                        .toolCall(about.toolCallId())
                        .orElseGet(() -> Entry.ToolCall.unknown(about.toolCallId()));
        String title = asked.title() != null ? asked.title() : call == null ? "" : call.title();
        PermissionQuestion question = new PermissionQuestion(session, title, call, asked, message);
        long shown = session.view()
                .timeline()
                .asked(
                        new Entry.Question(
                                Entry.Question.Kind.PERMISSION,
                                asked.meta(),
                                title,
                                call == null ? null : call.id(),
                                asked.terminal(),
                                asked.options()),
                        message.length());
        Task answer = () -> {
            RequestPermissionOutcome outcome = ask(session, shown, "permission", () -> decide(question));
            return dialect.answer(outcome == null ? question.cancelled() : outcome);
        };
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

    private Acceptance elicitation(IncomingRequest incoming, Client.ElicitationHandler handler) {
        Message message = Objects.requireNonNull(incoming.message());
        CreateElicitationRequest request =
                Requests.decode(ClientMethods.CREATE_ELICITATION, agent.version(), incoming.takeParams());
        requireOffered(request);
        CreateElicitationRequest.Url page = request instanceof CreateElicitationRequest.Url url ? url : null;
        if (page != null && !isWebPage(page.url())) {
            throw RpcError.invalidParams("params.url: expected the address of a web page, http or https");
        }
        CreateElicitationRequest.Scoped scoped = request instanceof CreateElicitationRequest.Scoped some ? some : null;
        SessionId id = scoped == null ? null : scoped.sessionId();
        Session session = id == null ? null : asking(id);
        long shown = session == null || scoped == null
                ? 0
                : session.view()
                        .timeline()
                        .asked(
                                new Entry.Question(
                                        Entry.Question.Kind.ELICITATION,
                                        scoped.meta(),
                                        scoped.message(),
                                        scoped.toolCallId(),
                                        null,
                                        List.of()),
                                message.length());
        ElicitationQuestion question = new ElicitationQuestion(agent, session, request, message);
        if (page != null) {
            // From now on: the user may be done before the answer is.
            agent.pageBegins(page.elicitationId());
        }
        Task answer = () -> {
            CreateElicitationResponse response = ask(session, shown, "elicitation", () -> handler.elicit(question));
            if (page != null && !(response instanceof CreateElicitationResponse.Accept)) {
                boolean unused = agent.pageEnds(page.elicitationId());
            }
            return Requests.encode(
                    ClientMethods.CREATE_ELICITATION, agent.version(), response == null ? question.cancel() : response);
        };
        return () -> answer;
    }

    /** Refuses modes that are not offered, or not known: nobody may be shown those. */
    private void requireOffered(CreateElicitationRequest request) {
        Feature needed = ConnectedClient.needed(request);
        if (needed == null || !config.elicitationModes.contains(needed)) {
            String mode = request instanceof CreateElicitationRequest.Unknown unknown
                    ? unknown.mode()
                    : needed == Feature.FORMS ? "form" : "url";
            throw RpcError.invalidParams("params.mode: this client does not offer \"" + mode + "\"");
        }
    }

    /** Rejects addresses of files, scripts and other programs, because a client opens the page for the user. */
    private static boolean isWebPage(String url) {
        try {
            URI address = new URI(url);
            String scheme = address.getScheme();
            return address.getHost() != null && ("https".equalsIgnoreCase(scheme) || "http".equalsIgnoreCase(scheme));
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /** Returns the handler's answer; null when there is none that counts: then the answer is <em>cancelled</em>. */
    private <R> @Nullable R ask(@Nullable Session session, long shown, String what, Callable<R> handler) {
        if (session != null && !session.state().beginQuestion(shown)) {
            return null;
        }
        R answer = null;
        try {
            answer = Objects.requireNonNull(handler.call(), "the answer is null");
        } catch (InterruptedException e) {
            // Withdrawn, by a cancelled turn or by the agent itself.
        } catch (Throwable e) {
            config.onProblem.accept(
                    new Problem(Problem.Kind.REQUEST_FAILED, "the " + what + " handler failed: " + e, e));
        }
        return session == null || session.state().endQuestion(shown, answer) ? answer : null;
    }
}
