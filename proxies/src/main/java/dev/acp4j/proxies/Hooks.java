package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchException;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.NotificationHop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.RequestPermissionResponse;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs commands of the user before prompts, after turns, on calls of tools and on questions.
 *
 * <pre>{@code
 * Proxy hooks = Hooks.builder()
 *         .onPrompt(Launch.of("/home/me/bin/no-secrets"))
 *         .onTurnEnd(Launch.of("notify-send", "The agent is done."))
 *         .build();
 * }</pre>
 *
 * <p>A command gets a JSON object on standard input, {@code {"event":…,"sessionId":…,"cwd":…}} with what the event is
 * about, and runs in the folder of the session. If it ends with another exit code than 0, it refuses, with the text of
 * its standard error: a prompt is answered with an error, a question with its rejection for once, and after the call of
 * a tool, which nothing can stop here, the turn is cancelled. A command that cannot be started, or takes too long,
 * refuses too, and is ended with its descendants.
 *
 * <p>Updates never wait: commands for calls of tools run beside them, one after another in a session, and so do those
 * for the end of a turn. At most 1,000 wait: a call of a tool beyond that has the turn cancelled. A file of the project
 * that the command names, as its program or in its arguments, has to be trusted with its contents; otherwise the
 * command refuses.
 *
 * <p>A session that was not seen to be opened, such as one of a subagent, has no folder in which a command could run,
 * so its prompts and questions are refused, and at each call of a tool the agent is asked to cancel its turn. An agent
 * need not be able to cancel the turn of a subagent: then the call goes on unchecked, of which there is one notice.
 */
@Unstable
public final class Hooks {
    private static final String PROMPT = "session/prompt";
    private static final String UPDATE = "session/update";
    private static final int MOST_WAITING = 1_000;

    private final Map<Event, Launch> commands;
    private final Duration limit;
    private final Trust trust;
    private final Consumer<String> onNotice;

    /** Those of sessions that were not seen to be opened. */
    private final ToolCalls unknown = new ToolCalls();

    /** Those that were seen to be opened. */
    private final Map<Key, Beside> sessions = new ConcurrentHashMap<>();

    private final SessionState<Beside> state = SessionState.of(this::opened, Beside::end);

    private record Key(Neighbour client, SessionId session) {}

    /** When a command runs. */
    private enum Event {
        PROMPT("prompt"),
        TURN_END("turn_end"),
        TOOL_CALL("tool_call"),
        QUESTION("question");

        private final String text;

        Event(String text) {
            this.text = text;
        }
    }

    private Hooks(Builder builder) {
        commands = new EnumMap<>(builder.commands);
        limit = builder.limit;
        trust = builder.trust;
        onNotice = builder.onNotice;
    }

    /** Begins a proxy of hooks. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns two proxies that are one: a filter must see the sessions that were not opened here, too, and a proxy with
     * a state does not. The end of a turn refuses nothing, so it is no matter of the filter.
     */
    private Proxy proxy() {
        return Proxy.builder("hooks", "1")
                .filter()
                .patience(Duration.ZERO, Duration.ZERO)
                .onRequests(Method.Side.AGENT, PROMPT::equals, this::prompt)
                .onRequest(
                        ClientMethods.REQUEST_PERMISSION,
                        (question, hop) -> question(
                                RawJson.encode(question, ClientMethods.REQUEST_PERMISSION.params(Version.V1)),
                                hop,
                                Choice.reject(question.options())))
                .onRequest(
                        ClientMethods.REQUEST_PERMISSION_V2,
                        (question, hop) -> question(
                                RawJson.encode(question, ClientMethods.REQUEST_PERMISSION_V2.params(Version.V2)),
                                hop,
                                Choice.reject(question.options())))
                .onNotifications(Method.Side.CLIENT, UPDATE::equals, this::update)
                .build()
                .then(Proxy.builder("hooks", "1")
                        .state(state)
                        .patience(Duration.ZERO, Duration.ZERO)
                        .onRequests(Method.Side.AGENT, PROMPT::equals, this::answered)
                        .onNotifications(Method.Side.CLIENT, UPDATE::equals, this::idle)
                        .build());
    }

