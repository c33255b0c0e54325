package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a proxy does that is seen best between two ends in one JVM. */
@Timeout(60)
class ProxyTest {
    private final List<String> wire = Peer.newWire();
    private final MemoryTransport.Pair clientSide = MemoryTransport.pair();
    private final MemoryTransport.Pair agentSide = MemoryTransport.pair();
    private final Peer client = new Peer("client", clientSide.right(), wire);
    private final Peer agent = new Peer("agent", agentSide.right(), wire);
    private final LinkedBlockingQueue<Problem> problems = new LinkedBlockingQueue<>();

    private final List<AutoCloseable> open = new ArrayList<>(List.of(client, agent));

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable closeable : open) {
            closeable.close();
        }
    }

    private RunningProxy join(Proxy.Builder proxy, int version) throws Exception {
        RunningProxy running = proxy.onProblem(problems::add).build().join(clientSide.left(), agentSide.left());
        open.add(running);
        String said = "{\"protocolVersion\":" + version + "}";
        client.request("0", "initialize", said);
        agent.answer(agent.receive(), said);
        assertThat(client.receive().result()).hasToString(said);
        return running;
    }

    private Problem problem() throws InterruptedException {
        Problem problem = problems.poll(30, TimeUnit.SECONDS);
        assertThat(problem).as("a problem").isNotNull();
        return problem == null ? new Problem(Problem.Kind.NOISE, "", null) : problem;
    }

    @Test
    @Tag("PXL-03")
    @Tag("PRX-01")
    void theFirstMessageSaysWhichDialectTheConductorSpeaks() throws Exception {
        for (String dialect : List.of("proxy", "_proxy")) {
            MemoryTransport.Pair pair = MemoryTransport.pair();
            Peer conductor = new Peer("conductor", pair.right(), wire);
            Thread proxy = serve(pair);
            conductor.request("1", dialect + "/initialize", "{\"protocolVersion\":1}");
            Message asked = conductor.receive();
            assertThat(asked.raw())
                    .asString()
                    .contains("\"method\":\"" + dialect + "/successor\"")
                    .contains("{\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}");
            conductor.answer(asked, "{\"protocolVersion\":1}");
            assertThat(conductor.receive().result()).hasToString("{\"protocolVersion\":1}");
            conductor.close();
            proxy.join();
        }
    }

    @Test
    @Tag("PXL-03")
    @Tag("RTR-14")
    void whoTakesAProxyForAnAgentGetsASentenceHowToStartIt() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Peer client = new Peer("client", pair.right(), wire);
        Thread proxy = serve(pair);
        client.request("1", "initialize", "{\"protocolVersion\":1}");
        assertThat(client.receive().error())
                .asString()
                .contains("This is a proxy")
                .contains("acp conduct");
        client.send("hello?");
        assertThat(problem().detail()).contains("This is a proxy").contains("acp conduct");
        client.close();
        proxy.join();
    }

    private Thread serve(MemoryTransport.Pair pair) {
        return serve(Proxy.builder("nothing", "1").onProblem(problems::add).build(), pair);
    }

    private static Thread serve(Proxy proxy, MemoryTransport.Pair pair) {
        return Thread.ofPlatform().start(() -> {
            try {
                proxy.serve(pair.left());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Test
    @Tag("CON-19")
    void whoWaitsBeforeASessionIsOpenedStillAnswersTheNeutralRequest() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Peer conductor = new Peer("conductor", pair.right(), wire);
        CountDownLatch decided = new CountDownLatch(1);
        Proxy thoughtful = Proxy.builder("thoughtful", "1")
                .onRequest(AgentMethods.NEW_SESSION, (params, hop) -> {
                    decided.await();
                    return hop.forward();
                })
                .build();
        Thread proxy = serve(thoughtful, pair);
        conductor.request("1", "proxy/initialize", "{\"protocolVersion\":1}");
        conductor.answer(conductor.receive(), "{\"protocolVersion\":1}");
        assertThat(conductor.receive().result()).isNotNull();

        conductor.request("2", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        conductor.request("3", "_acp4j/ping", "{}");

        assertThat(conductor.receive().id()).hasToString("3");
        decided.countDown();
        assertThat(conductor.receive().raw()).asString().contains("session/new");
        conductor.close();
        proxy.join();
    }

    @Test
    @Tag("PXL-14")
    void aPromptThatWasCancelledInTheQueueIsForgotten() throws Exception {
        join(
                Proxy.builder("waiting", "1").onPrompt((prompt, hop) -> {
                    hop.agent().send(Method.rawNotification("_waits", Method.Side.AGENT), RawJson.EMPTY_OBJECT);
                    new CountDownLatch(1).await();
                    return hop.forward();
                }),
                1);
        String prompt = "{\"sessionId\":\"s\",\"prompt\":[]}";
        client.request("1", "session/prompt", prompt);
        assertThat(agent.receive().method()).isEqualTo("_waits");
        client.request("2", "session/prompt", prompt);
        client.notify("$/cancel_request", "{\"requestId\":2}");
        client.notify("$/cancel_request", "{\"requestId\":1}");
        assertThat(client.receive().error()).asString().contains("-32800");
        assertThat(client.receive().error()).asString().contains("-32800");

        // There is nothing left to cancel here, so this is the agent's.
        client.notify("session/cancel", "{\"sessionId\":\"s\"}");
        assertThat(agent.receive().method()).isEqualTo("session/cancel");
    }

    @Test
    @Tag("PXL-12")
    @Tag("PXL-14")
    void sessionCancelReachesAnInterceptorThatGoesOnBehindTheAnswer() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        List<Boolean> cancelled = new CopyOnWriteArrayList<>();
        join(
                Proxy.builder("reviewing", "1").onPrompt((prompt, hop) -> {
                    hop.forward();
                    answered.countDown();
                    try {
                        new CountDownLatch(1).await();
                        throw new AssertionError("nobody counts down");
                    } finally {
                        cancelled.add(hop.isCancelled());
                    }
                }),
                1);
        client.request("1", "session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]}");
        agent.answer(agent.receive(), "{\"stopReason\":\"end_turn\"}");
        assertThat(answered.await(30, TimeUnit.SECONDS)).isTrue();

        client.notify("session/cancel", "{\"sessionId\":\"s\"}");

        assertThat(client.receive().result()).hasToString("{\"stopReason\":\"cancelled\"}");
        assertThat(cancelled).containsExactly(true);
    }

    @Test
    @Tag("PXL-23")
    void anInitializationThatIsRefusedChangesNoVersionThatWasAgreedOn() throws Exception {
        List<Version> versions = new CopyOnWriteArrayList<>();
        join(
                Proxy.builder("versions", "1").onPrompt((prompt, hop) -> {
                    versions.add(hop.version());
                    return hop.forward();
                }),
                2);
        client.request("1", "initialize", "{\"protocolVersion\":1}");
        agent.fail(agent.receive(), "{\"code\":-32600,\"message\":\"again?\"}");
        assertThat(client.receive().error()).asString().contains("again?");

        client.request("2", "session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]}");
        agent.answer(agent.receive(), "{\"messageId\":\"m\"}");
        assertThat(client.receive().id()).hasToString("2");
        assertThat(versions).containsExactly(Version.V2);
    }

    @Test
    @Tag("PXL-12")
    void anInterceptorThatIsStuckIsReportedAndEndedByItsLimit() throws Exception {
        Semaphore never = new Semaphore(0);
        Duration report = Duration.ofMillis(500);
        join(
                Proxy.builder("slow", "1")
                        .patience(report, Duration.ofSeconds(1))
                        .onRequests(Method.Side.AGENT, "_stuck"::equals, (params, hop) -> {
                            never.acquire();
                            return hop.forward();
                        })
                        .onNotifications(Method.Side.CLIENT, "session/update"::equals, (params, hop) -> {
                            if (params.toString().contains("stuck")) {
                                never.acquire();
                            }
                            hop.forward();
                        })
                        .onRequests(Method.Side.AGENT, "_patient"::equals, (params, hop) -> hop.forward()),
                1);

        // What waits for the agent is not stuck, and its session goes on beside others.
        client.request("1", "_patient", "{\"sessionId\":\"p\"}");
        Message patient = agent.receive();
        client.request("2", "_stuck", "{\"sessionId\":\"s\"}");
        Problem stuck = problem();
        assertThat(stuck.kind()).isEqualTo(Problem.Kind.HANDLER_STUCK);
        assertThat(stuck.detail())
                .contains("_stuck of session s: the interceptor of slow has not returned")
                .contains("Semaphore.acquire");
        assertThat(client.receive().error()).asString().contains("-32603").doesNotContain("slow");
        assertThat(problem().kind()).isEqualTo(Problem.Kind.INTERCEPTOR_FAILED);
        agent.notify("session/update", "{\"sessionId\":\"s\",\"update\":\"stuck\"}");
        assertThat(client.receive().params()).asString().contains("stuck");
        assertThat(problem().kind()).isEqualTo(Problem.Kind.HANDLER_STUCK);
        assertThat(problem().kind()).isEqualTo(Problem.Kind.INTERCEPTOR_FAILED);
        agent.answer(patient, "{}");
        assertThat(client.receive().id()).hasToString("1");
        assertThat(problems).isEmpty();
    }

    @Test
    @Tag("PXL-06")
    void eachMethodOfEachVersionHasATypedInterceptor() throws Exception {
        List<Method<?, ?>> methods = new ArrayList<>();
        for (Class<?> catalogue : List.of(AgentMethods.class, ClientMethods.class)) {
            for (var field : catalogue.getFields()) {
                if (field.get(null) instanceof Method<?, ?> method
                        && !method.name().equals("initialize")
                        && !method.name().startsWith("proxy/")) {
                    methods.add(method);
                }
            }
        }
        for (int version = 1; version <= 2; version++) {
            all(methods, version == 1 ? Version.V1 : Version.V2);
        }
        assertThat(methods).hasSizeGreaterThan(40);
    }

    private void all(List<Method<?, ?>> methods, Version version) throws Exception {
        MemoryTransport.Pair toClient = MemoryTransport.pair();
        MemoryTransport.Pair toAgent = MemoryTransport.pair();
        Proxy.Builder proxy = Proxy.builder("all", "1").onProblem(problems::add);
        for (Method<?, ?> method : methods) {
            seeing(proxy, method);
        }
        Peer there = new Peer("agent", toAgent.right(), wire);
        Peer here = new Peer("client", toClient.right(), wire);
        open.addAll(List.of(here, there, proxy.build().join(toClient.left(), toAgent.left())));
        here.request("0", "initialize", "{\"protocolVersion\":" + version.number() + "}");
        there.answer(there.receive(), "{\"protocolVersion\":" + version.number() + "}");
        assertThat(here.receive().isError()).isFalse();
        problems.clear();
        for (Method<?, ?> method : methods) {
            if (!Entry.request(method.side(), method, (params, hop) -> hop.forward())
                    .exists(version)) {
                continue;
            }
            // Without their params, they are decoded as what they are, or reported as what they should be.
            Peer from = method.side() == Method.Side.CLIENT ? there : here;
            Peer to = method.side() == Method.Side.CLIENT ? here : there;
            if (method.isNotification()) {
                from.notify(method.name(), "{}");
            } else {
                from.request("1", method.name(), "{}");
            }
            Message came = to.receive();
            assertThat(came.method()).isEqualTo(method.name());
            assertThat(problem().detail()).startsWith(method.name());
            if (!method.isNotification()) {
                to.answer(came, "{}");
                assertThat(from.receive().id()).hasToString("1");
            }
        }
    }

    /** Reports what it sees by throwing behind it. */
    private <P, R> void seeing(Proxy.Builder proxy, Method<P, R> method) {
        if (method.isNotification()) {
            @SuppressWarnings("unchecked") // That is what a notification is.
            Method<P, Void> notification = (Method<P, Void>) method;
            proxy.onNotification(notification, (params, hop) -> {
                seen(method);
                hop.forward(params);
            });
        } else {
            proxy.onRequest(method, (params, hop) -> {
                seen(method);
                return hop.forward(params);
            });
        }
    }

    private void seen(Method<?, ?> method) {
        problems.add(new Problem(Problem.Kind.INTERCEPTOR_FAILED, method.name() + " is seen", null));
    }

    @Test
    @Tag("PXL-05")
    void whatTheVersionLacksAndWhatNobodyServesIsReportedAtTheInitialization() throws Exception {
        Proxy.Builder proxy = Proxy.builder("promising", "1")
                .onProblem(problems::add)
                .onRequest(AgentMethods.LOGIN, (params, hop) -> hop.forward())
                .onRequest(AgentMethods.CLOSE_SESSION, (params, hop) -> hop.forward())
                .onRequests(
                        Method.Side.AGENT,
                        "initialize"::equals,
                        (params, hop) -> hop.forward()
                                .with(
                                        RawJson.parse(
                                                "{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true,\"sessionCapabilities\":{\"close\":{},\"list\":{}}}}")));
        open.add(proxy.build().join(clientSide.left(), agentSide.left()));
        client.request("0", "initialize", "{\"protocolVersion\":1}");
        agent.answer(
                agent.receive(),
                "{\"protocolVersion\":1,\"agentCapabilities\":{\"sessionCapabilities\":{\"list\":{}}}}");
        assertThat(client.receive().isError()).isFalse();

        assertThat(problem().detail())
                .contains("promising")
                .contains("auth/login")
                .contains("version 1");
        assertThat(problem().detail())
                .contains("promising")
                .contains("loadSession")
                .contains("session/load");
        assertThat(problems).isEmpty();
    }

    @Test
    @Tag("PXL-11")
    void whatAnInterceptorThrowsIsReported() throws Exception {
        Proxy.Builder proxy = Proxy.builder("failing", "1")
                .onRequests(Method.Side.AGENT, "_fail"::equals, (params, hop) -> {
                    throw new IllegalStateException("of the request");
                })
                .onNotifications(Method.Side.AGENT, "_fail"::equals, (params, hop) -> {
                    throw new IllegalStateException("of the notification");
                })
                .filter();
        RunningProxy unused = join(proxy, 1);
        client.request("1", "_fail", "{}");
        assertThat(client.receive().isError()).isTrue();
        assertThat(problem().detail()).contains("_fail").contains("of the request");
        client.notify("_fail", "{}");
        assertThat(problem().detail())
                .contains("failing")
                .contains("went no further")
                .contains("of the notification");
    }

    @Test
    @Tag("PXL-11")
    void eachOfTheProxiesThatAreJoinedHearsOfItsOwnProblems() throws Exception {
        LinkedBlockingQueue<Problem> others = new LinkedBlockingQueue<>();
        Proxy failing = Proxy.builder("failing", "1")
                .onProblem(problems::add)
                .onRequests(Method.Side.AGENT, "_fail"::equals, (params, hop) -> {
                    throw new IllegalStateException("of the request");
                })
                .build();
        Proxy other = Proxy.builder("other", "1").onProblem(others::add).build();
        open.add(other.then(failing).join(clientSide.left(), agentSide.left()));

        client.request("1", "_fail", "{}");

        assertThat(client.receive().isError()).isTrue();
        assertThat(problem().detail())
                .contains("the interceptor of failing failed")
                .contains("of the request");
        assertThat(others).isEmpty();
    }

    @Test
    @Tag("PRX-25")
    @Tag("ERR-15")
    void anAnswerThatCannotBeReadIsAnErrorForTheClientAndNothingElse() throws Exception {
        List<String> opened = new CopyOnWriteArrayList<>();
        RunningProxy unused = join(
                Proxy.builder("reading", "1")
                        .state(SessionState.of(opening -> opened.add("state")))
                        .onRequest(AgentMethods.NEW_SESSION, (params, hop) -> {
                            var answer = hop.forward();
                            opened.add(answer.result().sessionId().value());
                            return answer;
                        }),
                1);
        client.request("1", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        agent.answer(agent.receive(), "{\"sessionId\":7}");
        assertThat(client.receive().error()).asString().contains("-32603");
        assertThat(opened).isEmpty();
        answered("session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}", "{\"sessionId\":\"s\"}");
        assertThat(opened).containsExactlyInAnyOrder("state", "s");
    }

    // ---- observers

    @Test
    @Tag("PXL-10")
    void anObserverThatIsStuckHoldsUpNothingAndLearnsHowMuchItHasMissed() throws Exception {
        Semaphore goOn = new Semaphore(0);
        LinkedBlockingQueue<Observation> seen = new LinkedBlockingQueue<>();
        RunningProxy running = join(
                Proxy.builder("watching", "1").observe(observation -> {
                    goOn.acquire();
                    seen.add(observation);
                }),
                1);
        int messages = 2 * Watcher.MESSAGES;
        for (int i = 0; i < messages; i++) {
            agent.notify("_told", "{\"n\":" + i + "}");
            assertThat(client.receive().params()).hasToString("{\"n\":" + i + "}");
        }
        Problem problem = problem();
        assertThat(problem.kind()).isEqualTo(Problem.Kind.OBSERVER_TOO_SLOW);
        assertThat(problem.detail()).contains("watching").contains("_told");

        // One is with the observer, and as many as the queue takes are in it.
        goOn.release(Watcher.MESSAGES);
        for (int i = 0; i < Watcher.MESSAGES; i++) {
            assertThat(seen.take().dropped()).isZero();
        }
        client.request("1", "_asked", "{}");
        agent.answer(agent.receive(), "{\"x\":1.50}");
        assertThat(client.receive().result()).hasToString("{\"x\":1.50}");
        goOn.release(messages);
        long dropped = 0;
        Observation last = seen.take();
        while (!last.message().kind().isResponse()) {
            dropped += last.dropped();
            last = seen.take();
        }
        // The initialization is a request and an answer, and the first of what was told is taken out at once.
        assertThat(dropped).isBetween((long) Watcher.MESSAGES, Watcher.MESSAGES + 2L);
        assertThat(last.method()).isEqualTo("_asked");
        assertThat(last.request()).hasToString("1");
        assertThat(last.to()).isEqualTo(Method.Side.CLIENT);
        assertThat(last.message().result()).hasToString("{\"x\":1.50}");
        assertThat(problems).isEmpty();
        running.close();
    }

    @Test
    @Tag("PXL-10")
    void anObserverSeesWhatPassesWhereItStandsAndCanThrow() throws Exception {
        LinkedBlockingQueue<Observation> seen = new LinkedBlockingQueue<>();
        Proxy observer = Proxy.builder("watching", "1")
                .onProblem(problems::add)
                .observe(observation -> {
                    seen.add(observation);
                    throw new IllegalStateException("no more");
                })
                .build();
        Proxy all = SampleProxies.named("brief").then(observer).then(SampleProxies.named("polite"));
        open.add(all.join(clientSide.left(), agentSide.left()));
        client.request("0", "initialize", "{\"protocolVersion\":1}");
        agent.answer(agent.receive(), "{\"protocolVersion\":1}");
        assertThat(client.receive().isError()).isFalse();
        answeredPrompt();

        assertThat(List.of(seen.take().method(), seen.take().method())).containsExactly("initialize", "initialize");
        Observation asked = seen.take();
        assertThat(asked.to()).isEqualTo(Method.Side.AGENT);
        assertThat(asked.message().params()).asString().contains("Be brief.").doesNotContain("please");
        Observation answer = seen.take();
        assertThat(answer.request()).isEqualTo(asked.request());
        assertThat(answer.message().result()).hasToString("{\"stopReason\":\"end_turn\"}");
        assertThat(problem().detail()).contains("the observer of watching failed");
    }

    private void answeredPrompt() throws Exception {
        client.request("1", "session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]}");
        agent.answer(agent.receive(), "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().isError()).isFalse();
    }

    // ---- envelopes

    @Test
    @Tag("CAN-17")
    @Tag("PRX-12")
    void aRequestInAnEnvelopeIsCancelledByABareMessageWithTheIdOfTheEnvelope() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Peer conductor = new Peer("conductor", pair.right(), wire);
        Thread proxy = serve(pair);
        conductor.request("1", "proxy/initialize", "{\"protocolVersion\":1}");
        conductor.answer(conductor.receive(), "{\"protocolVersion\":1}");
        assertThat(conductor.receive().isError()).isFalse();

        conductor.request("2", "_own", "{}");
        Message wrapped = conductor.receive();
        conductor.notify("$/cancel_request", "{\"requestId\":2}");
        assertThat(conductor.receive().raw())
                .hasToString("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":"
                        + wrapped.id() + "}}");
        conductor.close();
        proxy.join();
    }

    @Test
    @Tag("PRX-07")
    @Tag("PXL-15")
    @Tag("SCH-15")
    void theMetadataOfAnEnvelopeIsForOneHopAndThatOfAMessageForAll() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Peer conductor = new Peer("conductor", pair.right(), wire);
        Proxy marking = Proxy.builder("marking", "1")
                .onRequests(Method.Side.AGENT, "_mark"::equals, (params, hop) -> {
                    assertThat(hop.envelopeMeta()).isEqualTo(Meta.EMPTY);
                    hop.envelopeMeta(Meta.of(Meta.TRACEPARENT, "00-1"));
                    return hop.forward();
                })
                .onNotifications(Method.Side.CLIENT, "_marked"::equals, (params, hop) -> {
                    String came = hop.envelopeMeta().raw().toString();
                    hop.forward(RawJson.parse("{\"came\":" + came + "}"));
                })
                .onNotifications(Method.Side.AGENT, "_marked"::equals, (params, hop) -> {
                    hop.envelopeMeta(Meta.of(Meta.TRACEPARENT, "00-2"));
                    hop.forward();
                })
                .build();
        Thread proxy = serve(marking, pair);
        conductor.request("1", "proxy/initialize", "{\"protocolVersion\":1}");
        conductor.answer(conductor.receive(), "{\"protocolVersion\":1}");
        assertThat(conductor.receive().isError()).isFalse();

        String own = "{\"_meta\":{\"traceparent\":\"00-0\",\"x\":1.50}}";
        conductor.request("2", "_mark", own);
        Message there = conductor.receive();
        assertThat(there.raw())
                .asString()
                .endsWith("{\"method\":\"_mark\",\"params\":" + own + ",\"_meta\":{\"traceparent\":\"00-1\"}}}");
        conductor.answer(there, "{}");
        assertThat(conductor.receive().result()).hasToString("{}");
        conductor.notify("_marked", own);
        assertThat(conductor.receive().raw()).asString().endsWith(",\"_meta\":{\"traceparent\":\"00-2\"}}}");

        conductor.notify("proxy/successor", "{\"_meta\":{\"hop\":1.50},\"method\":\"_marked\",\"params\":" + own + "}");
        assertThat(conductor.receive().params()).hasToString("{\"came\":{\"hop\":1.50}}");
        conductor.notify("proxy/successor", "{\"meta\":{\"hop\":2},\"method\":\"_marked\"}");
        assertThat(conductor.receive().params()).hasToString("{\"came\":{\"hop\":2}}");
        conductor.notify("proxy/successor", "{\"_meta\":{\"hop\":3},\"method\":\"_other\",\"params\":" + own + "}");
        assertThat(conductor.receive().raw()).asString().contains(own).doesNotContain("hop");
        conductor.close();
        proxy.join();
    }

    @Test
    @Tag("PXL-26")
    void aClientThatDoesNotReadStopsTheAgentBehindThreeHops() throws Exception {
        int bound = 64 * 1024;
        Limits limits = Limits.STANDARD.withQueueBytes(bound, bound);
        MemoryTransport.Pair first = MemoryTransport.pair(bound);
        MemoryTransport.Pair last = first;
        for (int hop = 0; hop < 3; hop++) {
            MemoryTransport.Pair next = MemoryTransport.pair(bound);
            open.add(Proxy.builder("hop", "1")
                    .limits(limits)
                    .onNotifications(Method.Side.CLIENT, "_slow"::equals, (params, forward) -> forward.forward())
                    .build()
                    .join(last.right(), next.left()));
            last = next;
        }
        Peer reader = new Peer("reader", first.left(), wire);
        Peer writer = new Peer("writer", last.right(), wire);
        open.addAll(0, List.of(reader, writer));
        String params = "{\"sessionId\":\"s\",\"text\":\"" + "x".repeat(8 * 1024) + "\"}";
        int messages = 4_000;
        AtomicInteger written = new AtomicInteger();
        FutureTask<Boolean> writing = new FutureTask<>(() -> {
            for (int i = 0; i < messages; i++) {
                writer.notify(i % 2 == 0 ? "_slow" : "_own", params);
                written.incrementAndGet();
            }
            return true;
        });
        Thread.ofPlatform().daemon().start(writing);

        assertThatThrownBy(() -> writing.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
        // Each hop has a lane and an outbox, each connection a pipe, and each place one message beyond its bound.
        int most = 3 * 2 + 4;
        for (int read = 0; read < messages; read++) {
            long inside = (long) (written.get() - read) * params.length();
            assertThat(inside).isLessThanOrEqualTo(most * (bound + 2L * params.length()));
            assertThat(reader.receive().params()).hasToString(params);
        }
        assertThat(writing.get()).isTrue();
    }

    @Test
    @Tag("PXL-20")
    void theStateOfASessionEndsWithItAndWithTheConnection() throws Exception {
        LinkedBlockingQueue<String> ended = new LinkedBlockingQueue<>();
        Proxy.Builder proxy = Proxy.builder("ending", "1")
                .state(SessionState.of(opening -> opening.session().value(), ended::add));
        RunningProxy running = join(proxy, 1);
        for (String session : List.of("a", "b", "c", "d")) {
            answered("session/new", "{\"cwd\":\"/\"}", "{\"sessionId\":\"" + session + "\"}");
        }
        answered("session/close", "{\"sessionId\":\"a\"}", "{}");
        answered("session/delete", "{\"sessionId\":\"b\"}", "{}");
        assertThat(ended).containsExactly("a", "b");
        client.close();
        running.awaitClosed();
        assertThat(ended).containsExactlyInAnyOrder("a", "b", "c", "d");
    }

    @Test
    @Tag("PXL-20")
    void theStateOfASessionThatOpensWhileItsConnectionEndsEndsToo() throws Exception {
        LinkedBlockingQueue<String> ended = new LinkedBlockingQueue<>();
        CountDownLatch firstHasEnded = new CountDownLatch(1);
        SessionState<String> state =
                SessionState.of(opening -> opening.session().value(), session -> {
                    ended.add(session);
                    firstHasEnded.countDown();
                });
        RunningProxy unused = join(
                Proxy.builder("slow", "1")
                        .state(state)
                        .onRequests(Method.Side.AGENT, "session/new"::equals, (params, hop) -> {
                            var answer = hop.forward();
                            if (answer.raw().session().equals("b")) {
                                client.close();
                                awaitUninterruptibly(firstHasEnded);
                            }
                            return answer;
                        }),
                1);
        answered("session/new", "{\"cwd\":\"/\"}", "{\"sessionId\":\"a\"}");

        client.request("2", "session/new", "{\"cwd\":\"/\"}");
        agent.answer(agent.receive(), "{\"sessionId\":\"b\"}");

        assertThat(List.of(ended.take(), ended.take())).containsExactly("a", "b");
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean isInterrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void answered(String method, String params, String result) throws Exception {
        client.request("1", method, params);
        agent.answer(agent.receive(), result);
        assertThat(client.receive().result()).hasToString(result);
    }

    @Test
    @Tag("PXL-23")
    void proxiesOfDifferentVersionsAreNoChain() {
        Proxy first = Proxy.builder("first", "1").protocol(Version.V1).build();
        Proxy second = Proxy.builder("second", "1").protocol(Version.V2).build();
        assertThatThrownBy(() -> first.then(second))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("first")
                .hasMessageContaining("second");
    }

    @Test
    void promptsOfItsOwnBelongToAPromptThatIsHeld() throws Exception {
        LinkedBlockingQueue<String> failures = new LinkedBlockingQueue<>();
        Proxy.Builder proxy = Proxy.builder("late", "1")
                .onPrompt((prompt, hop) -> {
                    var answer = hop.forward();
                    failures.add(failure(() -> hop.promptFirst(prompt.prompt(), (update, shown) -> {})));
                    return answer;
                })
                .onRequest(AgentMethods.SET_MODE, (params, hop) -> {
                    failures.add(failure(() -> hop.promptFirst(List.of(), (update, shown) -> {})));
                    return hop.forward();
                });
        RunningProxy unused = join(proxy, 1);
        answered("session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]}", "{\"stopReason\":\"end_turn\"}");
        answered("session/set_mode", "{\"sessionId\":\"s\",\"modeId\":\"m\"}", "{}");
        assertThat(failures.take()).contains("was forwarded");
        assertThat(failures.take()).contains("session/set_mode is no prompt");
    }

    private static String failure(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        Throwable thrown = org.assertj.core.api.Assertions.catchThrowable(call);
        return String.valueOf(thrown == null ? null : thrown.getMessage());
    }

    @Test
    void aRequestThatGoesOnAsAnotherMethodIsThatForTheProxiesBehindAndOpensItsSession() throws Exception {
        SessionState<List<String>> opened = SessionState.of(opening -> new ArrayList<>(List.of(opening.method())));
        Proxy.Builder first = Proxy.builder("first", "1")
                .onRequests(
                        Method.Side.AGENT,
                        "session/load"::equals,
                        (params, hop) -> hop.forwardAs("session/new", RawJson.parse("{\"own\":1.50}")));
        Proxy second = Proxy.builder("second", "1")
                .state(opened)
                .onRequests(Method.Side.AGENT, "session/load"::equals, (params, hop) -> {
                    throw new AssertionError("it is none any more");
                })
                .onRequests(
                        Method.Side.AGENT,
                        "session/new"::equals,
                        (params, hop) -> hop.forward(RawJson.parse("{\"own\":1.50,\"second\":true}")))
                .onNotifications(Method.Side.CLIENT, "_said"::equals, (params, hop) -> {
                    hop.state(opened).add("said");
                    hop.forward(RawJson.parse(
                            "{\"seen\":" + RawJson.string(hop.state(opened).toString()) + "}"));
                })
                .build();
        open.add(first.onProblem(problems::add).build().then(second).join(clientSide.left(), agentSide.left()));
        client.request("0", "initialize", "{\"protocolVersion\":1}");
        agent.answer(agent.receive(), "{\"protocolVersion\":1}");
        client.receive();

        client.request("1", "session/load", "{\"sessionId\":\"s\"}");
        Message there = agent.receive();
        assertThat(there.method()).isEqualTo("session/new");
        assertThat(there.params()).hasToString("{\"own\":1.50,\"second\":true}");
        agent.answer(there, "{\"sessionId\":\"n\"}");
        assertThat(client.receive().result()).hasToString("{\"sessionId\":\"n\"}");
        agent.notify("_said", "{\"sessionId\":\"n\"}");
        assertThat(client.receive().params()).hasToString("{\"seen\":\"[session/new, said]\"}");
    }

    @Test
    void anAnswerThatIsGivenUpIsAnErrorAndTheRequestIsCancelledAndTheSessionGoesOn() throws Exception {
        Semaphore late = new Semaphore(0);
        join(
                Proxy.builder("late", "1").onRequests(Method.Side.AGENT, "_slow"::equals, (params, hop) -> {
                    Thread.ofPlatform().daemon().start(() -> {
                        late.acquireUninterruptibly();
                        if (!hop.giveUp(RpcError.invalidRequest("too late"))) {
                            throw new AssertionError("nothing was waited for");
                        }
                    });
                    return hop.forward();
                }),
                1);
        client.request("1", "_slow", "{\"sessionId\":\"s\"}");
        Message there = agent.receive();
        late.release();
        assertThat(client.receive().error()).asString().contains("too late");
        assertThat(agent.receive().method()).isEqualTo("$/cancel_request");

        agent.answer(there, "{}");
        agent.notify("_said", "{\"sessionId\":\"s\"}");
        assertThat(client.receive().method()).isEqualTo("_said");
        client.request("2", "_next", "{\"sessionId\":\"s\"}");
        agent.answer(agent.receive(), "{}");
        assertThat(client.receive().id()).hasToString("2");
    }

    @Test
    void whatHasItsPlaceAfterAnAnswerIsBeforeWhatTheAgentSaysNext() throws Exception {
        join(
                Proxy.builder("after", "1").onRequests(Method.Side.AGENT, "session/new"::equals, (params, hop) -> {
                    hop.afterAnswer(() -> {
                        try {
                            hop.client().send("_after", RawJson.parse("{\"sessionId\":\"s\"}"));
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    });
                    return hop.forward();
                }),
                1);
        for (int round = 1; round <= 200; round++) {
            client.request(String.valueOf(round), "session/new", "{}");
            agent.answer(agent.receive(), "{\"sessionId\":\"s\"}");
            agent.notify("_said", "{\"sessionId\":\"s\"}");
            assertThat(client.receive().result()).hasToString("{\"sessionId\":\"s\"}");
            assertThat(client.receive().method()).isEqualTo("_after");
            assertThat(client.receive().method()).isEqualTo("_said");
        }
    }

    @Test
    @Tag("PXL-07")
    void whatAProxySaysItselfPassesThoseBetweenItAndTheOtherSide() throws Exception {
        Proxy.Builder outer = Proxy.builder("outer", "1")
                .onRequests(Method.Side.CLIENT, "_ask"::equals, (params, hop) -> {
                    var answer = hop.forward(RawJson.parse("{\"asked\":" + params + "}"));
                    return answer.with(RawJson.parse("{\"answered\":" + answer.result() + "}"));
                })
                .onRequests(Method.Side.CLIENT, "_refused"::equals, (params, hop) -> {
                    throw RpcError.invalidParams("not here");
                })
                .onNotifications(
                        Method.Side.CLIENT,
                        "_note"::equals,
                        (params, hop) -> hop.forward(RawJson.parse("{\"seen\":" + params + "}")));
        Proxy inner = Proxy.builder("inner", "1")
                .onRequests(Method.Side.CLIENT, "_ask"::equals, (params, hop) -> {
                    throw new AssertionError("it hears itself");
                })
                .onRequests(Method.Side.AGENT, "_go"::equals, (params, hop) -> {
                    hop.client().send(Method.rawNotification("_note", Method.Side.CLIENT), RawJson.parse("{\"n\":1}"));
                    try {
                        RawJson unused = hop.client().call("_refused", RawJson.EMPTY_OBJECT);
                    } catch (RpcError e) {
                        return hop.answer(RawJson.parse(
                                "[" + e.code() + "," + hop.client().call("_ask", RawJson.parse("{\"n\":2}")) + "]"));
                    }
                    return hop.forward();
                })
                .build();
        Proxy both = outer.onProblem(problems::add).build().then(inner);
        RunningProxy running = both.join(clientSide.left(), agentSide.left());
        open.add(running);
        client.request("0", "initialize", "{\"protocolVersion\":1}");
        agent.answer(agent.receive(), "{\"protocolVersion\":1}");
        assertThat(client.receive().result()).isNotNull();

        client.request("1", "_go", "{}");

        assertThat(client.receive().params()).hasToString("{\"seen\":{\"n\":1}}");
        Message asked = client.receive();
        assertThat(asked.params()).hasToString("{\"asked\":{\"n\":2}}");
        client.answer(asked, "3");
        assertThat(client.receive().result()).hasToString("[-32602,{\"answered\":3}]");
    }

    @Test
    void whatIsSaidOfANewSessionWaitsForTheAnswerAlsoWhereTheClientKnowsItByAnotherName() throws Exception {
        Proxy renaming = Proxy.builder("renaming", "1")
                .onRequests(Method.Side.AGENT, "session/new"::equals, (params, hop) -> {
                    Answer<RawJson> answer = hop.forward();
                    return answer.with(RawJson.parse("{\"sessionId\":\"mine\"}"));
                })
                .onNotifications(
                        Method.Side.CLIENT,
                        "_said"::equals,
                        (params, hop) -> hop.forward(RawJson.parse("{\"sessionId\":\"mine\"}")))
                .build();
        Proxy saying = Proxy.builder("saying", "1")
                .onRequests(Method.Side.AGENT, "session/new"::equals, (params, hop) -> {
                    Answer<RawJson> answer = hop.forward();
                    hop.client().send("_said", RawJson.parse("{\"sessionId\":\"theirs\"}"));
                    return answer;
                })
                .build();
        RunningProxy running = renaming.then(saying).join(clientSide.left(), agentSide.left());
        open.add(running);
        client.request("0", "initialize", "{\"protocolVersion\":1}");
        agent.answer(agent.receive(), "{\"protocolVersion\":1}");
        assertThat(client.receive().result()).isNotNull();

        client.request("1", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        agent.answer(agent.receive(), "{\"sessionId\":\"theirs\"}");

        assertThat(client.receive().result()).hasToString("{\"sessionId\":\"mine\"}");
        Message said = client.receive();
        assertThat(said.method()).isEqualTo("_said");
        assertThat(said.session()).isEqualTo("mine");
    }

    @Test
    void observersSeeTheAnswersOfTheClientWhileAProxyOpensASessionOfItsOwn() throws Exception {
        LinkedBlockingQueue<Transport> opened = new LinkedBlockingQueue<>();
        LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();
        join(
                Proxy.builder("owning", "1")
                        .onRequests(Method.Side.AGENT, "_own"::equals, (params, hop) -> {
                            opened.add(hop.ownTransport());
                            return hop.answer(RawJson.EMPTY_OBJECT);
                        })
                        .observe(one -> seen.add(one.method() + " "
                                + one.message().kind() + " " + one.message().session())),
                1);
        client.request("1", "_own", "{}");
        assertThat(client.receive().result()).isNotNull();
        Peer own = new Peer("own", opened.take(), wire);
        open.add(own);
        own.request("0", "initialize", "{\"protocolVersion\":1}");
        assertThat(own.receive().result()).isNotNull();
        own.request("1", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        Message opening = agent.receive();
        agent.request("7", "fs/read_text_file", "{\"sessionId\":\"s\",\"path\":\"/f\"}");
        client.answer(client.receive(), "{\"content\":\"x\"}");
        assertThat(agent.receive().id()).hasToString("7");
        agent.notify("_last", "{\"sessionId\":\"s\"}");
        assertThat(client.receive().method()).isEqualTo("_last");
        agent.answer(opening, "{\"sessionId\":\"o\"}");

        List<String> all = new ArrayList<>();
        for (String next = ""; !next.startsWith("_last"); all.add(next)) {
            next = String.valueOf(seen.poll(30, TimeUnit.SECONDS));
        }
        assertThat(all).contains("fs/read_text_file REQUEST s", "fs/read_text_file RESULT ");
    }
}
