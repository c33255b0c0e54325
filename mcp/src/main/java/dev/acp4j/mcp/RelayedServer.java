package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Feature;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.McpServer;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A server over HTTP for an agent that has no HTTP: connected with the first request, and again when the connection was
 * lost. What the agent says of itself is what the server may ask of it, and is said once to a server with a handshake.
 *
 * <p>The lock guards the connection, and is held while that is opened: the first requests wait for it.
 */
final class RelayedServer implements Face.Provider {
    private static final System.Logger LOG = System.getLogger("dev.acp4j.mcp");
    private static final Duration OPENING = Duration.ofMinutes(1);
    private static final Duration SILENCE = Duration.ofMinutes(10);
    private static final Duration MOST = Duration.ofHours(1);
    private static final int MOST_UNLISTED = 1_000;
    private static final int MOST_QUESTIONS = 64;

    /** The name of a question of a server with a handshake: what a request asks is asked one after the other. */
    private static final String QUESTION = "question";

    private final McpServer.Http declaration;
    private final List<Path> roots;
    private final Redaction redaction;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Link link;

    /** What the tools of the server take, by their names, as far as they were listed. */
    private final Map<String, RawJson> schemas = new ConcurrentHashMap<>();

    /** Names that were called and not found in the list. */
    private final Set<String> unlisted = ConcurrentHashMap.newKeySet();

    /**
     * A request that the server answers.
     *
     * @param notices takes what is reported to a request that stands alone
     * @param call the request to a server with a handshake; null for another server, which asks by its result
     * @param level the least level of log messages; empty for none
     */
    private record Running(Face.Notices notices, @Nullable RelayedCall call, String level) {
        boolean wants(String logged) {
            int least = RunningHandler.LEVELS.indexOf(level);
            return least >= 0 && RunningHandler.LEVELS.indexOf(logged) >= least;
        }

        /** Returns false if there is no request of the agent that this is for. */
        boolean report(String method, RawJson params) throws InterruptedException {
            if (call != null) {
                return call.report(method, params);
            }
            notices.send(method, params);
            return true;
        }
    }

    /**
     * The last one last. A server with a handshake does not say which request a question or message belongs to: the
     * last one is assumed.
     */
    private final Deque<Running> running = new ConcurrentLinkedDeque<>();

    /** Those that wait for the user, by what the next request names them. */
    private final Map<String, RelayedCall> asking = new ConcurrentHashMap<>();

    /** What the agent wants reported. */
    private final Set<Subscription> subscriptions = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    /**
     * What the agent listens to, and where: the server is asked for each resource, and again when the connection to it
     * was lost.
     *
     * <p>The lock guards where; nothing is asked while it is held.
     */
    private static final class Subscription {
        final Listening listening;
        private final ReentrantLock lock = new ReentrantLock();

        /** The resources that the server reports, with the connection that has subscribed to them. */
        @GuardedBy("lock")
        private final Map<String, Link> begun = new HashMap<>();

        @GuardedBy("lock")
        private boolean hasEnded;

        Subscription(Listening listening) {
            this.listening = listening;
        }

        void subscribe(String uri, Link server) throws InterruptedException {
            server.subscribe(uri, OPENING);
            boolean isLate;
            lock.lock();
            try {
                isLate = hasEnded;
                if (server.isOpen()) {
                    begun.put(uri, server);
                }
            } finally {
                lock.unlock();
            }
            if (isLate) {
                server.unsubscribe(uri);
            }
        }

        void end() {
            Map<String, Link> ended;
            lock.lock();
            try {
                hasEnded = true;
                ended = Map.copyOf(begun);
            } finally {
                lock.unlock();
            }
            ended.forEach((uri, server) -> server.unsubscribe(uri));
        }
    }

    RelayedServer(McpServer.Http declaration, @Nullable SessionSetup setup) {
        this.declaration = declaration;
        this.roots = setup == null ? List.of() : setup.roots();
        this.redaction = ConnectedServer.redaction(declaration);
    }

