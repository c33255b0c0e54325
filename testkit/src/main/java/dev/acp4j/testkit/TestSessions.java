package dev.acp4j.testkit;

import dev.acp4j.AgentSession;
import dev.acp4j.AgentTurn;
import dev.acp4j.ConnectedClient;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionConfigSelectOption;
import dev.acp4j.schema.SessionConfigSelectOptions;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** The sessions of the test agent: for each its folder and the messages of the user. */
final class TestSessions {
    private record Kept(Path cwd, List<ContentBlock> said) {}

    private static final SessionModeState MODES = SessionModeState.of(
            SessionModeId.of("normal"),
            List.of(
                    SessionMode.builder(SessionModeId.of("normal"), "Normal").build(),
                    SessionMode.builder(SessionModeId.of("other"), "Other").build()));

    private static final SessionConfigId LEVEL = SessionConfigId.of("level");

    private final AtomicInteger ids = new AtomicInteger();
    private final AtomicBoolean loggedIn = new AtomicBoolean(true);
    private final Map<String, Kept> sessions = new ConcurrentSkipListMap<>();

    SessionId nextId() {
        return SessionId.of("test-" + ids.incrementAndGet());
    }

    void login(boolean value) {
        loggedIn.set(value);
    }

    void opened(AgentSession session) throws InterruptedException {
        checkLogin();
        sessions.put(session.id().value(), new Kept(session.cwd(), new CopyOnWriteArrayList<>()));
        describe(session);
    }

    private static void describe(AgentSession session) throws InterruptedException {
        session.modes(MODES);
        session.configOptions(options("low"));
    }

    /** Returns the config options, with this value of the first. */
    static List<SessionConfigOption> options(String level) {
        return List.of(SessionConfigOption.Select.builder(
                        LEVEL,
                        "Level",
                        SessionConfigValueId.of(level),
                        SessionConfigSelectOptions.of(List.of(
                                SessionConfigSelectOption.of(SessionConfigValueId.of("low"), "Low"),
                                SessionConfigSelectOption.of(SessionConfigValueId.of("high"), "High"))))
                .build());
    }

    static List<SessionConfigOption> set(AgentSession session, SessionConfigId option, SessionConfigOptionValue value) {
        if (!option.equals(LEVEL) || !(value instanceof SessionConfigOptionValue.Id chosen)) {
            throw RpcError.invalidParams("there is the option level, with the values low and high");
        }
        return options(chosen.value().value());
    }

    private void checkLogin() {
        if (!loggedIn.get()) {
            throw RpcError.authRequired();
        }
    }

    void remember(AgentTurn turn) {
        Kept kept = sessions.get(turn.sessionId().value());
        if (kept != null) {
            kept.said().addAll(turn.prompt());
        }
    }

    void load(AgentSession session) throws InterruptedException {
        for (ContentBlock said : known(session).said()) {
            session.userMessage(said);
        }
        describe(session);
    }

    void resume(AgentSession session) throws InterruptedException {
        known(session);
        describe(session);
    }

    private Kept known(AgentSession session) {
        checkLogin();
        Kept kept = sessions.get(session.id().value());
        if (kept == null) {
            throw RpcError.sessionNotFound(session.id().value());
        }
        return kept;
    }

    ListSessionsResponse list(ConnectedClient client, ListSessionsRequest request) {
        List<SessionInfo> infos = new ArrayList<>();
        for (Map.Entry<String, Kept> entry : sessions.entrySet()) {
            String cwd = entry.getValue().cwd().toString();
            if (request.cwd() == null || request.cwd().equals(cwd)) {
                infos.add(SessionInfo.builder(SessionId.of(entry.getKey()), cwd).build());
            }
        }
        return ListSessionsResponse.builder(infos).build();
    }

    void delete(ConnectedClient client, SessionId id) {
        sessions.remove(id.value());
    }
}