    private Beside opened(SessionState.Opening opening) {
        Beside made = new Beside(new Key(opening.client(), opening.session()), Sessions.cwd(opening.params()));
        sessions.put(made.key, made);
        return made;
    }

    /** Returns the session of a message; null if it was not seen to be opened. */
    private @Nullable Beside session(Hop hop) {
        return sessions.get(new Key(hop.client(), hop.session().orElseThrow()));
    }

    private Answer<RawJson> prompt(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        RawJson blocks = Members.get(params, "prompt");
        String refusal = refusal(Event.PROMPT, session(hop), hop.session().orElseThrow(), "prompt", blocks);
        if (refusal != null) {
            throw RpcError.invalidRequest(refusal);
        }
        return hop.forward();
    }

    private Answer<RequestPermissionResponse> question(
            RawJson params, RequestHop<?, RequestPermissionResponse> hop, RequestPermissionOutcome rejection)
            throws Exception {
        SessionId id = hop.session().orElseThrow();
        String refusal = refusal(Event.QUESTION, session(hop), id, "question", params);
        if (refusal == null) {
            return hop.forward();
        }
        onNotice.accept("A question of the session " + id + " was rejected: " + refusal);
        return hop.answer(RequestPermissionResponse.of(rejection));
    }

    private void update(RawJson params, NotificationHop<RawJson> hop) throws InterruptedException {
        hop.forward();
        RawJson update = Members.get(params, "update");
        SessionId id = hop.session().orElse(null);
        if (update == null || id == null || !commands.containsKey(Event.TOOL_CALL)) {
            return;
        }
        String kind = Members.text(update, "sessionUpdate");
        String call = Members.text(update, "toolCallId");
        if (kind == null || !kind.startsWith("tool_call") || call == null) {
            return;
        }
        Beside session = session(hop);
        ToolCalls known = session == null ? unknown : session.calls;
        if (!known.isNew(hop, id, ToolCallId.of(call))) {
            return;
        }
        if (session == null) {
            unknownToolCall(update, id, hop);
        } else {
            toolCall(update, id, session, hop.agent());
        }
    }

    private void unknownToolCall(RawJson update, SessionId id, Hop hop) throws InterruptedException {
        String refusal = refusal(Event.TOOL_CALL, null, id, "toolCall", update);
        if (refusal != null) {
            if (unknown.isFirst(hop, id)) {
                onNotice.accept("The agent was asked to cancel a turn of the session " + id
                        + ", whose calls of tools cannot be checked: " + refusal);
            }
            hop.agent().send(AgentMethods.CANCEL, CancelNotification.of(id));
        }
    }

    private void toolCall(RawJson update, SessionId id, Beside session, Neighbour agent) throws InterruptedException {
        boolean isAdded = session.add(() -> {
            String refusal = refusal(Event.TOOL_CALL, session, id, "toolCall", update);
            if (refusal != null) {
                onNotice.accept("A turn of the session " + id + " is cancelled after a call of a tool: " + refusal);
                agent.send(AgentMethods.CANCEL, CancelNotification.of(id));
            }
        });
        if (!isAdded && session.isFirstLeftOut()) {
            onNotice.accept("A turn of the session " + id + " is cancelled: more than " + MOST_WAITING
                    + " hooks wait, and its next calls of tools would not be checked.");
            agent.send(AgentMethods.CANCEL, CancelNotification.of(id));
        }
    }

    private Answer<RawJson> answered(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        // It may be closed before the agent answers.
        Beside session = hop.state(state);
        Answer<RawJson> answer = hop.forward();
        if (hop.version() == Version.V1) {
            RawJson end = answer.isError() ? answer.raw().error() : answer.result();
            turnEnd(session, answer.isError() ? "error" : "result", end);
        }
        return answer;
    }