    @Override
    public RawJson answer(String method, Members params, Face.Notices notices) throws InterruptedException {
        Link server = link(params);
        if (method.equals("server/discover")) {
            return discovered(server);
        }
        try {
            if (method.equals("subscriptions/listen")) {
                return listen(server, params.object("notifications"), notices);
            }
            RawJson result = method.equals("tools/call")
                    ? call(server, params, notices)
                    : ask(server, method, params, notices, "");
            Members passed = Members.of(result);
            if (method.equals("tools/list") && passed.has("tools")) {
                passed = passed.with("tools", Link.array(keep(passed.list("tools"))));
            }
            return complete(method, passed);
        } catch (RpcError e) {
            throw e;
        } catch (RpcException e) {
            throw unreachable(e);
        }
    }

    // ---- what the agent asks

    /** Calls a tool with the arguments that its schema wants as headers, too. */
    private RawJson call(Link server, Members params, Face.Notices notices) throws InterruptedException {
        String tool = params.text("name", "");
        if (!schemas.containsKey(tool) && !unlisted.contains(tool) && unlisted.size() < MOST_UNLISTED) {
            boolean unused = isListed(server);
            if (!schemas.containsKey(tool)) {
                unused = unlisted.add(tool);
            }
        }
        try {
            return ask(server, "tools/call", params, notices, tool);
        } catch (RpcError e) {
            // The tool is another one now.
            if (e.code() != Link.HEADER_MISMATCH || !isListed(server)) {
                throw e;
            }
            return ask(server, "tools/call", params, notices, tool);
        }
    }

    /** Keeps what the tools take; returns false if the server does not list them, which is no reason to call none. */
    private boolean isListed(Link server) throws InterruptedException {
        try {
            List<RawJson> unused = keep(server.list("tools/list", "tools", OPENING));
            return true;
        } catch (RpcException e) {
            return false;
        }
    }

    /** Keeps what tools take, and returns them without those whose marks cannot be headers. */
    private List<RawJson> keep(List<RawJson> tools) {
        List<RawJson> usable = new ArrayList<>();
        for (RawJson each : tools) {
            Members tool = Members.of(each);
            String name = tool.text("name", "");
            RawJson schema = tool.raw("inputSchema");
            String problem = schema == null ? "" : ParameterHeaders.problem(schema);
            if (problem.isEmpty()) {
                usable.add(each);
                if (schema != null) {
                    schemas.put(name, schema.copy());
                }
            } else {
                schemas.remove(name);
                LOG.log(Level.INFO, () -> declaration.name() + ": the tool " + name + " is left out: " + problem);
            }
        }
        return usable;
    }

    /** @param tool the tool that is called; empty if none is */
    private RawJson ask(Link server, String method, Members params, Face.Notices notices, String tool)
            throws InterruptedException {
        RawJson schema = schemas.get(tool);
        RawJson arguments = params.raw("arguments");
        Map<String, String> headers =
                schema == null || arguments == null ? Map.of() : ParameterHeaders.of(schema, arguments);
        RawJson token = params.object("_meta").raw("progressToken");
        String level = params.object("_meta").text(RunningHandler.LOG_LEVEL, "");
        if (server.isModern()) {
            // It asks by its result, which the agent answers by its next request.
            Link.Progress progress = token == null ? null : progress(token.copy(), notices);
            return pass(server, method, params, headers, progress, new Running(notices, null, level));
        }
        String state = params.text("requestState");
        if (state != null) {
            return answered(state, params, notices);
        }
        AtomicReference<RelayedCall> call = new AtomicReference<>();
        Members sent = new Members(Members.of(params.json().copy()).all());
        Face.Notices reports = (reported, about) -> {
            boolean unused = Objects.requireNonNull(call.get()).report(reported, about);
        };
        Link.Progress progress = token == null ? null : progress(token.copy(), reports);
        server.log(level);
        call.set(new RelayedCall(
                () -> pass(server, method, sent, headers, progress, new Running(reports, call.get(), level)), notices));
        call.get().start();
        return await(call.get());
    }

    private RawJson pass(
            Link server,
            String method,
            Members params,
            Map<String, String> headers,
            Link.@Nullable Progress progress,
            Running request)
            throws InterruptedException {
        running.add(request);
        try {
            return server.pass(method, params, headers, progress, SILENCE, MOST);
        } finally {
            running.remove(request);
        }
    }

