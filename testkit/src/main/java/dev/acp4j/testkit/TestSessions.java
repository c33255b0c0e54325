package dev.acp4j.testkit;

import dev.acp4j.AgentSession;
import dev.acp4j.AgentTurn;
import dev.acp4j.ClientConnection;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
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
import java.util.concurrent.atomic.AtomicInteger;

/** What the test agent remembers: for each session its folder and what the user said. */
final class TestSessions {
    private record Kept(Path cwd, List<ContentBlock> said) {}

    private static final SessionModeState MODES = SessionModeState.of(
            new SessionModeId("normal"),
            List.of(
                    SessionMode.builder(new SessionModeId("normal"), "Normal").build(),
                    SessionMode.builder(new SessionModeId("other"), "Other").build()));

    private final AtomicInteger ids = new AtomicInteger();
    private final Map<String, Kept> sessions = new ConcurrentSkipListMap<>();

    SessionId nextId() {
        return new SessionId("test-" + ids.incrementAndGet());
    }

    void opened(AgentSession session) {
        sessions.put(session.id().value(), new Kept(session.cwd(), new CopyOnWriteArrayList<>()));
        session.modes(MODES);
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
        session.modes(MODES);
    }

    void resume(AgentSession session) {
        known(session);
        session.modes(MODES);
    }

    private Kept known(AgentSession session) {
        Kept kept = sessions.get(session.id().value());
        if (kept == null) {
            throw RpcError.sessionNotFound(session.id().value());
        }
        return kept;
    }

    ListSessionsResponse list(ClientConnection client, ListSessionsRequest request) {
        List<SessionInfo> infos = new ArrayList<>();
        for (Map.Entry<String, Kept> entry : sessions.entrySet()) {
            String cwd = entry.getValue().cwd().toString();
            if (request.cwd() == null || request.cwd().equals(cwd)) {
                infos.add(
                        SessionInfo.builder(new SessionId(entry.getKey()), cwd).build());
            }
        }
        return ListSessionsResponse.builder(infos).build();
    }

    void delete(ClientConnection client, SessionId id) {
        sessions.remove(id.value());
    }
}
