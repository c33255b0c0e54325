package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.DroppedMessages;
import dev.acp4j.cli.command.Durations;
import dev.acp4j.cli.command.Protocol;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.process.ProcessFailedException;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.NewSessionResponse;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An agent examined by {@code acp doctor}, with the facts known so far. Uses plain JSON-RPC, so that violations of the
 * protocol can be reported exactly. For use by one thread.
 */
final class ExaminedAgent implements AutoCloseable {
    /** The maximum number of violations kept. */
    private static final int PROBLEMS_KEPT = 100;

    private static final Duration SHORTLY = Duration.ofSeconds(1);

    private final Launch launch;
    private final UnaryOperator<Transport> watched;
    private final Duration timeout;
    private final List<Problem> problems = new CopyOnWriteArrayList<>();
    private final StdoutWatch stdout = new StdoutWatch();
    private final DoctorHandler handler = new DoctorHandler();
    private @Nullable LaunchedProcess running;
    private @Nullable Connection connection;
    private boolean isFound;
    private boolean isGone;
    private boolean refusesServers;
    private Version version = Version.V1;

    final Path cwd;
    final Protocol protocol;
    final @Nullable String prompt;

    /** The MCP servers that are offered to it; null for none. */
    @Nullable
    McpOffers mcp;

    @Nullable
    InitializeResponse initialized;

    private @Nullable RawJson answer;

    @Nullable
    NewSessionResponse session;

    /**
     * @param cwd the working folder of sessions
     * @param protocol the versions to ask for
     * @param prompt the prompt; null for none
     * @param timeout the timeout for a response
     * @param watched wraps the transport to record messages
     */
    ExaminedAgent(
            Launch launch,
            Path cwd,
            Protocol protocol,
            @Nullable String prompt,
            Duration timeout,
            UnaryOperator<Transport> watched) {
        this.launch = launch.onStdout(stdout);
        this.cwd = cwd;
        this.protocol = protocol;
        this.prompt = prompt;
        this.timeout = timeout;
        this.watched = watched;
    }

    /** Returns the same agent, to be started again. It gets less time to end, because its end is not examined. */
    ExaminedAgent again() {
        return new ExaminedAgent(launch.shutdownTimes(SHORTLY, SHORTLY), cwd, protocol, prompt, timeout, watched);
    }

    Launch launch() {
        return launch;
    }

    void start() throws IOException, InterruptedException {
        LaunchedProcess launched = launch.start();
        running = launched;
        connection = Connection.builder(watched.apply(launched.transport()), handler)
                .name("doctor")
                .answerNoise(false)
                .answersAfterInput(false)
                .onProblem(this::remember)
                .secrets(launched::withoutSecrets)
                .closedExceptions((method, failure) -> new ProcessFailedException(
                        launched.report(method, Objects.requireNonNull(connection)), method, failure))
                .start();
    }

    private void remember(Problem problem) {
        if (problems.size() < PROBLEMS_KEPT) {
            problems.add(problem);
        }
    }

    /** Returns whether there is a program to start. */
    boolean isFound() {
        return isFound;
    }

    void found(boolean value) {
        isFound = value;
    }

    /** Returns whether there is a process. */
    boolean isStarted() {
        return running != null;
    }

    /** Returns whether requests can be sent. */
    boolean isInitialized() {
        return initialized != null && !isGone;
    }

    /** Offers it MCP servers, and ends them with it. */
    ExaminedAgent offering(McpOffers offers) {
        mcp = offers;
        handler.mcp(offers);
        return this;
    }

    /** It opens sessions without MCP servers only. */
    void refusedServers() {
        refusesServers = true;
    }

    boolean refusesServers() {
        return refusesServers;
    }

    /** Returns whether requests about a session can be sent. */
    boolean hasSession() {
        return isInitialized() && session != null;
    }

    LaunchedProcess running() {
        return Objects.requireNonNull(running);
    }

    /** Returns the version of the protocol that the connection uses; 1 until the agent has answered. */
    Version version() {
        return version;
    }

    /** Sets what the agent answered, as it was. */
    void answered(RawJson toInitialize) {
        answer = toInitialize;
    }