    private void idle(RawJson params, NotificationHop<RawJson> hop) throws InterruptedException {
        Beside session = hop.state(state);
        hop.forward();
        RawJson update = Members.get(params, "update");
        if (hop.version() == Version.V2
                && update != null
                && "state_update".equals(Members.text(update, "sessionUpdate"))
                && "idle".equals(Members.text(update, "state"))) {
            turnEnd(session, "result", update);
        }
    }

    private void turnEnd(Beside session, String name, @Nullable RawJson end) {
        SessionId id = session.key.session;
        boolean isAdded = !commands.containsKey(Event.TURN_END)
                || session.add(() -> {
                    String refusal = refusal(Event.TURN_END, session, id, name, end);
                    if (refusal != null) {
                        onNotice.accept("After a turn of the session " + id + ": " + refusal);
                    }
                });
        if (!isAdded) {
            onNotice.accept(
                    "A hook after a turn of the session " + id + " is left out: more than " + MOST_WAITING + " wait.");
        }
        session.turnEnded();
    }

    /** Runs the command of an event; returns why it refuses, or null. */
    private @Nullable String refusal(
            Event event, @Nullable Beside session, SessionId id, String about, @Nullable RawJson what)
            throws InterruptedException {
        Launch command = commands.get(event);
        if (command == null) {
            return null;
        }
        Path cwd = session == null ? null : session.cwd;
        if (cwd == null || !Files.isDirectory(cwd)) {
            return "the hook " + command.command() + " cannot run: the session has no folder on this machine";
        }
        Path untrusted = untrusted(command, cwd);
        if (untrusted != null) {
            return "the hook " + command.command() + " does not run: " + untrusted
                    + " is a file of the project, and you have not trusted it";
        }
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("event");
        out.string(event.text);
        out.name("sessionId");
        out.string(id.value());
        out.name("cwd");
        out.string(cwd.toString());
        if (what != null) {
            out.name(about);
            out.raw(what);
        }
        out.endObject();
        return HookRun.refusal(command.cwd(cwd), out.toRawJson(), limit);
    }

    /** Returns a file of the project that the command names and that is not trusted; null if there is none. */
    private @Nullable Path untrusted(Launch command, Path cwd) {
        List<String> words = new ArrayList<>(command.arguments());
        try {
            words.add(command.program().toAbsolutePath().toString());
        } catch (LaunchException e) {
            // Then it cannot be started, which is said.
        }
        for (String word : words) {
            Path file = file(word, cwd);
            if (file != null && !isTrusted(file)) {
                return file;
            }
        }
        return null;
    }

    private static @Nullable Path file(String word, Path cwd) {
        try {
            Path file = cwd.resolve(word);
            return !word.isEmpty() && Files.isRegularFile(file) && isOfProject(file, cwd) ? file : null;
        } catch (InvalidPathException | IOException e) {
            return null;
        }
    }

    /** Whether others may have written a file: it is, or is named, in the folder of the session. */
    private static boolean isOfProject(Path file, Path cwd) throws IOException {
        return file.normalize().startsWith(cwd.normalize()) || file.toRealPath().startsWith(cwd.toRealPath());
    }

