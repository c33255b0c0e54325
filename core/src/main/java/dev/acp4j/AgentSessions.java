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
import dev.acp4j.schema.NewSessionRequest;
import dev.acp4j.schema.NewSessionResponse;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.PromptResponse;
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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The sessions of one connection on the agent's side: opening, prompting, changing and ending them. */
final class AgentSessions {
    private final Agent.Builder config;
    private final ClientConnection client;

    AgentSessions(Agent.Builder config, ClientConnection client) {
        this.config = config;
        this.client = client;
    }

    // ---- opening

    Handler.Task open(IncomingRequest incoming) {
        NewSessionRequest request = Extensions.decode(AgentMethods.NEW_SESSION, incoming.params());
        SessionSetup setup = new SessionSetup(
                config.sessionIds.get(),
                SessionSetup.absolute("cwd", request.cwd()),
                SessionSetup.absolute(request.additionalDirectories()),
                request.mcpServers(),
                true);
        return new Opening(setup, config.onNewSession) {
            @Override
            RawJson response(AgentSession session) {
                return Extensions.encode(
                        AgentMethods.NEW_SESSION,
                        NewSessionResponse.builder(session.id())
                                .modes(session.modes())
                                .configOptions(session.configOptions())
                                .build());
            }
        };
    }

    Handler.Task load(IncomingRequest incoming) {
        SessionHandler handler = required(config.onLoadSession, incoming);
        LoadSessionRequest request = Extensions.decode(AgentMethods.LOAD_SESSION, incoming.params());
        SessionSetup setup = new SessionSetup(
                request.sessionId(),
                SessionSetup.absolute("cwd", request.cwd()),
                SessionSetup.absolute(request.additionalDirectories()),
                request.mcpServers(),
                false);
        return new Opening(setup, handler) {
            @Override
            RawJson response(AgentSession session) {
                return Extensions.encode(
                        AgentMethods.LOAD_SESSION,
                        LoadSessionResponse.builder()
                                .modes(session.modes())
                                .configOptions(session.configOptions())
                                .build());
            }
        };
    }

    Handler.Task resume(IncomingRequest incoming) {
        SessionHandler handler = required(config.onResumeSession, incoming);
        ResumeSessionRequest request = Extensions.decode(AgentMethods.RESUME_SESSION, incoming.params());
        SessionSetup setup = new SessionSetup(
                request.sessionId(),
                SessionSetup.absolute("cwd", request.cwd()),
                SessionSetup.absolute(request.additionalDirectories()),
                request.mcpServers(),
                false);
        return new Opening(setup, handler) {
            @Override
            RawJson response(AgentSession session) {
                return Extensions.encode(
                        AgentMethods.RESUME_SESSION,
                        ResumeSessionResponse.builder()
                                .modes(session.modes())
                                .configOptions(session.configOptions())
                                .build());
            }
        };
    }

    private static SessionHandler required(@Nullable SessionHandler handler, IncomingRequest request) {
        if (handler == null) {
            throw RpcError.methodNotFound(request.method());
        }
        return handler;
    }

    /** Opens a session: it is active from the moment its handler accepts it, and ends again if that fails. */
    private abstract class Opening implements Handler.Task {
        private final AgentSession session;
        private final SessionHandler handler;
        private boolean succeeded;

        Opening(SessionSetup setup, SessionHandler handler) {
            this.session = new AgentSession(setup, client);
            this.handler = handler;
        }

        abstract RawJson response(AgentSession opened);

        @Override
        public RawJson run() throws Exception {
            end(session.id());
            handler.handle(session);
            session.opened();
            RawJson response = response(session);
            client.sessions().put(session.id(), session);
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

    Handler.Task prompt(IncomingRequest incoming) {
        PromptRequest request = Extensions.decode(AgentMethods.PROMPT, incoming.params());
        AgentTurn turn = new AgentTurn(active(request.sessionId()), request, incoming);
        // In the lane, so that turns queue in the order of their prompts, and a cancel that follows finds this one.
        turn.session().enqueue(turn);
        return () -> {
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
                turn.session().finish(turn);
            }
            return Extensions.encode(AgentMethods.PROMPT, PromptResponse.of(turn.stopReason()));
        };
    }

    private AgentSession active(SessionId id) {
        AgentSession session = client.sessions().get(id);
        if (session == null) {
            throw RpcError.sessionNotFound(id.value());
        }
        return session;
    }

    // ---- changing

    SetSessionModeResponse setMode(SetSessionModeRequest request) throws Exception {
        AgentSession session = active(request.sessionId());
        SessionModeState modes = session.modes();
        if (modes == null || !offers(modes, request.modeId())) {
            throw RpcError.invalidParams("params.modeId: no such mode: " + request.modeId());
        }
        session.currentMode(request.modeId());
        try {
            Objects.requireNonNull(config.onSetMode).setMode(session, request.modeId());
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

    SetSessionConfigOptionResponse setConfigOption(SetSessionConfigOptionRequest request) throws Exception {
        AgentSession session = active(request.sessionId());
        var options =
                Objects.requireNonNull(config.onSetConfigOption).set(session, request.configId(), request.value());
        boolean unused = session.keepConfigOptions(options);
        return SetSessionConfigOptionResponse.of(options);
    }

    // ---- ending

    CloseSessionResponse close(CloseSessionRequest request) throws Exception {
        end(request.sessionId());
        return CloseSessionResponse.of();
    }

    /**
     * Ends a session, for whatever reason, once: cancels its turns and waits for them, so that their last updates come
     * before our answer, then lets the agent free what it holds.
     */
    void end(SessionId id) throws Exception {
        AgentSession session = client.sessions().remove(id);
        if (session != null) {
            session.cancel();
            session.awaitClosed();
            if (config.onCloseSession != null) {
                config.onCloseSession.handle(session);
            }
        }
    }

    /** The connection has ended: ends what is left of its sessions. */
    void endAll() {
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
