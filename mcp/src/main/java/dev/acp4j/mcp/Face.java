package dev.acp4j.mcp;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Transport;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * What one client of MCP sees of a server: either era, chosen by each request. Behind it a server knows only requests
 * that stand alone, with version and capabilities in each, as since 2026; a client that begins with a handshake gets
 * these put in, and members that it does not know taken out.
 */
final class Face {
    static final String VERSION = Link.PREFIX + "protocolVersion";
    static final String CAPABILITIES = Link.PREFIX + "clientCapabilities";
    static final String CLIENT_INFO = Link.PREFIX + "clientInfo";
    static final String SERVER_INFO = Link.PREFIX + "serverInfo";

    /** The id of the request that began a subscription, which differs on both sides of a bridge. */
    static final String SUBSCRIPTION = Link.PREFIX + "subscriptionId";

    /** What only results of modern servers have. */
    private static final Set<String> MODERN_MEMBERS = Set.of("resultType", "ttlMs", "cacheScope");

    /** Answers requests that stand alone. */
    @FunctionalInterface
    interface Provider {
        /**
         * Returns the result. Blocks; the thread is interrupted when the request is cancelled.
         *
         * @throws RpcError is the answer as it is
         */
        RawJson answer(String method, Members params, Notices notices) throws InterruptedException;

        /**
         * What a result has asked for is not answered any more.
         *
         * @param state the state of that request
         */
        default void abandon(String state) {}

        /** A client asks something; called before it is answered. */
        default void asked(String method, String revision) {}

        /** Ends what goes on between two requests. Nothing is asked any more. */
        default void close() {}
    }

    /** Takes what is reported about a request while it is answered. */
    @FunctionalInterface
    interface Notices {
        void send(String method, RawJson params) throws InterruptedException;

        /** Asks a client with a handshake, and waits for its answer. */
        default RawJson ask(String method, RawJson params) throws InterruptedException {
            throw new RpcError(RpcError.INTERNAL_ERROR, "this client cannot be asked: " + method);
        }
    }

    /** What a client with a handshake has said once: of itself, and which log messages it wants, if any. */
    private record Greeting(
            String revision,
            RawJson capabilities,
            @Nullable RawJson info,
            @Nullable String logLevel) {}

    private static final System.Logger LOG = System.getLogger("dev.acp4j.mcp");

    /**
     * How long a handshake waits until the server reports changes; when it does later, everything counts as changed.
     */
    private static final Duration SUBSCRIBING = Duration.ofSeconds(1);

    private final Provider provider;

    /** What is reported to clients with a handshake beside their requests, this one by {@link #beside}. */
    private final Subscriptions subscriptions;

    private final Notices beside;
    private volatile boolean closed;

    /** What the server can do. */
    private volatile Members ofServer = Members.NONE;

    private volatile Greeting greeting = new Greeting("", RawJson.EMPTY_OBJECT, null, null);

    /**
     * @param subscriptions those of all clients of the provider
     * @param beside sends a client with a handshake what belongs to none of its requests
     */
    Face(Provider provider, Subscriptions subscriptions, Notices beside) {
        this.provider = provider;
        this.subscriptions = subscriptions;
        this.beside = beside;
    }

    /** The client has left: nothing is reported to it any more. */
    void close() {
        closed = true;
        subscriptions.leave(beside);
    }

    /** Serves one client over a transport that it alone uses. */
    static Connection serve(String name, Transport transport, Provider provider) {
        Requests requests = new Requests(provider);
        return Connection.builder(new McpCancellation(transport), requests)
                .name("mcp-" + name)
                .answerNoise(false)
                .onEnded(requests::ending)
                .start();
    }

    private static final class Requests implements Handler {
        private final Face face;

        /** Opens when the client is ready for what it has not asked for. */
        private final CountDownLatch initialized = new CountDownLatch(1);

        /** What it has not asked for. The thread waits for the client, so that nothing else does. */
        private final PendingNotices beside = new PendingNotices();