    private boolean isTrusted(Path file) {
        try {
            return trust.isTrusted(file, new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        } catch (IOException e) {
            return false;
        }
    }

    /** What is done beside the updates. */
    @FunctionalInterface
    private interface Action {
        void run() throws InterruptedException;
    }

    /**
     * What runs beside the updates of a session, one after another, on a thread that exists while there is something to
     * do. The lock guards what waits.
     */
    private final class Beside {
        private final Key key;
        private final @Nullable Path cwd;

        /** Those that were seen since the session was opened: an agent may count anew when it is opened again. */
        private final ToolCalls calls = new ToolCalls();

        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private final Deque<Action> waiting = new ArrayDeque<>();

        @GuardedBy("lock")
        private @Nullable Thread thread;

        /** Whether a call of this turn was left out, for which it is cancelled once. */
        @GuardedBy("lock")
        private boolean isLeftOut;

        @GuardedBy("lock")
        private boolean isEnded;

        Beside(Key key, @Nullable Path cwd) {
            this.key = key;
            this.cwd = cwd;
        }

        /** Returns false if too much waits. */
        boolean add(Action action) {
            lock.lock();
            try {
                if (!isEnded && waiting.size() == MOST_WAITING) {
                    return false;
                }
                if (!isEnded) {
                    waiting.add(action);
                    thread = thread == null
                            ? Thread.ofPlatform().daemon().name("acp4j-hooks").start(this::run)
                            : thread;
                }
                return true;
            } finally {
                lock.unlock();
            }
        }

        /** A call of a tool is not checked; returns whether it is the first one of this turn. */
        boolean isFirstLeftOut() {
            lock.lock();
            try {
                boolean isFirst = !isLeftOut;
                isLeftOut = true;
                return isFirst;
            } finally {
                lock.unlock();
            }
        }

        void turnEnded() {
            lock.lock();
            try {
                isLeftOut = false;
            } finally {
                lock.unlock();
            }
        }

        private void run() {
            try {
                for (Action next = next(); next != null; next = next()) {
                    run(next);
                }
            } catch (InterruptedException e) {
                // The session has ended.
                Thread.currentThread().interrupt();
            }
        }

        private void run(Action action) throws InterruptedException {
            try {
                action.run();
            } catch (RpcException e) {
                // The agent has gone, and the turn with it.
            } catch (RuntimeException e) {
                onNotice.accept("A hook failed: " + e);
            }
        }

        private @Nullable Action next() {
            lock.lock();
            try {
                Action next = waiting.poll();
                if (next == null) {
                    thread = null;
                }
                return next;
            } finally {
                lock.unlock();
            }
        }

        /** What runs is ended; what waits does not run. */
        void end() {
            sessions.remove(key, this);
            lock.lock();
            try {
                isEnded = true;
                waiting.clear();
                if (thread != null) {
                    thread.interrupt();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Builds a proxy of hooks. */
    public static final class Builder {
        private final Map<Event, Launch> commands = new EnumMap<>(Event.class);
        private Duration limit = Duration.ofSeconds(30);
        private Trust trust = Trust.NOTHING;
        private Consumer<String> onNotice = Notices::log;

        private Builder() {}

        /** Sets what runs before each prompt, which it may refuse. */
        public Builder onPrompt(Launch command) {
            return on(Event.PROMPT, command);
        }

        /** Sets what runs after each turn. */
        public Builder onTurnEnd(Launch command) {
            return on(Event.TURN_END, command);
        }

        /** Sets what runs when a call of a tool is seen: it may have the turn cancelled. */
        public Builder onToolCall(Launch command) {
            return on(Event.TOOL_CALL, command);
        }

        /** Sets what runs before each question for permission, which it may have rejected. */
        public Builder onQuestion(Launch command) {
            return on(Event.QUESTION, command);
        }

        private Builder on(Event event, Launch command) {
            commands.put(event, command.inheritNoModelKeys());
            return this;
        }

        /** Sets how long a command may take; by default 30 seconds. */
        public Builder limit(Duration most) {
            if (most.isZero() || most.isNegative()) {
                throw new IllegalArgumentException("expected a time above zero, got " + most);
            }
            limit = most;
            return this;
        }

        /** Sets which files of projects commands may name; by default none. */
        public Builder trust(Trust value) {
            trust = Objects.requireNonNull(value);
            return this;
        }

        /** Takes what a user should know, a sentence each, such as a turn that is cancelled; logged by default. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /**
         * Builds the proxy.
         *
         * @throws IllegalStateException without a command
         */
        public Proxy build() {
            if (commands.isEmpty()) {
                throw new IllegalStateException("expected at least one command");
            }
            return new Hooks(this).proxy();
        }
    }
}
