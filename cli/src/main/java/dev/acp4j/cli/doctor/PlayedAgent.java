package dev.acp4j.cli.doctor;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The agent at the end of a chain that is examined: it offers much, and answers in known ways. */
final class PlayedAgent extends PlayedEnd {
    /** So many updates stand right behind the answer that opens a session, and in each turn. */
    static final int UPDATES = 20;

    /** The text of a prompt that is answered when it is cancelled. */
    static final String STAY = "acp doctor: wait until I cancel this";

    private static final String OFFERS_1 = """
            {"loadSession":true,"promptCapabilities":{"image":true,"audio":true,"embeddedContext":true},\
            "mcpCapabilities":{"http":true,"sse":true,"acp":true},\
            "sessionCapabilities":{"list":{},"delete":{},"fork":{},"resume":{},"close":{},"additionalDirectories":{}}}""";

    private static final String OFFERS_2 = """
            {"session":{"prompt":{"image":{},"audio":{},"embeddedContext":{}},"mcp":{"stdio":{},"http":{},"acp":{}},\
            "delete":{},"additionalDirectories":{}}}""";

    private final Version version;
    private final Map<String, Message> held = new ConcurrentHashMap<>();
    private final Semaphore waiting = new Semaphore(0);
    private volatile @Nullable RawJson initializedWith;
    private int sessions;

    PlayedAgent(Transport transport, Version version) {
        super(transport);
        this.version = version;
    }

    /** Returns the params of the initialization; null before. */
    @Nullable
    RawJson initializedWith() {
        return initializedWith;
    }

    static RawJson offers(Version version) {
        return RawJson.parse(version == Version.V2 ? OFFERS_2 : OFFERS_1);
    }

    @Override
    boolean answers(Message request) throws IOException {
        switch (request.method()) {
            case "initialize" -> {
                initializedWith = request.params();
                answer(request, initialized());
            }
            case "session/new" -> {
                String session = "acp-doctor-" + ++sessions;
                answer(request, "{\"sessionId\":\"" + session + "\"}");
                say(session);
            }
            case "session/prompt" -> prompt(request);
            default -> {
                return super.answers(request);
            }
        }
        return true;
    }

    private String initialized() {
        String info = "{\"name\":\"acp-doctor\",\"version\":\"1\"}";
        return version == Version.V2
                ? "{\"protocolVersion\":2,\"info\":" + info + ",\"capabilities\":" + OFFERS_2 + ",\"own\":1.50}"
                : "{\"protocolVersion\":1,\"agentInfo\":" + info + ",\"agentCapabilities\":" + OFFERS_1
                        + ",\"authMethods\":[],\"own\":1.50}";
    }

    private void prompt(Message request) throws IOException {
        boolean stays = String.valueOf(request.params()).contains(STAY);
        if (version == Version.V2) {
            answer(request, "{\"messageId\":\"acp-doctor-prompt\"}");
            update(request.session(), "{\"sessionUpdate\":\"user_message\",\"messageId\":\"acp-doctor-prompt\"}");
            update(request.session(), "{\"sessionUpdate\":\"state_update\",\"state\":\"running\"}");
        }
        if (stays) {
            held.put(request.session(), request);
            waiting.release();
            return;
        }
        say(request.session());
        ends(request, "end_turn");
    }

    /** Waits for a prompt that waits to be cancelled. Returns false when none comes in time. */
    boolean awaitTurn(Duration most) throws InterruptedException {
        return waiting.tryAcquire(most.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Ends the turn of a session that waits to be cancelled. */
    void cancelTurn(String session) throws IOException {
        Message request = held.remove(session);
        if (request != null) {
            ends(request, "cancelled");
        }
    }

    private void ends(Message request, String reason) throws IOException {
        if (version == Version.V2) {
            update(
                    request.session(),
                    "{\"sessionUpdate\":\"state_update\",\"state\":\"idle\",\"stopReason\":\"" + reason + "\"}");
        } else {
            answer(request, "{\"stopReason\":\"" + reason + "\",\"_meta\":{\"acp-doctor\":1.50}}");
        }
    }

    /** Sends numbered updates. */
    private void say(String session) throws IOException {
        for (int i = 0; i < UPDATES; i++) {
            update(
                    session,
                    "{\"sessionUpdate\":\"agent_message_chunk\",\"messageId\":\"acp-doctor\",\"content\":{\"type\":\"text\","
                            + "\"text\":\"update " + i + ".\"},\"_meta\":{\"acp-doctor\":1.50}}");
        }
    }

    private void update(String session, String update) throws IOException {
        tell("session/update", "{\"sessionId\":\"" + session + "\",\"update\":" + update + "}");
    }
}