        private final Thread sending =
                Thread.ofPlatform().daemon().name("acp4j-mcp-beside").unstarted(this::send);
        private volatile @Nullable Connection connection;

        Requests(Provider provider) {
            this.face = new Face(provider, new Subscriptions(), beside);
        }

        private void send() {
            try {
                initialized.await();
                beside.passTo((method, params) -> connection().send(method, params));
            } catch (InterruptedException | RpcException e) {
                // The client has left.
            }
        }

        private Connection connection() {
            return Objects.requireNonNull(connection);
        }

        @Override
        public void bound(Connection value) {
            connection = value;
            sending.start();
        }

        @Override
        public void ending() {
            face.close();
            sending.interrupt();
        }

        @Override
        public Acceptance request(IncomingRequest request) {
            Members params = Members.of(request.params());
            Notices notices = new Reports(connection(), request.id());
            return () -> () -> ofSubscription(request.id(), face.answer(request.method(), params, notices));
        }

        @Override
        public @Nullable Delivery notification(Message message) {
            return message.method().equals("notifications/initialized") ? initialized::countDown : null;
        }
    }

    /** What is said on a connection while a request of it is answered. */
    private record Reports(Connection connection, RequestId asker) implements Notices {
        @Override
        public void send(String method, RawJson params) throws InterruptedException {
            connection.send(method, ofSubscription(asker, params));
        }

        @Override
        public RawJson ask(String method, RawJson params) throws InterruptedException {
            // A person may take their time.
            return connection.start(method, params, RawJson.CODEC, null).await(Duration.ZERO);
        }
    }

    /** Whether a request stands alone. */
    static boolean isModern(String method, Members params) {
        return params.object("_meta").has(VERSION) || method.equals("server/discover");
    }

    /** Answers a request of either era; see {@link Provider#answer}. */
    RawJson answer(String method, Members params, Notices notices) throws InterruptedException {
        if (isModern(method, params)) {
            provider.asked(method, params.object("_meta").text(VERSION, ""));
            check(params);
            return provider.answer(method, params, notices);
        }
        provider.asked(method, method.equals("initialize") ? params.text("protocolVersion", "") : greeting.revision());
        return switch (method) {
            case "initialize" -> greet(params, notices);
            case "ping" -> RawJson.EMPTY_OBJECT;
            case "logging/setLevel" -> setLevel(params);
            case "subscriptions/listen" -> throw RpcError.methodNotFound(method);
            case "resources/subscribe", "resources/unsubscribe" -> subscribe(method, params);
            default -> {
                try {
                    yield withoutModern(answered(method, withMeta(params), notices));
                } catch (RpcError e) {
                    yield legacy(method, e);
                }
            }
        };
    }

    /**
     * Subscribes to changes of the lists, which a client with a handshake gets without asking for them: before it is
     * greeted, so before it reads a list. It is greeted also by a server that does not report them, or does so later.
     */
    private void subscribeToLists() throws InterruptedException {
        Members lists = Members.NONE;
        for (String list : Link.LISTS) {
            if (ofServer.object(list).isTrue("listChanged")) {
                lists = lists.with(list + "ListChanged", RawJson.parse("true"));
            }
        }
        if (!lists.all().isEmpty() && !begin(lists).isBegunWithin(SUBSCRIBING)) {
            LOG.log(System.Logger.Level.INFO, "a server of MCP does not report changes of its lists yet");
        }
    }

    private Subscriptions.SharedSubscription begin(Members notifications) {
        Subscriptions.SharedSubscription begun = subscriptions.begin(notifications, this::subscribe, beside);
        if (closed) {
            // Meanwhile.
            subscriptions.leave(beside);
            throw new RpcError(RpcError.INTERNAL_ERROR, "the connection has ended");
        }
        return begun;
    }