    /** Goes on with a request that has asked something. */
    private RawJson answered(String state, Members params, Face.Notices notices) throws InterruptedException {
        RelayedCall call = asking.remove(state);
        if (call == null) {
            throw RpcError.invalidParams("params.requestState: nothing waits for this answer");
        }
        RawJson answer = params.object("inputResponses").raw(QUESTION);
        if (answer != null) {
            call.reply(answer.copy(), notices);
        }
        return await(call);
    }

    private RawJson await(RelayedCall call) throws InterruptedException {
        RelayedCall.Said said = call.await();
        return said.question() == null ? Objects.requireNonNull(said.result()) : question(call, said.question());
    }

    /** Returns what the agent has to ask the user. */
    private RawJson question(RelayedCall call, Members asked) {
        if (asking.size() >= MOST_QUESTIONS) {
            // Their servers wait no longer.
            asking.values().removeIf(RelayedCall::isDone);
        }
        if (asking.size() >= MOST_QUESTIONS) {
            call.cancel();
            throw new RpcError(RunningCalls.LIMIT_REACHED, "more than " + MOST_QUESTIONS + " questions at once");
        }
        String state = UUID.randomUUID().toString();
        asking.put(state, call);
        if (closed) {
            call.cancel();
        }
        return Link.object(out -> {
            out.name("resultType");
            out.string("input_required");
            out.name("inputRequests");
            out.beginObject();
            out.name(QUESTION);
            out.beginObject();
            out.name("method");
            out.string("elicitation/create");
            out.name("params");
            out.raw(asked.json());
            out.endObject();
            out.endObject();
            out.name("requestState");
            out.string(state);
        });
    }

    @Override
    public void abandon(String state) {
        RelayedCall call = asking.remove(state);
        if (call != null) {
            call.cancel();
        }
    }

    // ---- what the server reports

    /** Reports to the agent what it has subscribed to, as far as the server does, until it is interrupted. */
    private RawJson listen(Link server, Members wanted, Face.Notices notices) throws InterruptedException {
        Subscription own = new Subscription(new Listening(wanted, server::reportsChanges, server.reportsUpdates()));
        // Before the server knows, so that no update is missed.
        subscriptions.add(own);
        try {
            for (String uri : own.listening.resources()) {
                own.subscribe(uri, server);
            }
            if (closed) {
                own.listening.end();
            }
            return own.listening.report(notices);
        } finally {
            subscriptions.remove(own);
            own.end();
        }
    }

    private RpcError unreachable(Exception e) {
        return new RpcError(
                RpcError.INTERNAL_ERROR,
                "the server " + declaration.name() + " cannot be reached: "
                        + redaction.redact(String.valueOf(e.getMessage())));
    }

