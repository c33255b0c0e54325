package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CloseSessionRequest;
import dev.acp4j.schema.CloseSessionResponse;
import dev.acp4j.schema.LoadSessionRequest;
import dev.acp4j.schema.LoadSessionResponse;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.NewSessionRequest;
import dev.acp4j.schema.NewSessionResponse;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.ResumeSessionRequest;
import dev.acp4j.schema.ResumeSessionResponse;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SetSessionConfigOptionRequest;
import dev.acp4j.schema.SetSessionConfigOptionResponse;
import dev.acp4j.schema.SetSessionModeRequest;
import dev.acp4j.schema.SetSessionModeResponse;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/** The sessions of one connection on the agent's side: opening, prompting, changing and ending them. */
final class AgentSessions {
    private final Agent.Builder config;
    private final ConnectedClient client;
    private volatile boolean ended;

    /** How much the open sessions keep of what the client said when it opened them. */
    private final AtomicLong keptBytes = new AtomicLong();

    AgentSessions(Agent.Builder config, ConnectedClient client) {
        this.config = config;
        this.client = client;
    }

    // ---- opening

    Handler.Task open(IncomingRequest incoming) {
        int bytes = requireRoom(incoming);
        NewSessionRequest request = Requests.decode(AgentMethods.NEW_SESSION, incoming.takeParams());
        SessionSetup setup =
                setup(request.cwd(), request.additionalDirectories(), request.mcpServers(), request.meta());
        SessionId id = config.sessionIds.get();
        if (client.session(id).isPresent()) {
            throw new IllegalStateException("sessionIds gave the id of a session that is open: " + id);
        }
        AgentSession session = new AgentSession(id, setup, true, client);
        return new Opening(session, config.onNewSession, bytes) {
            @Override
            RawJson response() {
                return Requests.encode(
                        AgentMethods.NEW_SESSION,
                        NewSessionResponse.builder(session.id())
                                .modes(session.modes())
                                .configOptions(client.shown(session.configOptions()))
                                .meta(session.responseMeta())
                                .build());
            }
        };
    }

    Handler.Task load(IncomingRequest incoming) {
        Agent.SessionHandler handler = required(config.onLoadSession, incoming);
        int bytes = requireRoom(incoming);
        LoadSessionRequest request = Requests.decode(AgentMethods.LOAD_SESSION, incoming.takeParams());
        SessionSetup setup =
                setup(request.cwd(), request.additionalDirectories(), request.mcpServers(), request.meta());
        AgentSession session = new AgentSession(request.sessionId(), setup, false, client);
        return new Opening(session, handler, bytes) {
            @Override
            RawJson response() {
                return Requests.encode(
                        AgentMethods.LOAD_SESSION,
                        LoadSessionResponse.builder()
                                .modes(session.modes())
                                .configOptions(client.shown(session.configOptions()))
                                .meta(session.responseMeta())
                                .build());
            }
        };
    }

    Handler.Task resume(IncomingRequest incoming) {
        Agent.SessionHandler handler = required(config.onResumeSession, incoming);
        int bytes = requireRoom(incoming);
        ResumeSessionRequest request = Requests.decode(AgentMethods.RESUME_SESSION, incoming.takeParams());
        SessionSetup setup =
                setup(request.cwd(), request.additionalDirectories(), request.mcpServers(), request.meta());
        AgentSession session = new AgentSession(request.sessionId(), setup, false, client);
        return new Opening(session, handler, bytes) {
            @Override
            RawJson response() {
                return Requests.encode(
                        AgentMethods.RESUME_SESSION,
                        ResumeSessionResponse.builder()
                                .modes(session.modes())
                                .configOptions(client.shown(session.configOptions()))
                                .meta(session.responseMeta())
                                .build());
            }
        };
    }

    private static SessionSetup setup(
            String cwd, List<String> additionalDirectories, List<McpServer> mcpServers, Meta meta) {
        Path folder = absolute("cwd", cwd);
        List<Path> more = new ArrayList<>();
        for (String directory : additionalDirectories) {
            more.add(absolute("additionalDirectories[" + more.size() + "]", directory));
        }
        return new SessionSetup(folder, more, mcpServers, meta);
    }

    /** Returns the path that a client wrote in a member of its params; one that is none, or relative, is its error. */
    static Path absolute(String member, String text) {
        try {
            Path path = Path.of(text);
            if (path.isAbsolute()) {
                return path;
            }
        } catch (InvalidPathException e) {
            throw RpcError.invalidParams("params." + member + ": not a path: " + e.getReason());
        }
        throw RpcError.invalidParams("params." + member + ": expected an absolute path, got \"" + text + "\"");
    }

    /**
     * Returns how much a session keeps of the request that opens it. The setup of a session stays with it, so the bound
     * of requests in flight holds for the setups of all open sessions, too.
     */
    private int requireRoom(IncomingRequest request) {
        RawJson params = request.params();
        int bytes = params == null ? 0 : params.length();
        long kept = keptBytes.get();
        long most = client.rpc().limits().incomingBytes();
        if (kept > 0 && kept + bytes > most) {
            throw new RpcError(
                    RpcError.INTERNAL_ERROR,
                    "The setups of the open sessions have " + kept + " bytes and this one " + bytes + ", allowed are "
                            + most + ": close a session first");
        }
        return bytes;
    }

    private static Agent.SessionHandler required(Agent.@Nullable SessionHandler handler, IncomingRequest request) {
        if (handler == null) {
            throw RpcError.methodNotFound(request.method());
        }
        return handler;
    }

