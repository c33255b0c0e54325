package dev.acp4j.proxy;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.Stdio;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ForkSessionResponse;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.LoadSessionResponse;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.NewSessionResponse;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.PromptResponse;
import dev.acp4j.schema.ReadTextFileRequest;
import dev.acp4j.schema.ReadTextFileResponse;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.RequestPermissionRequest;
import dev.acp4j.schema.RequestPermissionResponse;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
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
            named(args[0]).serve(args[0].equals("dying") ? new DyingTransport(Stdio.system()) : Stdio.system());
        }
    }

    /** Dies when it has passed on that it is to: an interceptor could not know when that is written. */
    private record DyingTransport(Transport transport, Writer writer) implements Transport {
        DyingTransport(Transport transport) {
            this(transport, new DyingWriter(transport.writer()));
        }

        @Override
        public Reader reader() {
            return transport.reader();
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    private static final class DyingWriter implements Transport.Writer {
        private final Transport.Writer writer;

        DyingWriter(Transport.Writer writer) {
            this.writer = writer;
        }

        @Override
        public void write(Message message) throws IOException {
            writer.write(message);
            if (message.toString().contains("die now")) {
                writer.flush();
                Runtime.getRuntime().halt(9);
            }
        }

        @Override
        public void flush() throws IOException {
            writer.flush();
        }

        @Override
        public void close() throws IOException {
            writer.close();
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
            case "guarding" -> guarding();
            case "counting" -> counting();
            case "remembering" -> remembering();
            case "capable" -> capable();
            case "newer" ->
                Proxy.builder(name, "1")
                        .onRequests(
                                Method.Side.AGENT,
                                "initialize"::equals,
                                (params, hop) -> hop.forward().with(RawJson.parse("{\"protocolVersion\":7}")))
                        .build();
            case "asking" ->
                Proxy.builder(name, "1")
                        .onRequests(
                                Method.Side.AGENT,
                                "initialize"::equals,
                                (params, hop) -> hop.forward(RawJson.parse("{\"protocolVersion\":7}")))
                        .build();
            case "modest" ->
                Proxy.builder(name, "1")
                        .onRequest(
                                AgentMethods.INITIALIZE,
                                (params, hop) -> hop.forward(params.toBuilder()
                                        .clientCapabilities(params.clientCapabilities().toBuilder()
                                                .terminal(true)
                                                .build())
                                        .build()))
                        .build();
            case "confused" -> confused();
            case "reviewing" -> reviewing();
            case "speaking" -> speaking();
            case "version-1" -> Proxy.builder(name, "1").protocol(Version.V1).build();
            case "various" -> various();
            case "tag-a", "tag-b" -> tagging(name);
            case "throwing" -> throwing(Proxy.builder(name, "1"));
            case "filtering" -> throwing(Proxy.builder(name, "1").filter());
            case "waiting" -> waiting();
            case "leading" -> leading(true);
            case "leading-unseen" -> leading(false);
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

    /** A filter that needs what it keeps for a session. */
    private static Proxy guarding() {
        SessionState<AtomicInteger> count = SessionState.of(opening -> new AtomicInteger());
        return Proxy.builder("guarding", "1")
                .state(count)
                .filter()
                .onPrompt((prompt, hop) -> {
                    hop.state(count).incrementAndGet();
                    return hop.forward();
                })
                .onRequest(ClientMethods.REQUEST_PERMISSION, (question, hop) -> {
                    hop.state(count).incrementAndGet();
                    return hop.forward();
                })
                .onNotification(ClientMethods.UPDATE, (said, hop) -> {
                    hop.state(count).incrementAndGet();
                    hop.forward();
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

    /** Says of each session how it was opened. */
    private static Proxy remembering() {
        SessionState<String> origin = SessionState.of(opening ->
                opening.method() + " " + opening.session() + (opening.from() == null ? "" : " of " + opening.from()));
        return Proxy.builder("remembering", "1")
                .state(origin)
                .onRequests(
                        Method.Side.AGENT,
                        "_origin"::equals,
                        (params, hop) -> hop.answer(RawJson.string(hop.state(origin))))
                .build();
    }

    /** Adds the loading of sessions to what the agent can do, and takes images away. */
    private static Proxy capable() {
        return Proxy.builder("capable", "1")
                .onRequest(AgentMethods.INITIALIZE, (params, hop) -> {
                    Answer<InitializeResponse> answer = hop.forward();
                    InitializeResponse came = answer.result();
                    return hop.version() == Version.V1
                            ? answer.with(came.toBuilder()
                                    .agentCapabilities(came.agentCapabilities().toBuilder()
                                            .loadSession(true)
                                            .promptCapabilities(
                                                    came.agentCapabilities().promptCapabilities().toBuilder()
                                                            .image(false)
                                                            .build())
                                            .build())
                                    .build())
                            : answer.with(came.toBuilder()
                                    .info(Implementation.builder("capable", "1").build())
                                    .build());
                })
                .onRequest(
                        AgentMethods.LOAD_SESSION,
                        (params, hop) ->
                                hop.answer(LoadSessionResponse.builder().build()))
                .build();
    }

    private static Proxy various() {
        Proxy.Builder proxy = Proxy.builder("various", "1");
        proxy.onRequest(request("_change"), (prompt, hop) -> hop.forward(prompt.append(ContentBlock.text("more"))));
        proxy.onRequest(request("_answer"), (prompt, hop) -> hop.answer(PromptResponse.of(StopReason.REFUSAL)));
        proxy.onRequest(request("_look"), (prompt, hop) -> {
            Answer<PromptResponse> answer = hop.forward();
            return answer.isError()
                    ? hop.answer(PromptResponse.of(StopReason.MAX_TOKENS))
                    : answer.with(new PromptResponse(
                            StopReason.REFUSAL, null, answer.result().rest()));
        });
        proxy.onRequest(request("_twice"), (prompt, hop) -> {
            Answer<PromptResponse> unused = hop.forward();
            return hop.forward(prompt.append(ContentBlock.text("again")));
        });
        proxy.onRequest(request("_refuse"), (prompt, hop) -> {
            throw RpcError.invalidParams("not " + hop.method());
        });
        proxy.onNotification(notification("_note"), (note, hop) -> {
            hop.forward();
            hop.forward(CancelNotification.of(SessionId.of("other")));
        });
        proxy.onNotification(notification("_drop"), (note, hop) -> {});
        // A draft, and what an agent asks a client.
        proxy.onRequest(
                AgentMethods.FORK_SESSION,
                (params, hop) -> hop.answer(
                        ForkSessionResponse.builder(SessionId.of("forked")).build()));
        proxy.onRequest(
                ClientMethods.REQUEST_PERMISSION,
                (question, hop) -> hop.answer(RequestPermissionResponse.of(RequestPermissionOutcome.Selected.of(
                        question.options().get(0).optionId()))));
        return proxy.build();
    }

    private static Method<PromptRequest, PromptResponse> request(String name) {
        return Method.request(name, Method.Side.BOTH, AgentMethods.PROMPT.params(), AgentMethods.PROMPT.result());
    }

    private static Method<CancelNotification, Void> notification(String name) {
        return Method.notification(name, Method.Side.BOTH, AgentMethods.CANCEL.params());
    }

    /** Adds its name, and then its method, to whatever is called {@code _raw/…}: a raw interceptor and a typed one. */
    private static Proxy tagging(String name) {
        Proxy.Builder proxy = Proxy.builder(name, "1");
        for (Method.Side to : List.of(Method.Side.AGENT, Method.Side.CLIENT)) {
            proxy.onRequests(
                    to,
                    method -> method.startsWith("_raw/"),
                    (params, hop) -> tagged(hop.forward(with(params, name)), name + hop.method()));
            proxy.onNotifications(
                    to, method -> method.startsWith("_raw/"), (params, hop) -> hop.forward(with(params, name)));
        }
        return proxy.onRequest(
                        Method.rawRequest("_raw/both", Method.Side.BOTH),
                        (params, hop) -> hop.forward(with(params, name + "-typed")))
                .build();
    }

    private static Answer<RawJson> tagged(Answer<RawJson> answer, String tag) {
        return answer.with(with(answer.result(), tag));
    }

    private static RawJson with(RawJson tags, String tag) {
        String came = tags.toString();
        return RawJson.parse(came.substring(0, came.length() - 2) + "," + RawJson.string(tag) + "]}");
    }

    private static Proxy throwing(Proxy.Builder proxy) {
        return proxy.onRequests(Method.Side.AGENT, "_fail"::equals, (params, hop) -> {
                    throw new IllegalStateException("a secret");
                })
                .onNotifications(Method.Side.AGENT, "_fail/note"::equals, (params, hop) -> {
                    throw new IllegalStateException("a secret");
                })
                .onNotifications(Method.Side.CLIENT, "_fail/deep"::equals, (params, hop) -> {
                    throw new StackOverflowError();
                })
                .onNotification(ClientMethods.UPDATE, (params, hop) -> hop.forward())
                .build();
    }

    /** Waits for what never comes, asks by itself, and keeps cancellations to itself. */
    private static Proxy waiting() {
        return Proxy.builder("waiting", "1")
                .onRequests(Method.Side.AGENT, "_wait"::equals, (params, hop) -> {
                    hop.agent().send(Method.rawNotification("_waits", Method.Side.AGENT), params);
                    new Semaphore(0).acquire();
                    return hop.forward();
                })
                .onRequests(
                        Method.Side.AGENT,
                        "_ask"::equals,
                        (params, hop) -> hop.answer(hop.agent().call("_own", params)))
                .onRequests(Method.Side.AGENT, "_absorb"::equals, (params, hop) -> {
                    boolean unused = hop.ignoreCancellation();
                    return hop.forward();
                })
                .onPrompt((prompt, hop) -> {
                    hop.agent().send(Method.rawNotification("_waits", Method.Side.AGENT), RawJson.EMPTY_OBJECT);
                    new Semaphore(0).acquire();
                    return hop.forward();
                })
                .build();
    }

    /** Says something of its own at the first prompt of a session; if unseen, it goes on when that fails. */
    private static Proxy leading(boolean isShown) {
        SessionState<AtomicBoolean> led = SessionState.of(opening -> new AtomicBoolean());
        List<ContentBlock> own = List.of(ContentBlock.text("Be a sceptic."));
        return Proxy.builder("leading", "1")
                .state(led)
                .onPrompt((prompt, hop) -> {
                    if (!hop.state(led).getAndSet(true) && isShown) {
                        hop.promptFirst(own, (update, shown) -> shown.forward());
                    } else if (!isShown) {
                        unseen(hop, own);
                    }
                    return hop.forward();
                })
                .build();
    }

    private static void unseen(RequestHop<PromptRequest, ?> hop, List<ContentBlock> own) throws Exception {
        try {
            hop.promptFirst(own, (update, unseen) -> {});
        } catch (RpcException e) {
            // It is of use only, not needed.
        }
    }

    /** Takes itself for a conductor, and answers with what it is told. */
    private static Proxy confused() {
        return Proxy.builder("confused", "1")
                .onRequests(Method.Side.AGENT, "_confuse"::equals, (params, hop) -> {
                    List<String> told = new ArrayList<>();
                    for (Neighbour neighbour : List.of(hop.agent(), hop.client())) {
                        try {
                            told.add(neighbour
                                    .call("proxy/initialize", RawJson.parse("{\"protocolVersion\":1}"))
                                    .toString());
                        } catch (RpcError e) {
                            told.add(e.code() + " " + e.message());
                        }
                    }
                    return hop.answer(RawJson.string(String.join("; ", told)));
                })
                .build();
    }

    /** Has the agent review something in a session of its own, and answers with what it says. */
    private static Proxy reviewing() {
        return Proxy.builder("reviewing", "1")
                .onRequests(Method.Side.AGENT, "_review"::equals, (params, hop) -> {
                    hop.letOthersPass();
                    Client.Builder reviewer =
                            Client.builder("reviewer", "1").onReadTextFile((session, request) -> "the proxy's");
                    try (ConnectedAgent agent = reviewer.connect(hop.ownTransport())) {
                        Session own = agent.newSession(Path.of("/"));
                        return hop.answer(RawJson.string(own.prompt("Review.").text()));
                    }
                })
                .build();
    }

    /** Says something of each session as soon as it is open, and asks the user before each prompt. */
    private static Proxy speaking() {
        return Proxy.builder("speaking", "1")
                .onRequest(AgentMethods.NEW_SESSION, (params, hop) -> {
                    Answer<NewSessionResponse> answer = hop.forward();
                    hop.client()
                            .send(
                                    ClientMethods.UPDATE,
                                    SessionNotification.of(
                                            answer.result().sessionId(),
                                            ToolCall.builder(hop.newToolCallId(), "Looking around")
                                                    .build()));
                    return answer;
                })
                .onRequest(AgentMethods.PROMPT, (prompt, hop) -> {
                    SessionId session = prompt.sessionId();
                    RequestPermissionResponse unused = hop.client()
                            .call(
                                    ClientMethods.REQUEST_PERMISSION,
                                    RequestPermissionRequest.of(
                                            session,
                                            ToolCallUpdate.builder(hop.newToolCallId())
                                                    .build(),
                                            List.of()));
                    try {
                        ReadTextFileResponse none = hop.client()
                                .call(
                                        ClientMethods.READ_TEXT_FILE,
                                        ReadTextFileRequest.builder(session, "/a")
                                                .build());
                        throw new AssertionError("not offered, but answered: " + none);
                    } catch (IllegalStateException e) {
                        return hop.forward(prompt.append(ContentBlock.text(String.valueOf(e.getMessage()))));
                    }
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