    private RawJson subscribe(String method, Members params) throws InterruptedException {
        if (!ofServer.object("resources").isTrue("subscribe")) {
            throw RpcError.methodNotFound(method);
        }
        String uri = params.text("uri");
        if (uri == null) {
            throw RpcError.invalidParams("params.uri: expected a string");
        }
        if (method.equals("resources/subscribe")) {
            begin(Subscriptions.ofResource(uri)).awaitBegun();
        } else {
            subscriptions.end(Subscriptions.ofResource(uri), beside);
        }
        return RawJson.EMPTY_OBJECT;
    }

    /** Asks the server for reports, until the thread is interrupted. */
    private RawJson subscribe(Members notifications, Notices notices) throws InterruptedException {
        return provider.answer(
                "subscriptions/listen", withMeta(Members.NONE.with("notifications", notifications.json())), notices);
    }

    /** Keeps which log messages the client wants; with a modern one, each request says that. */
    private RawJson setLevel(Members params) {
        if (!ofServer.has("logging")) {
            throw RpcError.methodNotFound("logging/setLevel");
        }
        String level = params.text("level", "");
        if (!RunningHandler.LEVELS.contains(level)) {
            throw RpcError.invalidParams("params.level: expected one of " + RunningHandler.LEVELS + ", got " + level);
        }
        Greeting said = greeting;
        greeting = new Greeting(said.revision(), said.capabilities(), said.info(), level);
        return RawJson.EMPTY_OBJECT;
    }

    /**
     * Answers with an error that only modern clients know: that the client lacks a capability is a result of a tool,
     * which the model reads, and a resource that there is not has a code of its own.
     */
    private static RawJson legacy(String method, RpcError error) {
        if (method.equals("tools/call") && error.code() == Link.CAPABILITY_MISSING) {
            return Link.object(out -> {
                out.name("content");
                out.raw(RawJson.parse("[{\"type\":\"text\",\"text\":" + RawJson.string(error.message()) + "}]"));
                out.name("isError");
                out.bool(true);
            });
        }
        RawJson data = error.data().orElse(null);
        if (method.equals("resources/read")
                && error.code() == RpcError.INVALID_PARAMS
                && Members.of(data).has("uri")) {
            throw new RpcError(RpcError.RESOURCE_NOT_FOUND, error.message(), data);
        }
        throw error;
    }

    /** Asks a client with a handshake what a modern one is asked by a result, and goes on with its answers. */
    private RawJson answered(String method, Members params, Notices notices) throws InterruptedException {
        Members asked = params;
        while (true) {
            RawJson answer = provider.answer(method, asked, notices);
            Members result = Members.of(answer);
            if (!result.text("resultType", "complete").equals("input_required")) {
                return answer;
            }
            asked = params.with("inputResponses", replies(result, notices));
            RawJson state = result.raw("requestState");
            if (state != null) {
                asked = asked.with("requestState", state);
            }
        }
    }

    private RawJson replies(Members result, Notices notices) throws InterruptedException {
        Map<String, RawJson> replies = new LinkedHashMap<>();
        boolean isAnswered = false;
        try {
            for (var question : result.object("inputRequests").all().entrySet()) {
                replies.put(question.getKey(), reply(Members.of(question.getValue()), notices));
            }
            isAnswered = true;
        } finally {
            if (!isAnswered) {
                provider.abandon(result.text("requestState", ""));
            }
        }
        return new Members(replies).json();
    }

    private static RawJson reply(Members question, Notices notices) throws InterruptedException {
        String method = question.text("method", "");
        try {
            return notices.ask(method, question.object("params").json());
        } catch (RpcError e) {
            if (method.equals("elicitation/create")) {
                // Nobody has answered: that is an answer, too.
                return Questions.CANCEL;
            }
            throw e;
        }
    }

