package dev.acp4j.mcp;

import dev.acp4j.Client;
import dev.acp4j.Feature;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpServerAcpId;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An MCP server whose tools, prompts and resources are methods of this program. A client offers it to agents in the
 * setup of a session:
 *
 * <pre>{@code
 * var git = ToolServer.builder("git", "1.0").tool("branch", "Names the branch", call -> branch()).build();
 * try (var agent = ToolServer.addTo(Client.builder("ide", "1.0"), git).connect(launch)) {
 *     var session = agent.newSession(SessionSetup.in(folder).withMcpServers(List.of(git.declaration())));
 * }
 * }</pre>
 *
 * <p>Agents use tools; many clients of theirs offer prompts as commands, and resources as context. The server
 * advertises what it has.
 *
 * <p>An agent that supports {@link Feature#MCP_ACP} calls the tools over the connection of the client. Any other gets
 * an address on loopback with a token, if it supports {@link Feature#MCP_HTTP}, and else the command of a small program
 * that connects it to this one. All answer alike, to agents that speak MCP revision 2026-07-28 and to those that speak
 * an older one.
 *
 * <p>The same object {@linkplain #serve serves} standard input and output, and {@linkplain #listen HTTP}, without ACP.
 * Thread-safe; calls run beside each other. What the server has stays as it was built, unless it
 * {@linkplain Builder#reportsChanges reports changes}.
 *
 * @see <a href="https://modelcontextprotocol.io/specification/2025-11-25/server/tools">Tools</a>
 */
@Unstable
public final class ToolServer {
    /** The name of a question that needs none. */
    private static final String QUESTION = "question";

    final String name;
    final String version;
    final String instructions;
    final Consumer<Request> listener;

    /** Whether what there is may change. */
    final boolean reportsChanges;

    private final AtomicReference<Contents> contents;

    /** The agents that have subscribed to changes, each as long as its request is open. */
    final Set<Listening> listening = ConcurrentHashMap.newKeySet();

    private final McpServer.Acp declaration;

    private ToolServer(Builder builder) {
        this.name = builder.name;
        this.version = builder.version;
        this.instructions = builder.instructions;
        this.contents = new AtomicReference<>(new Contents(
                new LinkedHashMap<>(builder.tools),
                new LinkedHashMap<>(builder.prompts),
                new LinkedHashMap<>(builder.resources),
                List.copyOf(builder.templates),
                Map.copyOf(builder.completions)));
        this.listener = builder.listener;
        this.reportsChanges = builder.reportsChanges;
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

    /**
     * Describes a component of a record: to models when the record is the arguments of a tool, and to users when it is
     * those of a prompt or a form.
     */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    public @interface Description {
        /** Returns the description. */
        String value();
    }

    /** Runs a tool, fills in a prompt, or reads a resource. */
    @FunctionalInterface
    public interface Handler {
        /**
         * Returns the result. May block. The thread is interrupted when the call is cancelled or its session ends.
         *
         * <ul>
         *   <li>A tool returns a text, number or boolean; a record or a {@link RawJson} object as structured content; a
         *       {@link ContentBlock} or a list of these; a {@link ToolResult}; or null for nothing.
         *   <li>A prompt returns a text or a {@link ContentBlock}, which is a message of the user; a
         *       {@link Prompt.Message}; or a list of these.
         *   <li>A resource returns a text, or a record or {@link RawJson} as JSON; a {@code byte[]};
         *       {@link ResourceContents} or a list of these; or null when there is no such resource.
         * </ul>
         *
         * @throws Exception to fail the call: the agent reads the message, and nothing else of it
         */
        @Nullable
        Object run(Call call) throws Exception;
    }

    /**
     * Runs a tool, fills in a prompt, or reads a resource, whose arguments are a record.
     *
     * @param <A> the record
     */
    @FunctionalInterface
    public interface RecordHandler<A extends Record> {
        /** Returns the result, as {@link Handler#run} does. */
        @Nullable
        Object run(A arguments, Call call) throws Exception;
    }

    /** Completes an argument of a prompt or a variable of a resource template while a user types it. */
    @FunctionalInterface
    public interface Completion {
        /**
         * Returns the values that fit, the best first; the agent gets the first hundred. Must not block for long: the
         * user is typing.
         *
         * @param typed what has been typed, which may be empty
         * @param others the other arguments that are filled in already, by their names
         */
        List<String> complete(String typed, Map<String, String> others);
    }

    /**
     * What a client of MCP, such as an agent, asks a server.
     *
     * @param method the method, {@code initialize} or {@code tools/list} for example
     * @param revision the revision of MCP that the client speaks, as it says
     */
    public record Request(String method, String revision) {}

    /** A call of a tool, prompt or resource. For the thread that runs it. */
    public static final class Call {
        private static final Set<String> METHODS = Set.of("elicitation/create", "sampling/createMessage", "roots/list");

        private final RawJson arguments;
        private final @Nullable SessionSetup setup;
        private final Members capabilities;
        private final RunningHandler running;

        /** What was not asked yet, by name. */
        private final Map<String, Question<?>> open = new LinkedHashMap<>();

        Call(RawJson arguments, @Nullable SessionSetup setup, Members capabilities, RunningHandler running) {
            this.arguments = arguments;
            this.setup = setup;
            this.capabilities = capabilities;
            this.running = running;
        }

        /** Returns the arguments, an object that matches the schema of the tool; of a resource, the variables. */
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

        /** Returns the setup of the session that the call belongs to; empty when the server is used without ACP. */
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
            running.progress(done, total, message);
        }

        /**
         * Sends a log message to the agent, if it asked for those of the level. Most agents ask for none.
         *
         * @param level how important it is; {@code TRACE} is the same as {@code DEBUG}
         * @throws IllegalArgumentException when the level is {@code ALL} or {@code OFF}
         * @throws InterruptedException when the call is cancelled
         */
        public void log(Level level, String message) throws InterruptedException {
            String name = switch (level) {
                case TRACE, DEBUG -> "debug";
                case INFO -> "info";
                case WARNING -> "warning";
                case ERROR -> "error";
                case ALL, OFF -> throw new IllegalArgumentException("a message has no level " + level);
            };
            running.log(name, message);
        }

        /** Returns whether the agent can ask the user to fill in a form. */
        public boolean canAsk() {
            Members elicitation = capabilities.object("elicitation");
            return capabilities.has("elicitation") && (elicitation.all().isEmpty() || elicitation.has("form"));
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
         * @param form a record of strings, booleans, numbers, enums and lists of enums, a field each; see
         *     {@link Builder#tool(String, String, Class, RecordHandler)}
         * @return what the user has filled in; empty when they declined or nobody answered
         * @throws MissingCapabilityError when the agent cannot ask, which fails the call (-32021): see {@link #canAsk}
         * @throws IllegalArgumentException when a component is of another type, or the answer is no such record
         * @throws InterruptedException when the call is cancelled
         */
        public <A extends Record> Optional<A> ask(String message, Class<A> form) throws InterruptedException {
            return question(QUESTION, message, form).answer();
        }

        /**
         * Asks the user to complete a form whose fields have values already, as {@link #ask(String, Class)} does.
         *
         * <pre>{@code
         * Optional<Release> release = call.ask("What is released?", new Release(next, true));
         * }</pre>
         *
         * @param defaults what stands in the fields at first; a component that is null has no default
         */
        public <A extends Record> Optional<A> ask(String message, A defaults) throws InterruptedException {
            return question(QUESTION, message, defaults).answer();
        }

        /**
         * Makes a question with a form, see {@link #ask(String, Class)}. It is asked when its {@link Question#answer}
         * or that of another question is awaited, together with all others that were not asked yet.
         *
         * @param name the name of the question, unique among those that are asked together; an agent may send the
         *     answer with the call, and then nobody is asked
         * @throws MissingCapabilityError when the agent cannot ask, which fails the call (-32021): see {@link #canAsk}
         * @throws IllegalArgumentException when a component is of another type, or the name is used
         */
        public <A extends Record> Question<A> question(String name, String message, Class<A> form) {
            return question(name, message, Records.form(form), content -> Records.read(form, content));
        }

        /** Makes a question with a form whose fields have values already, see {@link #ask(String, Record)}. */
        public <A extends Record> Question<A> question(String name, String message, A defaults) {
            @SuppressWarnings("unchecked") // The class of an A.
            Class<A> form = (Class<A>) defaults.getClass();
            return question(name, message, Records.form(defaults), content -> Records.read(form, content));
        }

        /**
         * Makes a question with a form of any kind that MCP has: lengths, formats, titles of choices.
         *
         * @param schema the JSON Schema of the form, an object whose properties are no objects
         * @return the question, whose answer matches the schema
         * @see <a href="https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation">Elicitation</a>
         */
        public Question<RawJson> question(String name, String message, RawJson schema) {
            return question(name, message, schema, content -> content);
        }

        private <A> Question<A> question(String name, String message, RawJson schema, Function<RawJson, A> reading) {
            ArgumentCheck check = ArgumentCheck.of(schema);
            RawJson params = Link.object(out -> {
                out.name("mode");
                out.string("form");
                out.name("message");
                out.string(message);
                out.name("requestedSchema");
                out.raw(schema);
            });
            return opened(name, "elicitation/create", params, reply -> {
                Members answer = Members.of(reply);
                if (!answer.text("action", "").equals("accept")) {
                    return Optional.empty();
                }
                RawJson content = answer.object("content").json();
                String problem = check.problems(content);
                if (!problem.isEmpty()) {
                    throw new IllegalArgumentException(problem.replace("arguments", "the answer of the user"));
                }
                return Optional.of(reading.apply(content));
            });
        }

        /**
         * Makes any request that a server may have for the client of MCP: {@code sampling/createMessage} asks its
         * model, {@code roots/list} for its folders, and {@code elicitation/create} with the mode {@code url} leads the
         * user to a page. Few agents offer these, and MCP has deprecated the first two: {@link #setup} has the folders.
         *
         * @param name see {@link #question(String, String, Class)}
         * @param params the parameters, as MCP has them
         * @return the question, whose answer is the result, as MCP has it
         * @throws MissingCapabilityError when the agent does not offer it, which fails the call (-32021): see
         *     {@link #canRequest}
         * @throws IllegalArgumentException when a server may not make such a request, or the name is used
         */
        public Question<RawJson> request(String name, String method, RawJson params) {
            return opened(name, method, params, Optional::of);
        }

        /** Returns whether the agent answers such requests; for pages see the capability {@code elicitation.url}. */
        public boolean canRequest(String method) {
            return METHODS.contains(method) && capabilities.has(capability(method));
        }

        private static String capability(String method) {
            return method.substring(0, method.indexOf('/'));
        }

        private <A> Question<A> opened(
                String name, String method, RawJson params, Function<RawJson, Optional<A>> reading) {
            if (!METHODS.contains(method)) {
                throw new IllegalArgumentException(
                        "a server may make the requests elicitation/create, roots/list and sampling/createMessage, and"
                                + " not " + method);
            }
            boolean isPage = "url".equals(Members.of(params).text("mode"));
            boolean isOffered = switch (method) {
                case "elicitation/create" ->
                    isPage ? capabilities.object("elicitation").has("url") : canAsk();
                default -> canRequest(method);
            };
            if (!isOffered) {
                String capability = capability(method);
                throw new MissingCapabilityError(new RpcError(
                        Link.CAPABILITY_MISSING,
                        capability.equals("elicitation")
                                ? "the agent cannot ask the user"
                                : "the agent does not offer " + capability,
                        RawJson.parse("{\"requiredCapabilities\":{\"" + capability + "\":{"
                                + (isPage ? "\"url\":{}" : "") + "}}}")));
            }
            RawJson request = Link.object(out -> {
                out.name("method");
                out.string(method);
                out.name("params");
                out.raw(params);
            });
            Question<A> question = new Question<>(this, name, request, reading);
            if (open.putIfAbsent(name, question) != null) {
                throw new IllegalArgumentException("there is a question " + name + " already");
            }
            return question;
        }

        /** Asks what was not asked yet, and waits for all answers. */
        void askAll() throws InterruptedException {
            Map<String, RawJson> requests = new LinkedHashMap<>();
            open.forEach((name, question) -> requests.put(name, question.request()));
            List<Question<?>> asked = List.copyOf(open.values());
            open.clear();
            Map<String, RawJson> replies = running.ask(requests);
            asked.forEach(question -> question.answered(Objects.requireNonNull(replies.get(question.name()))));
        }
    }

    // ---- serving

    /**
     * Offers servers to the agents that a client connects to: in each session whose setup has the
     * {@linkplain #declaration() declaration} of one. They are served for as long as the session is open here. If the
     * agent is connected from another machine and takes no servers over ACP, opening the session throws
     * {@link IllegalStateException}.
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

    // ---- changes

    /**
     * Reports that a resource has changed, to the agents that have subscribed to it, or to one that it is a part of:
     * {@code notes://2026/may} is a part of {@code notes://2026}. Does not wait for them; what changes again before
     * they read that is reported once.
     *
     * <pre>{@code
     * notes.put("today", text);
     * server.updated("notes://today");
     * }</pre>
     *
     * @throws IllegalStateException unless the server {@linkplain Builder#reportsChanges reports changes}
     */
    public void updated(String uri) {
        requireChanging();
        listening.forEach(one -> one.updated(uri));
    }

    /**
     * Takes the tools, prompts, resources and completions of another server in place of the present ones, and reports
     * the lists that differ to the agents that have subscribed to them. Name, version, instructions and declaration
     * stay. Calls that run go on; a list that an agent reads in several pages may be of both. Does not wait.
     *
     * <pre>{@code
     * own.replaceWith(tools(project)); // builds a server with the tools that the project has now
     * }</pre>
     *
     * @throws IllegalStateException unless the server {@linkplain Builder#reportsChanges reports changes}
     */
    public void replaceWith(ToolServer other) {
        requireChanging();
        Contents next = other.contents();
        Map<String, List<RawJson>> before = contents.getAndSet(next).lists();
        next.lists().forEach((list, now) -> {
            if (!now.equals(before.get(list))) {
                listening.forEach(one -> one.changed(list));
            }
        });
    }

    private void requireChanging() {
        if (!reportsChanges) {
            throw new IllegalStateException("the server " + name
                    + " was built without reportsChanges(), so agents were not offered to subscribe to changes");
        }
    }

    // ---- answering

    /** Returns what answers requests of one session; of none when it is null. */
    Face.Provider provider(@Nullable SessionSetup setup) {
        return new ToolServerSession(this, setup);
    }

    /** A tool, prompt or resource: what a list says of it, and what runs. */
    record Offer(
            RawJson definition,
            ArgumentCheck check,
            @Nullable String mimeType,
            Handler handler) {}

    /** Resources whose addresses have variables. */
    record Template(String uri, UriTemplate parts, Offer offer) {
        RawJson definition() {
            return offer.definition();
        }

        /** Returns the variables of an address; null if it is none of this template. */
        @Nullable
        RawJson variables(String address) {
            Map<String, String> values = parts.match(address);
            if (values == null) {
                return null;
            }
            RawJson variables = Link.object(out -> values.forEach((name, value) -> {
                out.name(name);
                out.string(value);
            }));
            return offer.check().problems(variables).isEmpty() ? variables : null;
        }
    }

    /** An argument of a prompt, or a variable of a template. */
    record Argument(String of, String name) {}

    /** What a server has. */
    record Contents(
            Map<String, Offer> tools,
            Map<String, Offer> prompts,
            Map<String, Offer> resources,
            List<Template> templates,
            Map<Argument, Completion> completions) {
        boolean hasTools() {
            return !tools.isEmpty();
        }

        boolean hasPrompts() {
            return !prompts.isEmpty();
        }

        boolean hasResources() {
            return !resources.isEmpty() || !templates.isEmpty();
        }

        boolean hasCompletions() {
            return !completions.isEmpty();
        }

        /** Returns what the lists say, by their names in {@link Link#LISTS}. */
        Map<String, List<RawJson>> lists() {
            List<RawJson> all = new ArrayList<>(definitions(resources));
            templates.forEach(template -> all.add(template.definition()));
            return Map.of("tools", definitions(tools), "prompts", definitions(prompts), "resources", all);
        }

        static List<RawJson> definitions(Map<String, Offer> offers) {
            return offers.values().stream().map(Offer::definition).toList();
        }
    }

    Contents contents() {
        return contents.get();
    }

    @Override
    public String toString() {
        return name + " " + version + " " + contents().tools().keySet();
    }

    /** Builds a {@link ToolServer}. */
    public static final class Builder {
        private static final RawJson NO_ARGUMENTS = RawJson.parse("{\"type\":\"object\"}");

        private final String name;
        private final String version;
        private final Map<String, Offer> tools = new LinkedHashMap<>();
        private final Map<String, Offer> prompts = new LinkedHashMap<>();
        private final Map<String, Offer> resources = new LinkedHashMap<>();
        private final List<Template> templates = new ArrayList<>();

        /** The arguments and variables that there are. */
        private final Set<Argument> arguments = new HashSet<>();

        private final Map<Argument, Completion> completions = new HashMap<>();
        private String instructions = "";
        private Consumer<Request> listener = request -> {};
        private boolean reportsChanges;

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

        /**
         * Offers agents to subscribe to changes: of resources, see {@link ToolServer#updated}, and of the lists, see
         * {@link ToolServer#replaceWith}. Without it they may keep the lists for an hour. With it the server offers
         * tools, prompts and resources also while it has none, since agents learn only when they connect what it
         * offers.
         */
        public Builder reportsChanges() {
            reportsChanges = true;
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
            add(tools, "tool", name, new Offer(definition, ArgumentCheck.of(schema), null, handler));
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
            return tool(name, description, Records.schema(arguments), read(arguments, handler));
        }

        /** Adds a prompt without arguments; see {@link #prompt(String, String, Class, RecordHandler)}. */
        public Builder prompt(String name, String description, Handler handler) {
            return prompt(name, description, List.of(), NO_ARGUMENTS, handler);
        }

        /**
         * Adds a prompt, which users choose, as a slash command for example.
         *
         * <pre>{@code
         * record Review(String file, @Nullable Depth depth) {}
         * builder.prompt("review", "Reviews a file", Review.class, (review, call) -> "Review " + review.file() + ".");
         * }</pre>
         *
         * @param name its name, unique among the prompts of the server
         * @param description what it is for, for users
         * @param arguments a record of strings and enums; those annotated {@code @Nullable} may be absent. Enums are
         *     {@linkplain #completion completed}. What does not match does not reach the handler
         * @param handler fills it in
         * @throws IllegalArgumentException when a component has another type, the record is not accessible, or there is
         *     a prompt of this name
         */
        public <A extends Record> Builder prompt(
                String name, String description, Class<A> arguments, RecordHandler<A> handler) {
            RawJson schema = Records.texts(arguments);
            prompt(name, description, Records.arguments(schema), schema, read(arguments, handler));
            addArguments(name, arguments);
            return this;
        }

        private Builder prompt(
                String name, String description, List<RawJson> arguments, RawJson schema, Handler handler) {
            RawJson definition = Link.object(out -> {
                out.name("name");
                out.string(name);
                out.name("description");
                out.string(description);
                if (!arguments.isEmpty()) {
                    out.name("arguments");
                    out.raw(Link.array(arguments));
                }
            });
            add(prompts, "prompt", name, new Offer(definition, ArgumentCheck.of(schema), null, handler));
            return this;
        }

        /**
         * Adds a resource, which is read each time an agent asks for it.
         *
         * <pre>{@code
         * var notes = ContentBlock.ResourceLink.builder("notes", "notes://today").mimeType("text/markdown").build();
         * builder.resource(notes, call -> Files.readString(file));
         * }</pre>
         *
         * @param resource its address, unique in the server, and what a list says of it; its MIME type is that of what
         *     the handler returns, unless that says another
         * @param handler reads it
         * @throws IllegalArgumentException when there is a resource with this address
         */
        public Builder resource(ContentBlock.ResourceLink resource, Handler handler) {
            RawJson definition = definition(resource).json();
            Offer offer = new Offer(definition, ArgumentCheck.of(NO_ARGUMENTS), resource.mimeType(), handler);
            add(resources, "resource", resource.uri(), offer);
            return this;
        }

        /**
         * Adds resources whose addresses have variables. <code>{name}</code> stands for a part without {@code /},
         * {@code ?} and {@code #}, <code>{+name}</code> for any text. Of several templates, the one that was added
         * first has an address; a {@link #resource resource} with that address comes before them.
         *
         * <pre>{@code
         * record Day(String day) {}
         * var notes = ContentBlock.ResourceLink.builder("notes of a day", "notes://{day}").build();
         * builder.resourceTemplate(notes, Day.class, (day, call) -> notes.get(day.day()));
         * }</pre>
         *
         * @param template the addresses, and what a list says of them
         * @param variables a record with a component for each variable, strings and enums. The values are decoded and
         *     may be any text, also {@code ../x}: check them before they name a file
         * @param handler reads one; null is the answer that there is no such resource
         * @throws IllegalArgumentException when the address has other expressions or other variables than the record
         *     components, the record is not accessible, or there is such a template
         */
        public <A extends Record> Builder resourceTemplate(
                ContentBlock.ResourceLink template, Class<A> variables, RecordHandler<A> handler) {
            String uri = template.uri();
            UriTemplate parts = new UriTemplate(uri);
            RawJson schema = Records.texts(variables);
            Set<String> components =
                    Members.of(schema).object("properties").all().keySet();
            if (!components.equals(Set.copyOf(parts.variables()))) {
                throw new IllegalArgumentException("the template " + uri + " has the variables " + parts.variables()
                        + ", and the record the components " + components);
            }
            if (templates.stream().anyMatch(other -> other.uri().equals(uri))) {
                throw new IllegalArgumentException("there is a template " + uri + " already");
            }
            Members definition = definition(template);
            RawJson listed = definition
                    .without("uri")
                    .without("size")
                    .with("uriTemplate", RawJson.string(uri))
                    .json();
            ArgumentCheck check = ArgumentCheck.of(schema);
            templates.add(
                    new Template(uri, parts, new Offer(listed, check, template.mimeType(), read(variables, handler))));
            addArguments(uri, variables);
            return this;
        }

        private static Members definition(ContentBlock.ResourceLink resource) {
            return Members.of(RawJson.encode(resource, Codecs.contentBlock())).without("type");
        }

        /**
         * Completes an argument of a prompt or a variable of a template while a user types it. Enums are completed
         * without this.
         *
         * @param of the name of the prompt, or the address of the template, which is added before
         * @param argument the component of its record
         * @throws IllegalArgumentException when there is no such argument
         */
        public Builder completion(String of, String argument, Completion completion) {
            if (!arguments.contains(new Argument(of, argument))) {
                throw new IllegalArgumentException(
                        "there is no argument " + argument + " of a prompt or template " + of);
            }
            completions.put(new Argument(of, argument), completion);
            return this;
        }

        private void addArguments(String of, Class<?> record) {
            for (RecordComponent component : record.getRecordComponents()) {
                Argument argument = new Argument(of, component.getName());
                arguments.add(argument);
                if (component.getType().isEnum()) {
                    List<String> values = Arrays.stream(component.getType().getEnumConstants())
                            .map(constant -> ((Enum<?>) constant).name())
                            .toList();
                    completions.put(
                            argument,
                            (typed, others) -> values.stream()
                                    .filter(value -> value.regionMatches(true, 0, typed, 0, typed.length()))
                                    .toList());
                }
            }
        }

        private static <A extends Record> Handler read(Class<A> arguments, RecordHandler<A> handler) {
            return call -> handler.run(Records.read(arguments, call.arguments()), call);
        }

        private static void add(Map<String, Offer> to, String kind, String name, Offer offer) {
            if (to.putIfAbsent(name, offer) != null) {
                throw new IllegalArgumentException("there is a " + kind + " " + name + " already");
            }
        }

        /** Builds the server. */
        public ToolServer build() {
            return new ToolServer(this);
        }
    }
}
