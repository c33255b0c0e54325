package dev.acp4j.proxies;

import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.ProxySession;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Cost;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.UsageUpdate;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes other agents tools of the agent: it asks one of them with {@code ask}, and gets its final text.
 *
 * <pre>{@code
 * try (var others = AgentTools.builder().agent("reviewer", Launch.of("codex-acp")).open()) {
 *     Conductor.builder().proxy(others.proxy()).agent(Launch.of("gemini", "--acp")).build().serve(Stdio.system());
 * }
 * }</pre>
 *
 * <p>Each question is a session of its own in the folder of the client's session, at a program that is started with the
 * first question and ended with the client's session. The agent reads only: it is offered the reading of the client's
 * files, no writing and no terminals; questions for permission to read, search, fetch or think reach the client with
 * the agent's name, others are rejected. Or it works in a copy of the folder, where all of its questions reach the
 * client, and the answer names what it has changed there. What an agent does without asking cannot be prevented here.
 *
 * <p>What it does is progress of the tool's call. Cancelling the call, or the client's session, cancels its turn.
 * Tokens and cost that it reports are added to those that the first agent reports, so that a budget counts them.
 *
 * <p>It gets none of the variables by which the first agent reaches its model, but for those that are named.
 */
@Unstable
public final class AgentTools implements AutoCloseable {
    private static final Set<ToolKind> READING = Set.of(ToolKind.READ, ToolKind.SEARCH, ToolKind.FETCH, ToolKind.THINK);

    private final Map<String, OtherAgent.Program> programs;
    private final int depth;
    private final boolean copies;
    private final long copyBytes;
    private final Consumer<String> onNotice;
    private final OfferedByClients offered = new OfferedByClients();
    private final Map<Key, AskedSession> sessions = new ConcurrentHashMap<>();
    private final SessionState<AskedSession> asked = SessionState.of(this::begin, this::end);

    private final Set<Thread> ending = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean isSaid = new AtomicBoolean();

    private record Key(Neighbour client, SessionId session) {}

    private AgentTools(Builder builder) {
        programs = new LinkedHashMap<>(builder.programs);
        depth = OtherAgent.depth(builder.depth, System.getenv(OtherAgent.DEPTH));
        copies = builder.copies;
        copyBytes = builder.copyBytes;
        onNotice = builder.onNotice;
    }

    /** Begins a proxy. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the proxy. */
    public Proxy proxy() {
        Proxy.Builder proxy = Proxy.builder("ask", "1");
        if (depth < 1) {
            onNotice.accept("No other agents can be asked here: this agent was itself asked by one.");
            return proxy.build();
        }
        offered.addTo(proxy)
                .state(asked)
                .onNotification(AgentMethods.CANCEL, (cancel, hop) -> {
                    hop.state(asked).cancel();
                    hop.forward();
                })
                .onRequest(AgentMethods.PROMPT, (prompt, hop) -> {
                    // It may be closed before the agent answers.
                    AskedSession session = hop.state(asked);
                    var answer = hop.forward();
                    return answer.isError()
                            ? answer
                            : answer.with(answer.result()
                                    .withUsage(session.with(answer.result().usage())));
                })
                // Its turn ends with an update.
                .onRequest(AgentMethods.PROMPT_V2, (prompt, hop) -> hop.forward())
                .onNotification(ClientMethods.UPDATE, (said, hop) -> hop.forward(counted(said, hop.state(asked))));
        return ToolServer.addTo(proxy, this::servers).build();
    }

    /** Returns an update of the first agent with what the others have used. */
    private static SessionNotification counted(SessionNotification said, AskedSession session) {
        return switch (said.update()) {
            case UsageUpdate usage -> with(said, session.with(usage));
            case StateUpdate.Idle idle ->
                with(
                        said,
                        idle.toBuilder().usage(session.withWork(idle.usage())).build());
            case StateUpdate.Running running -> {
                session.workBegins();
                yield said;
            }
            case StateUpdate.RequiresAction asks -> {
                session.workBegins();
                yield said;
            }
            default -> said;
        };
    }