    /** Refuses a request that does not stand alone, or is of another revision. */
    static void check(Members params) {
        Members meta = params.object("_meta");
        String version = meta.text(VERSION);
        if (version == null) {
            throw RpcError.invalidParams("params._meta[\"" + VERSION + "\"] is missing");
        }
        if (!version.equals(Link.MODERN)) {
            RawJson data = Link.object(out -> {
                out.name("supported");
                out.beginArray();
                out.string(Link.MODERN);
                out.endArray();
                out.name("requested");
                out.string(version);
            });
            throw new RpcError(Link.UNSUPPORTED_VERSION, "this server speaks " + Link.MODERN, data);
        }
        RawJson capabilities = meta.raw(CAPABILITIES);
        if (capabilities == null) {
            throw RpcError.invalidParams("params._meta[\"" + CAPABILITIES + "\"] is missing");
        }
        if (capabilities.reader().kind() != JsonReader.Kind.OBJECT) {
            throw RpcError.invalidParams("params._meta[\"" + CAPABILITIES + "\"]: expected an object");
        }
    }

    /**
     * Returns what is reported or answered with the id by which its client knows the subscription, if it belongs to
     * one.
     */
    static RawJson ofSubscription(RequestId asker, RawJson params) {
        Members members = Members.of(params);
        Members meta = members.object("_meta");
        return meta.has(SUBSCRIPTION)
                ? members.with("_meta", meta.with(SUBSCRIPTION, asker.json()).json())
                        .json()
                : params;
    }

    private RawJson greet(Members params, Notices notices) throws InterruptedException {
        RawJson capabilities = params.raw("capabilities");
        String asked = params.text("protocolVersion", "");
        greeting = new Greeting(
                asked,
                capabilities == null ? RawJson.EMPTY_OBJECT : capabilities.copy(),
                copy(params.raw("clientInfo")),
                null);
        Members found = Members.of(provider.answer("server/discover", withMeta(Members.NONE), notices));
        ofServer = Members.of(copy(found.raw("capabilities")));
        subscribeToLists();
        return Link.object(out -> {
            out.name("protocolVersion");
            out.string(Link.LEGACY_VERSIONS.contains(asked) ? asked : Link.LEGACY);
            out.name("capabilities");
            RawJson offered = found.raw("capabilities");
            out.raw(offered == null ? RawJson.EMPTY_OBJECT : offered);
            out.name("serverInfo");
            RawJson info = found.object("_meta").raw(SERVER_INFO);
            out.raw(info == null ? RawJson.parse("{\"name\":\"acp4j\",\"version\":\"0\"}") : info);
            String instructions = found.text("instructions");
            if (instructions != null) {
                out.name("instructions");
                out.string(instructions);
            }
        });
    }

    private static @Nullable RawJson copy(@Nullable RawJson value) {
        return value == null ? null : value.copy();
    }

    /** Puts in what the client has said once. */
    private Members withMeta(Members params) {
        Greeting said = greeting;
        RawJson meta = Link.object(out -> {
            params.object("_meta").all().forEach((name, value) -> {
                out.name(name);
                out.raw(value);
            });
            out.name(VERSION);
            out.string(Link.MODERN);
            out.name(CAPABILITIES);
            out.raw(said.capabilities());
            if (said.info() != null) {
                out.name(CLIENT_INFO);
                out.raw(said.info());
            }
            if (said.logLevel() != null) {
                out.name(RunningHandler.LOG_LEVEL);
                out.string(said.logLevel());
            }
        });
        return params.with("_meta", meta);
    }

    private static RawJson withoutModern(RawJson result) {
        Members members = Members.of(result);
        String type = members.text("resultType", "complete");
        if (!type.equals("complete")) {
            throw new RpcError(RpcError.INTERNAL_ERROR, "this client cannot be asked by a result: " + type);
        }
        return Link.object(out -> {
            for (Map.Entry<String, RawJson> member : members.all().entrySet()) {
                if (!MODERN_MEMBERS.contains(member.getKey())) {
                    out.name(member.getKey());
                    out.raw(member.getValue());
                }
            }
        });
    }
}
