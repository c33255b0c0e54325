package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients whose ways to the server are cut at random bytes, all the time. A build makes some cuts;
 * {@code -Dacp4j.cuts=10000} makes more, and {@code -Dacp4j.soak.seconds=600} has a longer run with restarts.
 */
@Timeout(7200)
class RandomCutsTest {
    private static final int CUTS = Integer.getInteger("acp4j.cuts", 24);
    private static final int SOAK_SECONDS = Integer.getInteger("acp4j.soak.seconds", 2);
    private static final long SEED = Long.getLong("acp4j.seed", 14);
    private static final int CLIENTS = CUTS > 1000 ? 200 : 4;
    private static final String TOKEN = "a-token-that-is-long-enough";

    enum Way {
        EVENTS,
        EVENTS_OVER_HTTP2,
        WEBSOCKET
    }

    @TempDir
    Path folder;

    /** How often each prompt has come, and each question. */
    private final Map<String, AtomicInteger> prompts = new ConcurrentHashMap<>();

    private final Map<String, AtomicInteger> questions = new ConcurrentHashMap<>();
    private final List<CuttingProxy> ways = new ArrayList<>();
    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicInteger unknown = new AtomicInteger();
    private final AtomicInteger restarts = new AtomicInteger();

    /** Turns that have ended, whatever their end. */
    private final Semaphore finished = new Semaphore(0);

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private @Nullable SSLContext ssl;
    private @Nullable Tls tls;

    @BeforeEach
    void certificate() throws Exception {
        KeyStore keys = Certificates.make(folder, "server");
        tls = Tls.of(keys, "secret");
        ssl = Certificates.trusting(keys, "server", null);
    }

    @AfterEach
    void close() throws IOException {
        for (CuttingProxy way : ways) {
            way.close();
        }
        threads.shutdownNow();
    }

    // ---- the agent

    /** Returns what a prompt is answered with, which its name decides. */
    private static List<String> chunks(String prompt) {
        Random random = new Random(SEED ^ prompt.hashCode());
        List<String> chunks = new ArrayList<>();
        int count = random.nextInt(120);
        for (int i = 0; i < count; i++) {
            int length = random.nextInt(20) == 0 ? random.nextInt(8_000) : random.nextInt(200);
            chunks.add(prompt + ":" + i + "x".repeat(length) + " ");
        }
        return chunks;
    }

    /** Returns behind how many chunks a question comes; more than there are for none. */
    private static int question(String prompt) {
        return new Random(SEED + 1 ^ prompt.hashCode()).nextInt(200);
    }

    private Agent agent() {
        return Agent.builder("counter", "1.0")
                .protocol(Version.values())
                .onNewSession(session -> {})
                .onResumeSession(session -> {})
                .onCloseSession(session -> {})
                .onListSessions((client, request) ->
                        ListSessionsResponse.builder(List.of()).build())
                .onPrompt(this::answer)
                .build();
    }

    private void answer(AgentTurn turn) throws InterruptedException {
        String prompt = turn.text();
        int unused = count(prompts, prompt).incrementAndGet();
        int question = question(prompt);
        int at = 0;
        for (String chunk : chunks(prompt)) {
            if (at++ == question) {
                assertThat(turn.toolCall("may " + prompt, ToolKind.EDIT)
                                .requestPermission()
                                .isAllowed())
                        .isTrue();
            }
            turn.message(chunk);
        }
    }

    private static AtomicInteger count(Map<String, AtomicInteger> counts, String name) {
        return counts.computeIfAbsent(name, unused -> new AtomicInteger());
    }

    // ---- the ways

    private RunningServer serve(Way way, Agent agent) throws IOException {
        HttpServer server = Http.on(0)
                .drainTime(Duration.ZERO)
                .tokens(BearerTokens.of("me", TOKEN))
                .allowedHosts(ways.stream().map(CuttingProxy::host).toArray(String[]::new));
        RunningServer running =
                (way == Way.EVENTS_OVER_HTTP2 && tls != null ? server.tls(tls) : server).start(agent::connect);
        ways.forEach(each -> each.leadTo(running.uri()));
        return running;
    }

    private void lay(Way way) throws IOException {
        for (int i = 0; i < CLIENTS; i++) {
            ways.add(new CuttingProxy(way == Way.EVENTS_OVER_HTTP2 ? "https" : "http"));
        }
    }

    private ConnectedAgent connect(int client, Way way, Version version) throws Exception {
        RemoteAgent remote = Http.to(ways.get(client).uri())
                .over(way == Way.WEBSOCKET ? RemoteAgent.Over.WEBSOCKET : RemoteAgent.Over.EVENTS)
                .bearer(() -> TOKEN);
        return Client.builder("asker", "1.0")
                .protocol(version)
                .onPermission(question -> {
                    int unused = count(questions, question.title()).incrementAndGet();
                    return question.allowOnce();
                })
                .connect(ssl == null || way != Way.EVENTS_OVER_HTTP2 ? remote : remote.ssl(ssl));
    }

    private int cuts() {
        return ways.stream().mapToInt(CuttingProxy::cuts).sum();
    }

    private void awaitAll(List<Future<?>> running) throws InterruptedException {
        for (Future<?> each : running) {
            try {
                Object unused = each.get();
            } catch (ExecutionException e) {
                throw new AssertionError("seed " + SEED + ", " + turns + " turns, " + cuts() + " cuts", e.getCause());
            }
        }
    }

    private void note(String what, Way way, long since) throws IOException {
        Files.writeString(
                Files.createDirectories(Path.of("target/cuts")).resolve(what + "-" + way + ".txt"),
                "%d cuts, %d turns, %d of unknown outcome, %d restarts, %d s%n"
                        .formatted(
                                cuts(),
                                turns.get(),
                                unknown.get(),
                                restarts.get(),
                                (System.nanoTime() - since) / 1_000_000_000));
    }

