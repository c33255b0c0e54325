package dev.acp4j.proxies;

import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.Version;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** In version 2, {@code _session/steering} and a prompt to a session that is running, which is a draft. */
final class SteeringDialect {
    private static final String STEERING = "_session/steering";
    private static final AtomicLong MESSAGES = new AtomicLong();

    /** Agents that offer the one way only; gone with the connection. */
    private final Set<Neighbour> takeSteering =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private final Set<Neighbour> takePrompts =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** Whether the session is running. */
    private final SessionState<AtomicBoolean> running = SessionState.of(opening -> new AtomicBoolean());

    void addTo(Proxy.Builder proxy) {
        proxy.state(running)
                .onRequests(Method.Side.AGENT, "initialize"::equals, this::initialize)
                .onRequests(Method.Side.AGENT, "session/prompt"::equals, this::prompt)
                .onRequests(Method.Side.AGENT, STEERING::equals, this::steer)
                .onNotification(ClientMethods.UPDATE, (said, hop) -> {
                    if (hop.version() == Version.V2 && said.update() instanceof StateUpdate state) {
                        hop.state(running).set(!(state instanceof StateUpdate.Idle));
                    }
                    hop.forward();
                });
    }

    private Answer<RawJson> initialize(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Answer<RawJson> answer = hop.forward();
        if (answer.isError() || hop.version() != Version.V2) {
            return answer;
        }
        JsonMembers result = JsonMembers.of(answer.result());
        JsonMembers capabilities = result.object("capabilities");
        JsonMembers session = capabilities.object("session");
        JsonMembers meta = result.object("_meta");
        boolean takesPrompts = session.raw("steering") != null;
        RawJson supported = meta.object("steering").raw("supported");
        boolean takesSteering = supported != null && supported.toString().equals("true");
        if (takesPrompts == takesSteering) {
            return answer;
        }
        if (takesPrompts) {
            takePrompts.add(hop.agent());
            return answer.with(result.with(
                            "_meta",
                            meta.with("steering", RawJson.parse("{\"supported\":true}"))
                                    .json())
                    .json());
        }
        takeSteering.add(hop.agent());
        return answer.with(result.with(
                        "capabilities",
                        capabilities
                                .with(
                                        "session",
                                        session.with("steering", RawJson.EMPTY_OBJECT)
                                                .json())
                                .json())
                .json());
    }

    /** A prompt to a running session, for an agent that is steered by a method of its own. */
    private Answer<RawJson> prompt(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        if (!takeSteering.contains(hop.agent()) || !hop.state(running).get()) {
            return hop.forward();
        }
        RawJson answer = ModelDialect.asked(
                hop,
                STEERING,
                JsonMembers.of(params)
                        .with("_meta", RawJson.parse("{\"steering\":{\"idleBehavior\":\"promptRequired\"}}"))
                        .json());
        // If it is not running any more, it is a prompt like others.
        return JsonMembers.of(answer).text("outcome").equals("injected")
                ? hop.answer(new JsonMembers(Map.of())
                        .with("messageId", RawJson.string("steered-" + MESSAGES.incrementAndGet()))
                        .json())
                : hop.forward();
    }

    /** Steering by the method, of an agent that takes prompts. */
    private Answer<RawJson> steer(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        if (!takePrompts.contains(hop.agent())) {
            return hop.forward();
        }
        JsonMembers asked = JsonMembers.of(params);
        boolean isRunning = hop.state(running).get();
        boolean isPromptRequired =
                asked.object("_meta").object("steering").text("idleBehavior").equals("promptRequired");
        if (!isRunning && isPromptRequired) {
            return hop.answer(RawJson.parse("{\"outcome\":\"promptRequired\"}"));
        }
        RawJson prompt = asked.raw("prompt");
        if (prompt == null) {
            throw RpcError.invalidParams("params.prompt: expected what to say");
        }
        RawJson unused = ModelDialect.asked(
                hop,
                "session/prompt",
                new JsonMembers(Map.of())
                        .with("sessionId", RawJson.string(asked.text("sessionId")))
                        .with("prompt", prompt)
                        .json());
        return hop.answer(RawJson.parse(isRunning ? "{\"outcome\":\"injected\"}" : "{\"outcome\":\"startedNewTurn\"}"));
    }
}