    /** Returns what the agent answered to initialize, the last time; null if that made no sense. */
    @Nullable
    RawJson answer() {
        return answer;
    }

    /** Sets what the agent answered, and the version to go on with. */
    void initialized(InitializeResponse response, Version spoken) {
        initialized = response;
        version = spoken;
        handler.version(spoken);
    }

    /**
     * Decodes a result.
     *
     * @throws JsonException if it is invalid in the version of the connection
     */
    <R> R decode(Method<?, R> method, RawJson result) {
        return result.decode(method.result(version), "result");
    }

    InitializeResponse initialized() {
        return Objects.requireNonNull(initialized);
    }

    NewSessionResponse session() {
        return Objects.requireNonNull(session);
    }

    DoctorHandler heard() {
        return handler;
    }

    StdoutWatch stdout() {
        return stdout;
    }

    /** Returns the violations of the protocol by the agent. */
    List<Problem> problems() {
        return List.copyOf(problems);
    }

    /** Returns the number of messages that could not be read. */
    int lost() {
        return handler.lost()
                + (int) problems.stream().filter(DroppedMessages::isLoss).count();
    }

    /** Returns lines of standard output that were no messages, the last ones. */
    List<String> noise() {
        return connection == null ? List.of() : running().report("", connection).noise();
    }

    Duration timeout() {
        return timeout;
    }

    /** Returns this time, or the timeout if that is shorter. */
    Duration atMost(Duration most) {
        return most.compareTo(timeout) < 0 ? most : timeout;
    }

    /** Sends a request and waits for the response with the default timeout. */
    <P> Reply ask(Method<P, ?> method, P params) throws InterruptedException {
        return ask(method.name(), encode(method, params), timeout);
    }

    /** Encodes params as the version of the connection has them. */
    <P> RawJson encode(Method<P, ?> method, P params) {
        return RawJson.encode(params, method.params(version));
    }

    /** Sends a request and waits for the response with this timeout, or the default one if that is shorter. */
    Reply ask(String method, RawJson params, Duration most) throws InterruptedException {
        long begin = System.nanoTime();
        return reply(method, most, wait -> {
            RawJson result = begin(method, params).await(wait);
            return new Reply.Result(result, Duration.ofNanos(System.nanoTime() - begin));
        });
    }

    /** Sends a request; {@link #reply(Call, Duration)} waits for its response. */
    Call begin(String method, RawJson params) throws InterruptedException {
        return connection().start(method, params, RawJson.CODEC, null);
    }

    /** Waits for a response. */
    Reply reply(Call call, Duration most) throws InterruptedException {
        long begin = System.nanoTime();
        return reply(
                call.method(),
                most,
                wait -> new Reply.Result(call.await(wait), Duration.ofNanos(System.nanoTime() - begin)));
    }

    void send(String method, @Nullable RawJson params) throws InterruptedException {
        try {
            connection().send(method, params);
        } catch (ConnectionClosedException e) {
            isGone = true;
        }
    }

    private interface Waiting {
        Reply within(Duration most) throws InterruptedException;
    }

    private Reply reply(String method, Duration most, Waiting waiting) throws InterruptedException {
        Duration wait = atMost(most);
        try {
            return waiting.within(wait);
        } catch (RpcError e) {
            return new Reply.Refused(
                    e,
                    running()
                            .withheldVariablesIn(
                                    e.getMessage() + "\n" + running().stderr()));
        } catch (MalformedMessageException e) {
            return new Reply.Broken(String.valueOf(e.getMessage()));
        } catch (RequestTimeoutException e) {
            return new Reply.Silence(
                    running().report(method, connection()).withProblem("no answer within " + Durations.text(wait)));
        } catch (ProcessFailedException e) {
            isGone = true;
            return new Reply.Gone(e.report());
        } catch (ConnectionClosedException e) {
            isGone = true;
            return new Reply.Gone(running().report(method, connection()));
        }
    }

    private Connection connection() {
        return Objects.requireNonNull(connection);
    }

    /** Closes the agent's input, waits for its end, and kills it if necessary. */
    @Override
    public void close() {
        isGone = true;
        if (connection != null) {
            connection.close();
        }
        if (running != null) {
            running.close();
        }
        if (mcp != null) {
            mcp.close();
        }
    }
}