    @ParameterizedTest
    @EnumSource
    @Tag("DUR-05")
    @Tag("DUR-06")
    @Tag("DUR-36")
    @Tag("DUR-41")
    void nothingIsLostDoubledOrLeftUnanswered(Way way) throws Exception {
        long since = System.nanoTime();
        lay(way);
        try (RunningServer server = serve(way, agent())) {
            ways.forEach(each -> each.leadTo(server.uri()));
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                running.add(threads.submit(() -> {
                    ask(client, way);
                    return client;
                }));
            }
            awaitAll(running);
        }
        note("cuts", way, since);

        assertThat(cuts()).isGreaterThanOrEqualTo(CUTS);
        assertThat(prompts).hasSize(turns.get());
        assertThat(prompts.values()).extracting(AtomicInteger::get).containsOnly(1);
        assertThat(questions.keySet())
                .containsExactlyInAnyOrderElementsOf(prompts.keySet().stream()
                        .filter(prompt -> question(prompt) < chunks(prompt).size())
                        .map(prompt -> "may " + prompt)
                        .toList());
        assertThat(questions.values()).extracting(AtomicInteger::get).containsOnly(1);
    }

    private void ask(int client, Way way) throws Exception {
        try (ConnectedAgent agent = connect(client, way, client % 2 == 0 ? Version.V1 : Version.V2)) {
            // Over HTTP/2 the JDK's client drops at a cut what it has received and nobody has read yet.
            int mostBytes = way == Way.EVENTS_OVER_HTTP2 ? 200_000 : 30_000;
            ways.get(client).keepCutting(new Random(SEED + client), mostBytes);
            for (int round = 0; cuts() < CUTS; round++) {
                Session session = agent.newSession(Path.of("/"));
                for (int turn = 0; turn < 3; turn++) {
                    String prompt = client + "." + round + "." + turn;
                    int unused = turns.incrementAndGet();
                    Turn running = session.prompt(prompt);
                    assertThat(agent.listSessions(null)).isEmpty();
                    assertThat(running.text()).isEqualTo(String.join("", chunks(prompt)));
                    assertThat(running.result().stopReason()).isEqualTo(StopReason.END_TURN);
                }
                session.close();
            }
            ways.get(client).stopCutting();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("DUR-32")
    void bothEndsAgreeThroughCutsStallsAndRestarts(Way way) throws Exception {
        long since = System.nanoTime();
        lay(way);
        Agent agent = agent();
        AtomicReference<RunningServer> server = new AtomicReference<>(serve(way, agent));
        try {
            Future<?> restarting = threads.submit(() -> restart(server, way, agent));
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                running.add(threads.submit(() -> {
                    askThroughRestarts(client, way, since + SOAK_SECONDS * 1_000_000_000L);
                    return client;
                }));
            }
            awaitAll(running);
            restarting.cancel(true);
        } finally {
            server.get().close();
        }
        note("soak", way, since);

        assertThat(restarts.get()).isPositive();
        assertThat(prompts.values()).extracting(AtomicInteger::get).containsOnly(1);
        assertThat(unknown.get())
                .as("a restart takes from each client the turn that runs, and at most the one it begins meanwhile")
                .isLessThanOrEqualTo(2 * CLIENTS * restarts.get());
        assertThat(turns.get() - unknown.get()).isPositive();
    }

    private Void restart(AtomicReference<RunningServer> server, Way way, Agent agent) throws Exception {
        for (int after = CLIENTS; true; after = 30 * CLIENTS) {
            finished.acquire(after);
            server.get().close();
            server.set(serve(way, agent));
            int unused = restarts.incrementAndGet();
        }
    }

    /** Asks on and on. A turn may be lost with the server; what came of it is then the beginning of what was said. */
    private void askThroughRestarts(int client, Way way, long until) throws Exception {
        try (ConnectedAgent agent = connect(client, way, client % 2 == 0 ? Version.V1 : Version.V2)) {
            CuttingProxy proxy = ways.get(client);
            proxy.keepStalling(Duration.ofSeconds(1));
            proxy.keepCutting(new Random(SEED + client), 60_000);
            Session session = agent.newSession(Path.of("/"));
            for (int turn = 0; System.nanoTime() < until || restarts.get() == 0; turn++) {
                String prompt = client + ".s." + turn;
                int unused = turns.incrementAndGet();
                StringBuilder heard = new StringBuilder();
                String said = String.join("", chunks(prompt));
                if (isAnswered(session, prompt, heard)) {
                    assertThat(heard.toString()).isEqualTo(said);
                    assertThat(count(prompts, prompt)).hasValue(1);
                } else {
                    int unusedToo = unknown.incrementAndGet();
                    assertThat(said).startsWith(heard);
                }
                finished.release();
            }
            proxy.stopCutting();
        }
    }

    private static boolean isAnswered(Session session, String prompt, StringBuilder heard) throws InterruptedException {
        try {
            Turn turn = session.prompt(prompt);
            for (SessionEvent event : turn) {
                if (event instanceof SessionEvent.Message message
                        && message.content() instanceof ContentBlock.Text text
                        && text.text().startsWith(prompt + ":")) {
                    heard.append(text.text());
                }
            }
            return turn.result().stopReason().equals(StopReason.END_TURN);
        } catch (RpcException e) {
            assertThat(e)
                    .hasMessageMatching(
                            "(?s).*(the outcome is unknown|is lost|not found|answered 404|is about to stop|answered 503).*");
            return false;
        }
    }
}
