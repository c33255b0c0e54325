package dev.acp4j.mcp;

import dev.acp4j.Client;
import dev.acp4j.Feature;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpServerAcpId;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An MCP server whose tools are methods of this program. A client offers it to agents in the setup of a session:
 *
 * <pre>{@code
 * var git = ToolServer.builder("git", "1.0").tool("branch", "Names the branch", call -> branch()).build();
 * try (var agent = ToolServer.addTo(Client.builder("ide", "1.0"), git).connect(launch)) {
 *     var session = agent.newSession(SessionSetup.in(folder).withMcpServers(List.of(git.declaration())));
 * }
 * }</pre>
 *
 * <p>An agent that supports {@link Feature#MCP_ACP} calls the tools over the connection of the client. Any other gets
 * an address on loopback with a token, if it supports {@link Feature#MCP_HTTP}, and else the command of a small program
 * that connects it to this one. All answer alike, to agents that speak MCP revision 2026-07-28 and to those that speak
 * an older one.
 *
 * <p>The same object {@linkplain #serve serves} standard input and output, and {@linkplain #listen HTTP}, without ACP.
 * Immutable and thread-safe; calls run beside each other.
 *
 * @see <a href="https://modelcontextprotocol.io/specification/2025-11-25/server/tools">Tools</a>
 */
@Unstable
public final class ToolServer {
    private static final System.Logger LOG = System.getLogger("dev.acp4j.mcp");

    /** How long a client may keep a list, in milliseconds: tools never change. */
    private static final long KEPT = 3_600_000;

    /** The name of a tool's question in a result: a tool asks one after the other. */
    private static final String QUESTION = "question";

    private static final int MOST_QUESTIONS = 64;

    private final String name;
    private final String version;
    private final String instructions;
    private final Map<String, OwnTool> tools;
    private final Consumer<Request> listener;
    private final McpServer.Acp declaration;

    private record OwnTool(RawJson definition, ArgumentCheck check, Handler handler) {}

    private ToolServer(Builder builder) {
        this.name = builder.name;
        this.version = builder.version;
        this.instructions = builder.instructions;
        this.tools = new LinkedHashMap<>(builder.tools);
        this.listener = builder.listener;
        this.declaration = McpServer.Acp.of(name, McpServerAcpId.of(name + "-" + UUID.randomUUID()));
    }

    /**
     * Begins a server.
     *
     * @param name its name, which agents show and may put before the names of its tools
     * @param version its version
     */
    public static Builder builder(String name, String version) {
        return new Builder(name, version);
    }

    /** Describes a component of a record to models, when the record is the arguments of a tool. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    public @interface Description {
        /** Returns the description. */
        String value();
    }

    /** Runs a tool. */
    @FunctionalInterface
    public interface Handler {
        /**
         * Returns the result: a text, number or boolean; a record or a {@link RawJson} object as structured content; a
         * {@link ContentBlock} or a list of these; a {@link ToolResult}; or null for nothing. May block. The thread is
         * interrupted when the call is cancelled or its session ends.
         *
         * @throws Exception to fail the call: the model reads the message, and nothing else of it
         */
        @Nullable
        Object run(Call call) throws Exception;
    }

    /**
     * Runs a tool whose arguments are a record.
     *
     * @param <A> the record
     */
    @FunctionalInterface
    public interface RecordHandler<A extends Record> {
        /** Returns the result, as {@link Handler#run} does. */
        @Nullable
        Object run(A arguments, Call call) throws Exception;
    }

    /**
     * What a client of MCP, such as an agent, asks a server.
     *
     * @param method the method, {@code initialize} or {@code tools/list} for example
     * @param revision the revision of MCP that the client speaks, as it says
     */
    public record Request(String method, String revision) {}

    /** A call of a tool. For the thread that runs it. */
    public static final class Call {
        private final RawJson arguments;
        private final @Nullable SessionSetup setup;
        private final boolean canAsk;
        private @Nullable RunningTool running;

        private Call(RawJson arguments, @Nullable SessionSetup setup, boolean canAsk) {
            this.arguments = arguments;
            this.setup = setup;
            this.canAsk = canAsk;
        }

        /** Returns the arguments, an object that matches the schema of the tool. */
        public RawJson arguments() {
            return arguments;
        }

        /**
         * Returns an argument that is a string.
         *
         * @throws IllegalArgumentException when there is none, which fails the call
         */
        public String text(String name) {
            String value = Members.of(arguments).text(name);
            if (value == null) {
                throw new IllegalArgumentException("arguments." + name + ": expected a string");
            }
            return value;
        }

        /** Returns the setup of the session that the tool is called for; empty when it is served without ACP. */
        public Optional<SessionSetup> setup() {
            return Optional.ofNullable(setup);
        }

        /**
         * Reports progress, if the agent asked for it.
         *
         * @param done how much is done, more with each report
         * @param total how much there is, in the same unit
         * @param message what is being done
         * @throws InterruptedException when the call is cancelled
         */
        public void progress(double done, double total, String message) throws InterruptedException {
            Objects.requireNonNull(running).progress(done, total, message);
        }

        /** Returns whether the agent can ask the user for what a tool wants to know. */
        public boolean canAsk() {
            return canAsk;
        }

        /**
         * Asks the user to fill in a form, by the agent, and waits for the answer, however long that takes.
         *
         * <pre>{@code
         * record Release(String version, @Nullable Boolean draft) {}
         * Optional<Release> release = call.ask("What is released?", Release.class);
         * }</pre>
         *
         * @param message what is asked, for the user
         * @param form a record of strings, booleans, numbers and enums, a field each; see {@link Builder#tool(String,
         *     String, Class, RecordHandler)}
         * @return what the user has filled in; empty when they declined or nobody answered
         * @throws IllegalStateException when the agent cannot ask, which fails the call: see {@link #canAsk}
         * @throws IllegalArgumentException when a component is of another type, or the answer is no such record
         * @throws InterruptedException when the call is cancelled
         */
        public <A extends Record> Optional<A> ask(String message, Class<A> form) throws InterruptedException {
            RawJson schema = Records.form(form);
            if (!canAsk) {
                throw new IllegalStateException("the agent cannot ask the user");
            }
            Members answer = Members.of(Objects.requireNonNull(running).ask(Link.object(out -> {
                out.name("method");
                out.string("elicitation/create");
                out.name("params");
                out.beginObject();
                out.name("mode");
                out.string("form");
                out.name("message");
                out.string(message);
                out.name("requestedSchema");
                out.raw(schema);
                out.endObject();
            })));
            if (!answer.text("action", "").equals("accept")) {
                return Optional.empty();
            }
            RawJson content = answer.object("content").json();
            String problem = ArgumentCheck.of(schema).problems(content);
            if (!problem.isEmpty()) {
                throw new IllegalArgumentException(problem.replace("arguments", "the answer of the user"));
            }
            return Optional.of(Records.read(form, content));
        }
    }

    // ---- serving

    /**
     * Offers servers to the agents that a client connects to: in each session whose setup has the
     * {@linkplain #declaration() declaration} of one. They are served for as long as the session is open here.
     *
     * @return the same builder
     * @throws IllegalArgumentException when the client handles {@code mcp/message} itself
     * @throws IllegalStateException when the client's setups of sessions have a handler already
     */
    public static Client.Builder addTo(Client.Builder client, ToolServer... servers) {
        return Offers.of(servers).addTo(client);
    }

    /**
     * Gives a proxy tools of its own: the agent of each session that the proxy sees opened gets the servers, besides
     * those of the client, and in the way that the agent offers. A server whose name is taken in a session gets a
     * number behind it. They are served until the session is closed or deleted, or the connection has ended; over ACP
     * also by a program that a conductor has started again.
     *
     * <pre>{@code
     * ToolServer.addTo(Proxy.builder("git", "1.0"), git).build().serve(Stdio.system());
     * }</pre>
     *
     * <p>An agent that connects no MCP servers at all opens no session then: the request is refused with the name of
     * the server (-32602). Unless the agent takes servers over ACP, the proxy must run on the machine of the agent.
     *
     * @return the same builder
     */
    public static Proxy.Builder addTo(Proxy.Builder proxy, ToolServer... servers) {
        List<ToolServer> all = List.of(servers);
        return new ProxyTools(session -> all).addTo(proxy);
    }

    /** Makes the servers of a session that passes a proxy. */
    @FunctionalInterface
    public interface ForSession {
        /**
         * Returns the servers, before the agent reads the setup of the session; none if it gets none.
         *
         * @throws RpcError to refuse the session
         */
        List<ToolServer> servers(ProxySession session);
    }

    /**
     * Gives a proxy tools of its own that differ by session, or need its client: see {@link #addTo(Proxy.Builder,
     * ToolServer...)}.
     *
     * <pre>{@code
     * ToolServer.addTo(proxy, session -> List.of(ToolServer.builder("title", "1.0")
     *         .tool("title", "Names the session", call -> session.client().call(...))
     *         .build()));
     * }</pre>
     *
     * @param servers is asked for the servers when a session is opened
     * @return the same builder
     */
    public static Proxy.Builder addTo(Proxy.Builder proxy, ForSession servers) {
        return new ProxyTools(servers).addTo(proxy);
    }

    /** Returns what the setup of a session names. It means something only to a client that offers this server. */
    public McpServer.Acp declaration() {
        return declaration;
    }

    /**
     * Serves one client of MCP until it leaves, over standard input and output for example: a server as a program. With
     * the default of {@link dev.acp4j.Stdio}, standard output is for MCP only.
     *
     * <pre>{@code
     * git.serve(Stdio.system());
     * }</pre>
     *
     * @throws InterruptedException when interrupted; running calls are then interrupted, too
     */
    public void serve(Transport transport) throws InterruptedException {
        Face.Provider provider = provider(null);
        try (Connection connection = Face.serve(name, transport, provider)) {
            connection.awaitClosed();
        } finally {
            provider.close();
        }
    }

    /**
     * Serves clients of MCP over HTTP, at an address of the loopback interface that nobody uses without its token.
     *
     * @throws IOException when no port can be opened
     */
    public Endpoint listen() throws IOException {
        HttpEndpoint http = new HttpEndpoint();
        return new Endpoint(http, http.add(declaration, provider(null)));
    }

    /** A server that listens. Thread-safe. */
    public static final class Endpoint implements AutoCloseable {
        private final HttpEndpoint http;
        private final McpServer.Http declaration;

        private Endpoint(HttpEndpoint http, McpServer.Http declaration) {
            this.http = http;
            this.declaration = declaration;
        }

        /** Returns the address, and the header with the token. */
        public McpServer.Http declaration() {
            return declaration;
        }

        /** Interrupts what runs, and closes the port. */
        @Override
        public void close() {
            http.close();
        }
    }

    /**
     * Offers the server in one way, whatever an agent advertises.
     *
     * @throws IOException when no port can be opened
     */
    public OfferedServer offer(OfferedServer.Way way) throws IOException {
        return new OfferedServer(this, way);
    }

    // ---- answering

    /** Returns what answers requests of one session; of none when it is null. */
    Face.Provider provider(@Nullable SessionSetup setup) {
        return new Calls(setup);
    }

    /** The calls of one session. */
    private final class Calls implements Face.Provider {
        private final @Nullable SessionSetup setup;

        /** Those that wait for the user, by what the next request names them. */
        private final Map<String, RunningTool> asking = new ConcurrentHashMap<>();

        private volatile boolean closed;

        Calls(@Nullable SessionSetup setup) {
            this.setup = setup;
        }

        @Override
        public void asked(String method, String revision) {
            listener.accept(new Request(method, revision));
        }

        @Override
        public RawJson answer(String method, Members params, Face.Notices notices) throws InterruptedException {
            return switch (method) {
                case "server/discover" -> discovered();
                case "tools/list" -> list();
                case "tools/call" -> call(params, notices);
                default -> throw RpcError.methodNotFound(method);
            };
        }

        @Override
        public void abandon(String state) {
            RunningTool tool = asking.remove(state);
            if (tool != null) {
                tool.cancel();
            }
        }

        @Override
        public void close() {
            closed = true;
            asking.values().forEach(RunningTool::cancel);
            asking.clear();
        }

        private RawJson call(Members params, Face.Notices notices) throws InterruptedException {
            RawJson token = params.object("_meta").raw("progressToken");
            String state = params.text("requestState");
            RunningTool tool;
            if (state == null) {
                tool = begin(params, notices, token);
            } else {
                tool = asking.remove(state);
                if (tool == null) {
                    throw RpcError.invalidParams("params.requestState: nothing waits for this answer");
                }
                RawJson answer = params.object("inputResponses").raw(QUESTION);
                if (answer == null) {
                    // The answer to something else: it is asked once more.
                    return asked(tool);
                }
                tool.reply(answer.copy(), notices, token);
            }
            ToolResult result = tool.await();
            return result == null ? asked(tool) : written(result);
        }

        private RunningTool begin(Members params, Face.Notices notices, @Nullable RawJson token) {
            String asked = params.text("name", "");
            OwnTool tool = tools.get(asked);
            if (tool == null) {
                throw RpcError.invalidParams("there is no tool " + asked);
            }
            RawJson arguments = params.raw("arguments");
            Members elicitation =
                    params.object("_meta").object(Face.CAPABILITIES).object("elicitation");
            boolean isOffered = params.object("_meta").object(Face.CAPABILITIES).has("elicitation");
            Call call = new Call(
                    arguments == null ? RawJson.EMPTY_OBJECT : arguments.copy(),
                    setup,
                    isOffered && (elicitation.all().isEmpty() || elicitation.has("form")));
            RunningTool running = new RunningTool(asked, () -> run(asked, tool, call), notices, token);
            call.running = running;
            running.start();
            return running;
        }

        private RawJson asked(RunningTool tool) {
            if (asking.size() >= MOST_QUESTIONS) {
                tool.cancel();
                throw new RpcError(RunningCalls.LIMIT_REACHED, "more than " + MOST_QUESTIONS + " questions at once");
            }
            String state = UUID.randomUUID().toString();
            asking.put(state, tool);
            if (closed) {
                tool.cancel();
            }
            return Link.object(out -> {
                out.name("resultType");
                out.string("input_required");
                out.name("inputRequests");
                out.beginObject();
                out.name(QUESTION);
                out.raw(Objects.requireNonNull(tool.question()));
                out.endObject();
                out.name("requestState");
                out.string(state);
            });
        }
    }

    private RawJson discovered() {
        return result(out -> {
            writeKept(out);
            out.name("supportedVersions");
            out.beginArray();
            out.string(Link.MODERN);
            out.endArray();
            out.name("capabilities");
            out.raw(RawJson.parse("{\"tools\":{}}"));
            if (!instructions.isEmpty()) {
                out.name("instructions");
                out.string(instructions);
            }
        });
    }

    private RawJson list() {
        return result(out -> {
            writeKept(out);
            out.name("tools");
            out.beginArray();
            tools.values().forEach(tool -> out.raw(tool.definition()));
            out.endArray();
        });
    }

    private static void writeKept(JsonWriter out) {
        out.name("ttlMs");
        out.int64(KEPT);
        out.name("cacheScope");
        out.string("private");
    }

    private RawJson result(Consumer<JsonWriter> members) {
        return Link.object(out -> {
            out.name("resultType");
            out.string("complete");
            members.accept(out);
            out.name("_meta");
            out.beginObject();
            out.name(Face.SERVER_INFO);
            out.beginObject();
            out.name("name");
            out.string(name);
            out.name("version");
            out.string(version);
            out.endObject();
            out.endObject();
        });
    }

    private RawJson written(ToolResult result) {
        return result(out -> {
            out.name("content");
            out.beginArray();
            result.content().forEach(block -> Codecs.contentBlock().encode(block, out));
            out.endArray();
            if (result.structured() != null) {
                out.name("structuredContent");
                out.raw(result.structured());
            }
            if (result.isError()) {
                out.name("isError");
                out.bool(true);
            }
        });
    }

    private static ToolResult run(String name, OwnTool tool, Call call) throws InterruptedException {
        String problem = call.arguments().reader().kind() == JsonReader.Kind.OBJECT
                ? tool.check().problems(call.arguments())
                : "the arguments must be an object";
        if (!problem.isEmpty()) {
            return ToolResult.failure(problem);
        }
        try {
            return result(tool.handler().run(call));
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            LOG.log(Level.DEBUG, () -> "the tool " + name + " failed", e);
            return ToolResult.failure(Objects.requireNonNullElse(e.getMessage(), "the tool failed"));
        }
    }

    private static ToolResult result(@Nullable Object value) {
        return switch (value) {
            case null -> new ToolResult(List.of(), null, false, RawJson.EMPTY_OBJECT);
            case ToolResult result -> result;
            case ContentBlock block -> new ToolResult(List.of(block), null, false, RawJson.EMPTY_OBJECT);
            case List<?> blocks ->
                new ToolResult(
                        blocks.stream().map(ContentBlock.class::cast).toList(), null, false, RawJson.EMPTY_OBJECT);
            case Record one -> structured(Records.json(one));
            case RawJson json -> structured(json);
            case String text -> text(text);
            case Number number -> text(number.toString());
            case Boolean bool -> text(bool.toString());
            default ->
                throw new IllegalStateException("a tool returns a text, a record, content or a result, and not a "
                        + value.getClass().getName());
        };
    }

    private static ToolResult text(String text) {
        return new ToolResult(List.of(ContentBlock.text(text)), null, false, RawJson.EMPTY_OBJECT);
    }

    /** The same as text, too: agents of older revisions read only that. */
    private static ToolResult structured(RawJson json) {
        return new ToolResult(List.of(ContentBlock.text(json.toString())), json, false, RawJson.EMPTY_OBJECT);
    }

    @Override
    public String toString() {
        return name + " " + version + " " + tools.keySet();
    }

    /** Builds a {@link ToolServer}. */
    public static final class Builder {
        private static final RawJson NO_ARGUMENTS = RawJson.parse("{\"type\":\"object\"}");

        private final String name;
        private final String version;
        private final Map<String, OwnTool> tools = new LinkedHashMap<>();
        private String instructions = "";
        private Consumer<Request> listener = request -> {};

        private Builder(String name, String version) {
            this.name = Objects.requireNonNull(name, "name is null");
            this.version = Objects.requireNonNull(version, "version is null");
        }

        /** Sets what an agent may tell its model about the server as a whole. */
        public Builder instructions(String value) {
            instructions = Objects.requireNonNull(value, "instructions is null");
            return this;
        }

        /**
         * Sets what is called with each request, before it is answered: ACP has no receipt for a server, so this is how
         * one learns whether an agent has come, by {@code tools/list} for example. Called on the thread of the request;
         * must not block.
         */
        public Builder onRequest(Consumer<Request> value) {
            listener = Objects.requireNonNull(value, "the listener is null");
            return this;
        }

        /** Adds a tool without arguments; see {@link #tool(String, String, RawJson, Handler)}. */
        public Builder tool(String name, String description, Handler handler) {
            return tool(name, description, NO_ARGUMENTS, handler);
        }

        /**
         * Adds a tool.
         *
         * @param name its name, unique in the server: letters, digits, {@code _} and {@code -} suit all models
         * @param description what it does, for the model
         * @param schema the JSON Schema of its arguments, an object; draft 2020-12 unless it names another. What does
         *     not match it does not reach the handler
         * @param handler runs it
         * @throws IllegalArgumentException when the schema is not usable, or there is a tool of this name
         */
        public Builder tool(String name, String description, RawJson schema, Handler handler) {
            if (!"object".equals(Members.of(schema).text("type"))) {
                throw new IllegalArgumentException("the schema of " + name + " must have the type object");
            }
            RawJson definition = Link.object(out -> {
                out.name("name");
                out.string(name);
                out.name("description");
                out.string(description);
                out.name("inputSchema");
                out.raw(schema);
            });
            if (tools.putIfAbsent(name, new OwnTool(definition, ArgumentCheck.of(schema), handler)) != null) {
                throw new IllegalArgumentException("there is a tool " + name + " already");
            }
            return this;
        }

        /**
         * Adds a tool whose arguments are a record. Components may be strings, booleans, {@code int}, {@code long},
         * {@code double}, enums, records, {@link RawJson} and lists of these; those annotated {@code @Nullable} may be
         * absent. {@link Description} describes one to the model.
         *
         * <pre>{@code
         * record Range(String file, int from, @Nullable Integer to) {}
         * builder.tool("lines", "Reads lines of a file", Range.class, (range, call) -> read(range));
         * }</pre>
         *
         * <p>In a named module its package must be open to {@code dev.acp4j.mcp}.
         *
         * @throws IllegalArgumentException when a component has another type, the record is not accessible, or there is
         *     a tool of this name
         */
        public <A extends Record> Builder tool(
                String name, String description, Class<A> arguments, RecordHandler<A> handler) {
            return tool(
                    name,
                    description,
                    Records.schema(arguments),
                    call -> handler.run(Records.read(arguments, call.arguments()), call));
        }

        /** Builds the server. */
        public ToolServer build() {
            return new ToolServer(this);
        }
    }
}
