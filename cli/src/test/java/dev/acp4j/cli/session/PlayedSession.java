package dev.acp4j.cli.session;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.TurnResult;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.testkit.ScriptedPeer;
import dev.acp4j.testkit.Transports;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** A session of an agent that is played by hand. It is drawn after each update. */
final class PlayedSession implements AutoCloseable {
    private static final SessionId ID = SessionId.of("s");

    private final SessionRenderer renderer;
    private final Transports ends = Transports.joined();
    private final ScriptedPeer agent = new ScriptedPeer(ends.agent());
    private final Semaphore handled = new Semaphore(0);
    private final ConnectedAgent connected;
    private @Nullable Session session;
    private @Nullable JsonObject prompt;
    private @Nullable Turn turn;

    PlayedSession(SessionRenderer renderer) throws Exception {
        this.renderer = renderer;
        FutureTask<ConnectedAgent> connecting = started(() -> Client.builder("test", "1.0")
                .onEvent((from, event) -> {
                    renderer.event(event);
                    handled.release();
                })
                .connect(ends.client()));
        agent.answer(
                agent.expect("initialize"), "{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true}}");
        connected = connecting.get();
    }

    /** Opens a new session, which is drawn from now on. */
    PlayedSession opened() throws Exception {
        FutureTask<Session> opening = started(() -> connected.newSession(Path.of("/")));
        agent.answer(agent.expect("session/new"), "{\"sessionId\":\"s\"}");
        session = opening.get();
        renderer.follow(session, change -> true);
        return this;
    }

    /** Loads a session of which the agent repeats this; it is drawn from now on. */
    PlayedSession loaded(SessionUpdate... replay) throws Exception {
        renderer.follow(loadedUndrawn(replay), change -> true);
        return this;
    }

    /** Loads a session of which the agent repeats this. */
    Session loadedUndrawn(SessionUpdate... replay) throws Exception {
        FutureTask<Session> loading = started(() -> connected.loadSession(ID, Path.of("/")));
        JsonObject request = agent.expect("session/load");
        for (SessionUpdate update : replay) {
            update(update);
        }
        agent.answer(request, "{}");
        Session loaded = loading.get();
        session = loaded;
        return loaded;
    }

    /** Sends a prompt of the user. */
    void prompts(String text) throws Exception {
        renderer.turnBegins();
        FutureTask<Turn> sending = started(() -> session().prompt(text));
        prompt = agent.expect("session/prompt");
        turn = sending.get();
    }

    /** Sends an update and waits until it is drawn. */
    void update(SessionUpdate update) throws Exception {
        RawJson params = RawJson.encode(SessionNotification.of(ID, update), ClientMethods.UPDATE.params());
        agent.notification("session/update", params.toString());
        handled.acquire();
    }

    /** Cancels the turn. */
    void cancels() throws Exception {
        Objects.requireNonNull(turn).cancel();
        JsonObject unused = agent.expect("session/cancel");
        renderer.look();
    }

    /** Ends the turn. */
    void ends(StopReason reason) throws Exception {
        String why = RawJson.string(reason.value()).toString();
        agent.answer(Objects.requireNonNull(prompt), "{\"stopReason\":" + why + "}");
        TurnResult unused = Objects.requireNonNull(turn).result();
        renderer.turnEnds();
    }

    Session session() {
        return Objects.requireNonNull(session);
    }

    private static <T> FutureTask<T> started(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread.ofVirtual().start(task);
        return task;
    }

    @Override
    public void close() throws IOException {
        agent.close();
        connected.close();
        ends.close();
    }
}