    private static SessionNotification with(SessionNotification said, SessionUpdate update) {
        return new SessionNotification(said.sessionId(), update, said.rest());
    }

    // ---- sessions

    private AskedSession begin(SessionState.Opening opening) {
        AskedSession session = new AskedSession();
        sessions.put(new Key(opening.client(), opening.session()), session);
        return session;
    }

    private void end(AskedSession ended) {
        sessions.values().remove(ended);
        Thread thread = Thread.ofPlatform().name("acp4j-ask-end").unstarted(() -> {
            try {
                ended.close(onNotice);
            } finally {
                ending.remove(Thread.currentThread());
            }
        });
        ending.add(thread);
        thread.start();
    }

    /** Returns how many sessions are being ended. */
    int ending() {
        return ending.size();
    }

    /** Ends all agents that are asked, and waits for that. */
    @Override
    public void close() {
        List.copyOf(sessions.values()).forEach(this::end);
        try {
            for (Thread each : ending) {
                each.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- the tool

    private List<ToolServer> servers(ProxySession session) {
        if (!session.connectsServers()) {
            if (isSaid.compareAndSet(false, true)) {
                onNotice.accept("This agent connects to no MCP servers, so it cannot ask others.");
            }
            return List.of();
        }
        String names = String.join(", ", programs.keySet());
        return List.of(ToolServer.builder("agents", "1")
                .tool(
                        "ask",
                        "Asks another agent, and returns its answer. It knows nothing of this conversation: say all "
                                + "that it needs. It works in "
                                + (copies ? "a copy of the folder" : "the same folder, and only reads") + ". Agents: "
                                + names,
                        schema(),
                        call -> ask(session, call))
                .build());
    }

    private RawJson schema() {
        JsonWriter names = new JsonWriter();
        names.beginArray();
        programs.keySet().forEach(names::string);
        names.endArray();
        return RawJson.parse("{\"type\":\"object\",\"properties\":{"
                + "\"agent\":{\"type\":\"string\",\"enum\":" + names.toRawJson()
                + ",\"description\":\"Which agent\"},"
                + "\"prompt\":{\"type\":\"string\",\"description\":\"What it is asked\"}},"
                + "\"required\":[\"agent\",\"prompt\"],\"additionalProperties\":false}");
    }

    private String ask(ProxySession from, ToolServer.Call call) throws InterruptedException, IOException {
        OtherAgent.Program program = Objects.requireNonNull(programs.get(call.text("agent")));
        OtherAgent.For client = new OtherAgent.For(from.client(), from.id(), from.version());
        AskedSession session = sessions.get(new Key(client.client(), client.id()));
        SessionSetup setup = from.setup().orElse(null);
        if (session == null || setup == null) {
            throw new IllegalStateException("the folder of this session is none of this machine, or it has ended");
        }
        long mark = session.cancellations();
        FolderCopy copy = copies ? FolderCopy.of(setup.cwd(), copyBytes) : null;
        if (copy != null) {
            session.add(copy);
            setup = SessionSetup.in(copy.folder());
        }
        boolean reads = copy == null && offered.of(client.client()).fs().readTextFile();
        try (OtherAgent agent = OtherAgent.start(
                program,
                depth - 1,
                question -> answer(client, program.name(), question),
                reads ? OtherAgent.reading(client) : null)) {
            session.begin(agent);
            try {
                Session there = agent.open(setup);
                String prompt = call.text("prompt");
                return text(
                        agent.ask(
                                there,
                                List.of(ContentBlock.text(prompt)),
                                new Shown(call, session, client, () -> session.isCancelled(mark))),
                        copy);
            } finally {
                session.end(agent);
            }
        }
    }

    private static String text(OtherAgent.Reply reply, @Nullable FolderCopy copy) throws IOException {
        StringBuilder text = new StringBuilder(reply.text());
        if (!reply.stopReason().equals(StopReason.END_TURN)) {
            text.append("\n\n[It has stopped: ").append(reply.stopReason()).append(".]");
        }
        if (copy != null) {
            List<String> changes = copy.changes();
            text.append("\n\n")
                    .append(changes.isEmpty() ? "It has changed nothing in its copy." : "In its copy, " + copy.folder())
                    .append(changes.isEmpty() ? "" : ":\n" + String.join("\n", changes));
        }
        return text.toString();
    }

    private RequestPermissionOutcome answer(OtherAgent.For client, String agent, PermissionQuestion question)
            throws InterruptedException {
        boolean isReading = question.toolCall() != null
                && READING.contains(question.toolCall().kind());
        return copies || isReading ? OtherAgent.ask(client, agent, question) : question.rejectOnce();
    }

    /** Shows the first agent, and the client's budget, what an agent does. */
    private static final class Shown implements OtherAgent.Watch {
        private final ToolServer.Call call;
        private final AskedSession session;
        private final OtherAgent.For client;
        private final BooleanSupplier isCancelled;
        private int steps;

        Shown(ToolServer.Call call, AskedSession session, OtherAgent.For client, BooleanSupplier isCancelled) {
            this.call = call;
            this.session = session;
            this.client = client;
            this.isCancelled = isCancelled;
        }

        @Override
        public boolean isCancelled() {
            return isCancelled.getAsBoolean();
        }

        @Override
        public void does(String title) throws InterruptedException {
            steps++;
            call.progress(steps, steps + 1.0, title);
        }

        @Override
        public void tokens(long tokens) {
            session.add(tokens);
        }

        @Override
        public void costs(Cost cost) throws InterruptedException {
            UsageUpdate known = session.set(this, cost);
            if (known != null) {
                client.client().send(ClientMethods.UPDATE, SessionNotification.of(client.id(), known));
            }
        }
    }

    /** Builds a proxy that makes agents tools. */
    public static final class Builder {
        private final Map<String, OtherAgent.Program> programs = new LinkedHashMap<>();
        private int depth = 1;
        private boolean copies;
        private long copyBytes = 512L << 20;
        private Consumer<String> onNotice = Notices::log;

        private Builder() {}

        /**
         * Adds an agent that can be asked.
         *
         * @param name what the model and the user call it: letters, digits, - and _
         * @param launch how it is started. Of the environment of this program it gets what programs need to run, and no
         *     keys of models: it uses its own login
         * @param variables variables of this program that it gets besides, such as that of its own key
         * @throws IllegalArgumentException when the name has another form, or is taken
         */
        public Builder agent(String name, Launch launch, String... variables) {
            OtherAgent.Program program = OtherAgent.Program.of(name, launch, List.of(variables));
            if (programs.putIfAbsent(name, program) != null) {
                throw new IllegalArgumentException("there are two agents " + name);
            }
            return this;
        }

        /**
         * Sets how deep agents may ask agents: 1 for those of this proxy only. An agent that is asked knows how deep it
         * is by a variable of its environment, and proxies before others offer no more there.
         *
         * @throws IllegalArgumentException unless it is from 1 to 8
         */
        public Builder depth(int value) {
            if (value < 1 || value > 8) {
                throw new IllegalArgumentException("expected a depth from 1 to 8, got " + value);
            }
            depth = value;
            return this;
        }

        /**
         * Lets the agents work in a copy of the folder, a new one for each question, which is deleted at the end of the
         * client's session. Symbolic links are not copied.
         *
         * @param mostBytes how large the folder may be; a question in a larger one fails
         */
        public Builder inCopies(long mostBytes) {
            copies = true;
            copyBytes = mostBytes;
            return this;
        }

        /** Takes what a user should know, a sentence each; logged by default. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /**
         * Opens it. No agent is started before it is asked.
         *
         * @throws IllegalStateException without an agent
         */
        public AgentTools open() {
            if (programs.isEmpty()) {
                throw new IllegalStateException("there is no agent to be asked");
            }
            return new AgentTools(this);
        }
    }
}