    private static Link.Progress progress(RawJson token, Face.Notices notices) {
        return (done, total, message) -> {
            try {
                notices.send("notifications/progress", Link.object(out -> {
                    out.name("progressToken");
                    out.raw(token);
                    out.name("progress");
                    out.number(done);
                    if (total != null) {
                        out.name("total");
                        out.number(total);
                    }
                    out.name("message");
                    out.string(message);
                }));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }

    /** @param params the request that the server is connected for, if it is not yet */
    private Link link(Members params) throws InterruptedException {
        Link opened;
        boolean isAgain;
        lock.lockInterruptibly();
        try {
            Link known = link;
            if (known != null && known.isOpen()) {
                return known;
            }
            if (closed) {
                throw new RpcError(RpcError.INTERNAL_ERROR, "the session has ended");
            }
            opened = open(params);
            isAgain = known != null;
            link = opened;
            if (closed) {
                // While it was opened.
                opened.close();
            }
        } finally {
            lock.unlock();
        }
        if (isAgain) {
            subscribeAgain(opened);
        }
        return opened;
    }

    private Link open(Members params) throws InterruptedException {
        HttpTransport http = new HttpTransport(
                URI.create(declaration.url()), declaration.headers(), false, StreamTransport.STANDARD_MESSAGE_BYTES);
        Members capabilities = params.object("_meta").object(Face.CAPABILITIES);
        Link opened = Link.over(http, new Home(capabilities), declaration.name(), Time.SYSTEM, new Passing());
        boolean isOpened = false;
        try {
            opened.introduce(OPENING);
            opened.subscribe();
            isOpened = true;
            return opened;
        } catch (IOException | RpcException e) {
            throw unreachable(e);
        } finally {
            if (!isOpened) {
                opened.close();
            }
        }
    }

    /** What has changed while the connection was lost is not known, so that everything may have. */
    private void subscribeAgain(Link opened) throws InterruptedException {
        for (Subscription subscription : subscriptions) {
            for (String uri : subscription.listening.resources()) {
                try {
                    subscription.subscribe(uri, opened);
                    subscription.listening.updated(uri);
                } catch (RpcException e) {
                    LOG.log(Level.INFO, () -> declaration.name() + " reports no updates of " + uri + " any more");
                }
            }
            subscription.listening.lists().forEach(subscription.listening::changed);
        }
    }

    private static RawJson discovered(Link server) {
        return Link.object(out -> {
            out.name("resultType");
            out.string("complete");
            out.name("ttlMs");
            out.int64(0);
            out.name("cacheScope");
            out.string("private");
            out.name("supportedVersions");
            out.beginArray();
            out.string(Link.MODERN);
            out.endArray();
            out.name("capabilities");
            out.beginObject();
            for (String known : List.of("tools", "prompts", "resources", "completions", "logging")) {
                if (server.offers(known)) {
                    out.name(known);
                    out.raw(server.capabilities().object(known).json());
                }
            }
            out.endObject();
            if (!server.instructions().isEmpty()) {
                out.name("instructions");
                out.string(server.instructions());
            }
            out.name("_meta");
            out.beginObject();
            out.name(Face.SERVER_INFO);
            out.raw(server.info().json());
            out.endObject();
        });
    }

    /** Adds what results of older servers do not have. */
    private static RawJson complete(String method, Members result) {
        Members all = result.has("resultType") ? result : result.with("resultType", RawJson.string("complete"));
        if (method.endsWith("/list") && !all.has("ttlMs")) {
            all = all.with("ttlMs", RawJson.parse("0")).with("cacheScope", RawJson.string("private"));
        }
        return all.json();
    }

    @Override
    public void close() {
        closed = true;
        subscriptions.forEach(one -> one.listening.end());
        asking.values().forEach(RelayedCall::cancel);
        asking.clear();
        if (lock.tryLock()) {
            try {
                if (link != null) {
                    link.close();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** The folders of the session, and a user who can be asked as the agent says. */
    private final class Home implements Link.Home {
        private final boolean forms;
        private final boolean pages;

        Home(Members capabilities) {
            Members modes = capabilities.object("elicitation");
            forms = capabilities.has("elicitation") && (modes.all().isEmpty() || modes.has("form"));
            pages = modes.has("url");
        }

        @Override
        public boolean supports(Feature asking) {
            return asking == Feature.FORMS ? forms : asking == Feature.PAGES && pages;
        }

        @Override
        public List<Path> roots() {
            return roots;
        }

        @Override
        public @Nullable String logLevel() {
            return null;
        }
    }

    /** Passes on what the server asks and reports. */
    private final class Passing implements Link.Listener {
        @Override
        public void changed(String list) {
            if (list.equals("tools")) {
                unlisted.clear();
            }
            subscriptions.forEach(one -> one.listening.changed(list));
        }

        @Override
        public void updated(String uri) {
            subscriptions.forEach(one -> one.listening.updated(uri));
        }

        @Override
        public void logged(Members message) {
            String level = message.text("level", "");
            try {
                Iterator<Running> last = running.descendingIterator();
                while (last.hasNext()) {
                    Running request = last.next();
                    if (request.wants(level)
                            && request.report("notifications/message", redaction.redactError(message.json()))) {
                        return;
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void completed(String elicitation) {
            String method = "notifications/elicitation/complete";
            RawJson id = Members.NONE
                    .with("elicitationId", RawJson.string(elicitation))
                    .json();
            Running last = running.peekLast();
            try {
                if (last != null && last.call() != null) {
                    last.call().reportInAnyCase(method, id);
                } else if (last != null) {
                    last.notices().send(method, id);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public RawJson asked(Members question) throws InterruptedException {
            Running last = running.peekLast();
            return last == null || last.call() == null
                    ? Questions.CANCEL
                    : last.call().ask(question);
        }
    }
}
