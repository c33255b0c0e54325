package dev.acp4j.proxy;

import dev.acp4j.Stdio;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.PromptResponse;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.RequestPermissionResponse;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The proxies of the suite, by their names: in a test they run in the JVM, or as programs. */
final class SampleProxies {
    private SampleProxies() {}

    /** Serves the named proxy on standard input and output. */
    public static void main(String[] args) throws InterruptedException, IOException {
        if (args[0].equals("chain")) {
            Conductor.builder()
                    .proxy(Component.of("inner", ProxyProgramTest.program("brief")))
                    .proxy(named("polite"))
                    .build()
                    .serve(Stdio.system());
        } else {
            named(args[0]).serve(Stdio.system());
        }
    }

    static Proxy named(String name) {
        return switch (name) {
            case "nothing" -> Proxy.builder(name, "1").build();
            case "brief" -> says(name, "Be brief.");
            case "polite" -> says(name, "Say please.");
            case "loud" ->
                Proxy.builder(name, "1")
                        .state(SessionState.of(opening -> name))
                        .onNotification(ClientMethods.UPDATE, (said, hop) -> {
                            if (said.update() instanceof SessionUpdate.AgentMessageChunk chunk
                                    && chunk.content() instanceof ContentBlock.Text text) {
                                ContentBlock louder =
                                        new ContentBlock.Text(text.text() + "!", text.annotations(), text.rest());
                                hop.forward(new SessionNotification(
                                        said.sessionId(),
                                        new SessionUpdate.AgentMessageChunk(louder, chunk.messageId(), chunk.rest()),
                                        said.rest()));
                            } else {
                                hop.forward();
                            }
                        })
                        .build();
            case "counting" -> counting();
            case "refusing" ->
                Proxy.builder(name, "1")
                        .onRequest(AgentMethods.SET_MODE, (params, hop) -> {
                            throw RpcError.invalidParams("no modes here");
                        })
                        .onRequests(Method.Side.AGENT, "_secret"::equals, (params, hop) -> hop.answer(params))
                        .build();
            case "dying" ->
                Proxy.builder(name, "1")
                        .onPrompt((prompt, hop) -> {
                            if (prompt.prompt().toString().contains("die before")) {
                                Runtime.getRuntime().halt(7);
                            }
                            if (prompt.prompt().toString().contains("die behind")) {
                                Thread.ofPlatform()
                                        .start(() -> Runtime.getRuntime().halt(8));
                            }
                            return hop.forward();
                        })
                        .onNotification(ClientMethods.UPDATE, (said, hop) -> {
                            hop.forward();
                            if (said.update().toString().contains("die now")) {
                                Runtime.getRuntime().halt(9);
                            }
                        })
                        .build();
            default -> throw new IllegalArgumentException("no such proxy: " + name);
        };
    }

    private static Proxy says(String name, String sentence) {
        return Proxy.builder(name, "1")
                .onPrompt((prompt, hop) -> {
                    List<ContentBlock> all = new ArrayList<>(prompt.prompt());
                    all.add(ContentBlock.text(sentence));
                    return hop.forward(new PromptRequest(prompt.sessionId(), all, prompt.rest()));
                })
                .build();
    }

    private static Proxy counting() {
        SessionState<AtomicInteger> count = SessionState.of(opening -> new AtomicInteger());
        return Proxy.builder("counting", "1")
                .state(count)
                .onRequest(AgentMethods.PROMPT, (prompt, hop) -> {
                    int number = hop.state(count).incrementAndGet();
                    Answer<PromptResponse> answer = hop.forward();
                    return answer.isError()
                            ? answer
                            : answer.with(answer.result().withMeta(Meta.of("count", RawJson.number(number))));
                })
                .build();
    }

    /** A policy that answers questions by itself. */
    static Proxy yes() {
        return Proxy.builder("yes", "1")
                .onRequest(
                        ClientMethods.REQUEST_PERMISSION,
                        (question, hop) -> hop.answer(RequestPermissionResponse.of(RequestPermissionOutcome.Selected.of(
                                question.options().get(0).optionId()))))
                .build();
    }
}