    /** Opens a session: it is active from the moment its handler accepts it, and ends again if that fails. */
    private abstract class Opening implements Handler.Task {
        private final AgentSession session;
        private final Agent.@Nullable SessionHandler handler;
        private final int bytes;
        private boolean succeeded;

        Opening(AgentSession session, Agent.@Nullable SessionHandler handler, int bytes) {
            this.session = session;
            this.handler = handler;
            this.bytes = bytes;
        }

        abstract RawJson response();

        @Override
        public RawJson run() throws Exception {
            end(session.id());
            if (handler != null) {
                handler.handle(session);
            }
            session.opened();
            RawJson response = response();
            session.keptBytes = bytes;
            keptBytes.addAndGet(bytes);
            activate(session);
            succeeded = true;
            return response;
        }

        @Override
        public void answered() {
            if (!succeeded) {
                // The client was never told of this session, and hears nothing of it.
                return;
            }
            try {
                session.release();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // ---- prompting

    /** Takes a prompt, in the order of the wire: a cancellation that follows finds it. */
    Handler.Acceptance prompt(IncomingRequest incoming) {
        PromptRequest request = Requests.decode(AgentMethods.PROMPT, incoming.takeParams());
        AgentTurn turn = new AgentTurn(active(request.sessionId()), request, incoming);
        turn.session().enqueue(turn);
        Prompting prompting = new Prompting(turn);
        return () -> prompting;
    }

    /** Answers a prompt. The next turn begins when the answer is on its way, so that nothing of it can come before. */
    private final class Prompting implements Handler.Task {
        private final AgentTurn turn;
        private final long begun = config.time.nanoTime();
        private boolean succeeded;

        Prompting(AgentTurn turn) {
            this.turn = turn;
        }

        @Override
        public RawJson run() throws Exception {
            try {
                if (turn.session().awaitTurn(turn)) {
                    Objects.requireNonNull(config.onPrompt).prompt(turn);
                }
            } catch (Exception e) {
                // A cancelled turn is no failure, whatever the cancellation made the handler throw.
                if (!turn.isCancelled()) {
                    throw e;
                }
            } finally {
                turn.session().handled(turn);
            }
            succeeded = true;
            return Requests.encode(AgentMethods.PROMPT, turn.response());
        }

        @Override
        public void answered() {
            turn.session().answered(turn);
            if (FlightRecorder.isInitialized()) {
                String reason = succeeded ? turn.response().stopReason().value() : "";
                TurnFlightEvent.commit("agent", turn.sessionId().value(), reason, config.time.nanoTime() - begun);
            }
        }
    }

    private AgentSession active(SessionId id) {
        AgentSession session = client.sessions().get(id);
        if (session == null) {
            throw RpcError.sessionNotFound(id.value());
        }
        return session;
    }

    // ---- changing

    SetSessionModeResponse setMode(Agent.SetModeHandler handler, SetSessionModeRequest request) throws Exception {
        AgentSession session = active(request.sessionId());
        SessionModeState modes = session.modes();
        if (modes == null || !offers(modes, request.modeId())) {
            throw RpcError.invalidParams("params.modeId: no such mode: " + request.modeId());
        }
        session.currentMode(request.modeId());
        try {
            handler.setMode(session, request.modeId());
        } catch (Exception e) {
            session.currentMode(modes.currentModeId());
            throw e;
        }
        return SetSessionModeResponse.of();
    }

    private static boolean offers(SessionModeState modes, SessionModeId wanted) {
        for (SessionMode mode : modes.availableModes()) {
            if (mode.id().equals(wanted)) {
                return true;
            }
        }
        return false;
    }

    SetSessionConfigOptionResponse setConfigOption(
            Agent.SetConfigOptionHandler handler, SetSessionConfigOptionRequest request) throws Exception {
        AgentSession session = active(request.sessionId());
        var options = handler.set(session, request.configId(), request.value());
        boolean unused = session.keepConfigOptions(options);
        return SetSessionConfigOptionResponse.of(client.shown(options));
    }

    // ---- ending

    CloseSessionResponse close(Agent.SessionHandler handler, CloseSessionRequest request) throws Exception {
        end(request.sessionId());
        return CloseSessionResponse.of();
    }

    /**
     * Ends a session, for whatever reason, once: cancels its turns and waits for them, so that their last updates come
     * before our answer, then lets the agent free what it holds, also when the client does not want to wait for it.
     */
    void end(SessionId id) throws Exception {
        AgentSession session = client.sessions().remove(id);
        if (session != null) {
            end(session);
        }
    }

    private void end(AgentSession session) throws Exception {
        keptBytes.addAndGet(-session.keptBytes);
        session.cancel();
        if (ended) {
            // Its handlers have had their time.
            session.abandon();
        } else {
            session.awaitClosed();
        }
        if (config.onCloseSession != null) {
            boolean interrupted = Thread.interrupted();
            try {
                config.onCloseSession.handle(session);
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /** Makes a session active. One that was opened beside it under the same id, or after the end, is ended. */
    private void activate(AgentSession session) throws Exception {
        AgentSession other = client.sessions().put(session.id(), session);
        if (other != null) {
            end(other);
        }
        if (ended) {
            end(session.id());
        }
    }

    /** The connection has ended: ends what is left of its sessions. */
    void endAll() {
        ended = true;
        for (SessionId id : client.sessions().keySet()) {
            try {
                end(id);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                config.onProblem.accept(
                        new Problem(Problem.Kind.REQUEST_FAILED, "closing session " + id + " failed: " + e, e));
            }
        }
    }
}
