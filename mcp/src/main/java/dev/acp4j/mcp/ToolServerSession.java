package dev.acp4j.mcp;

import dev.acp4j.SessionSetup;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.Role;
import java.lang.System.Logger.Level;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a tool server answers in one session: requests that stand alone, of the revision without a handshake. */
final class ToolServerSession implements Face.Provider {
    private static final System.Logger LOG = System.getLogger("dev.acp4j.mcp");

    /** How long a client may keep a list that never changes, in milliseconds. */
    private static final long KEPT = 3_600_000;

    private static final RawJson CHANGING = RawJson.parse("{\"listChanged\":true}");
    private static final RawJson UPDATING = RawJson.parse("{\"subscribe\":true,\"listChanged\":true}");

    /** The entries of a list that come at once. */
    private static final int PAGE = 200;

    /** The most that a completion may have. */
    private static final int MOST_VALUES = 100;

    private static final int MOST_QUESTIONS = 64;

    private final ToolServer server;
    private final @Nullable SessionSetup setup;

    /** A handler that waits for answers, and the request that must bring them. */
    private record Waiting(RunningHandler handler, String method, String target) {}

    /** Those that wait for the user, by what the next request names them. */
    private final Map<String, Waiting> asking = new ConcurrentHashMap<>();

    /** Those that this session's agent has opened. */
    private final Set<Listening> listening = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    ToolServerSession(ToolServer server, @Nullable SessionSetup setup) {
        this.server = server;
        this.setup = setup;
    }

    @Override
    public void asked(String method, String revision) {
        server.listener.accept(new ToolServer.Request(method, revision));
    }

    @Override
    public RawJson answer(String method, Members params, Face.Notices notices) throws InterruptedException {
        ToolServer.Contents has = server.contents();
        boolean isOffered = switch (method) {
            case "server/discover" -> true;
            case "tools/list", "tools/call" -> mayHave(has.hasTools());
            case "prompts/list", "prompts/get" -> mayHave(has.hasPrompts());
            case "resources/list", "resources/templates/list", "resources/read" -> mayHave(has.hasResources());
            case "completion/complete" -> has.hasCompletions();
            case "subscriptions/listen" -> server.reportsChanges;
            default -> false;
        };
        if (!isOffered) {
            throw RpcError.methodNotFound(method);
        }
        return switch (method) {
            case "server/discover" -> discovered(has);
            case "subscriptions/listen" -> listen(params.object("notifications"), notices);
            case "tools/list" -> list("tools", ToolServer.Contents.definitions(has.tools()), params);
            case "prompts/list" -> list("prompts", ToolServer.Contents.definitions(has.prompts()), params);
            case "resources/list" -> list("resources", ToolServer.Contents.definitions(has.resources()), params);
            case "resources/templates/list" ->
                list(
                        "resourceTemplates",
                        has.templates().stream()
                                .map(ToolServer.Template::definition)
                                .toList(),
                        params);
            case "completion/complete" -> completed(has, params);
            default -> handled(method, params, notices);
        };
    }

    /** A server that reports changes offers each list, since agents read what it offers once. */
    private boolean mayHave(boolean hasSome) {
        return hasSome || server.reportsChanges;
    }

    @Override
    public void abandon(String state) {
        Waiting waiting = asking.remove(state);
        if (waiting != null) {
            waiting.handler().cancel();
        }
    }

    @Override
    public void close() {
        closed = true;
        asking.values().forEach(waiting -> waiting.handler().cancel());
        asking.clear();
        listening.forEach(Listening::end);
    }

    // ---- lists

    private RawJson discovered(ToolServer.Contents has) {
        return result(out -> {
            writeKept(out, server.reportsChanges ? 0 : KEPT);
            out.name("supportedVersions");
            out.beginArray();
            out.string(Link.MODERN);
            out.endArray();
            out.name("capabilities");
            out.beginObject();
            RawJson changing = server.reportsChanges ? CHANGING : RawJson.EMPTY_OBJECT;
            writeCapability(out, "tools", mayHave(has.hasTools()), changing);
            writeCapability(out, "prompts", mayHave(has.hasPrompts()), changing);
            writeCapability(
                    out,
                    "resources",
                    mayHave(has.hasResources()),
                    server.reportsChanges ? UPDATING : RawJson.EMPTY_OBJECT);
            writeCapability(out, "completions", has.hasCompletions(), RawJson.EMPTY_OBJECT);
            writeCapability(
                    out,
                    "logging",
                    mayHave(has.hasTools() || has.hasPrompts() || has.hasResources()),
                    RawJson.EMPTY_OBJECT);
            out.endObject();
            if (!server.instructions.isEmpty()) {
                out.name("instructions");
                out.string(server.instructions);
            }
        });
    }

    private static void writeCapability(JsonWriter out, String name, boolean isOffered, RawJson capability) {
        if (isOffered) {
            out.name(name);
            out.raw(capability);
        }
    }

    /** Reports changes to an agent until it leaves or the session ends. */
    private RawJson listen(Members wanted, Face.Notices notices) throws InterruptedException {
        Listening own = new Listening(wanted, list -> true, true);
        server.listening.add(own);
        listening.add(own);
        try {
            if (closed) {
                own.end();
            }
            return own.report(notices);
        } finally {
            listening.remove(own);
            server.listening.remove(own);
        }
    }

    private RawJson list(String member, List<RawJson> entries, Members params) {
        int from = params.has("cursor") ? from(params.text("cursor", ""), entries.size()) : 0;
        int to = Math.min(from + PAGE, entries.size());
        return result(out -> {
            writeKept(out, server.reportsChanges ? 0 : KEPT);
            out.name(member);
            out.beginArray();
            entries.subList(from, to).forEach(out::raw);
            out.endArray();
            if (to < entries.size()) {
                out.name("nextCursor");
                out.string(Integer.toString(to));
            }
        });
    }

    private static int from(String cursor, int size) {
        for (int from = PAGE; from < size; from += PAGE) {
            if (cursor.equals(Integer.toString(from))) {
                return from;
            }
        }
        throw RpcError.invalidParams("params.cursor: expected the nextCursor of this list, got " + cursor);
    }

    private RawJson completed(ToolServer.Contents has, Members params) {
        Members reference = params.object("ref");
        boolean isPrompt = reference.text("type", "").equals("ref/prompt");
        String of = reference.text(isPrompt ? "name" : "uri", "");
        boolean isKnown = isPrompt
                ? has.prompts().containsKey(of)
                : has.resources().containsKey(of)
                        || has.templates().stream()
                                .anyMatch(template -> template.uri().equals(of));
        if (!isKnown) {
            throw RpcError.invalidParams("params.ref: there is no prompt or template " + of);
        }
        Members argument = params.object("argument");
        Map<String, String> others = new LinkedHashMap<>();
        Members filledIn = params.object("context").object("arguments");
        filledIn.all().keySet().forEach(name -> others.put(name, filledIn.text(name, "")));
        ToolServer.Completion completion =
                has.completions().get(new ToolServer.Argument(of, argument.text("name", "")));
        List<String> values;
        try {
            values = completion == null ? List.of() : completion.complete(argument.text("value", ""), others);
        } catch (RuntimeException e) {
            throw failed("the completion of " + of, e);
        }
        return result(out -> {
            out.name("completion");
            out.beginObject();
            out.name("values");
            out.beginArray();
            values.stream().limit(MOST_VALUES).forEach(out::string);
            out.endArray();
            out.name("total");
            out.int64(values.size());
            out.name("hasMore");
            out.bool(values.size() > MOST_VALUES);
            out.endObject();
        });
    }

    // ---- handlers

    /** What a request has called; it throws nothing but errors of MCP, and when it is interrupted. */
    private record Called(RawJson arguments, Task task) {}

    private interface Task {
        RawJson run(ToolServer.Call call) throws InterruptedException;
    }

    private RawJson handled(String method, Members params, Face.Notices notices) throws InterruptedException {
        Members meta = params.object("_meta");
        String target = params.text(method.equals("resources/read") ? "uri" : "name", "");
        String state = params.text("requestState");
        Waiting waiting;
        if (state == null) {
            waiting = new Waiting(begin(method, target, params, notices), method, target);
        } else {
            waiting = asking.get(state);
            if (waiting == null
                    || !waiting.method().equals(method)
                    || !waiting.target().equals(target)
                    || !asking.remove(state, waiting)) {
                throw RpcError.invalidParams("params.requestState: nothing waits for this answer");
            }
            waiting.handler().reply(params.object("inputResponses"), notices, meta);
        }
        RawJson result = waiting.handler().await();
        return result == null ? asked(waiting) : result;
    }

    private RunningHandler begin(String method, String target, Members params, Face.Notices notices) {
        RawJson given = params.raw("arguments");
        RawJson arguments = given == null ? RawJson.EMPTY_OBJECT : given.copy();
        Called called = switch (method) {
            case "tools/call" -> tool(target, arguments);
            case "prompts/get" -> prompt(target, arguments);
            default -> resource(target);
        };
        Members meta = params.object("_meta");
        RunningHandler handler = new RunningHandler(target, notices, meta, params.object("inputResponses"));
        ToolServer.Call call = new ToolServer.Call(called.arguments(), setup, meta.object(Face.CAPABILITIES), handler);
        handler.start(() -> called.task().run(call));
        return handler;
    }

    private RawJson asked(Waiting waiting) {
        if (asking.size() >= MOST_QUESTIONS) {
            waiting.handler().cancel();
            throw new RpcError(RunningCalls.LIMIT_REACHED, "more than " + MOST_QUESTIONS + " questions at once");
        }
        String state = UUID.randomUUID().toString();
        asking.put(state, waiting);
        if (closed) {
            waiting.handler().cancel();
        }
        return Link.object(out -> {
            out.name("resultType");
            out.string("input_required");
            out.name("inputRequests");
            out.raw(waiting.handler().questions());
            out.name("requestState");
            out.string(state);
        });
    }

    private Called tool(String name, RawJson arguments) {
        ToolServer.Offer tool = server.contents().tools().get(name);
        if (tool == null) {
            throw RpcError.invalidParams("there is no tool " + name);
        }
        String problem = problem(tool, arguments);
        return new Called(
                arguments, call -> toolResult(problem.isEmpty() ? run(name, tool, call) : ToolResult.failure(problem)));
    }

    private static String problem(ToolServer.Offer offer, RawJson arguments) {
        return arguments.reader().kind() == JsonReader.Kind.OBJECT
                ? offer.check().problems(arguments)
                : "the arguments must be an object";
    }

    private static ToolResult run(String name, ToolServer.Offer tool, ToolServer.Call call)
            throws InterruptedException {
        try {
            return ToolResult.returned(tool.handler().run(call));
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            if (e instanceof RpcError error && error.code() == Link.CAPABILITY_MISSING) {
                throw error;
            }
            LOG.log(Level.DEBUG, () -> "the tool " + name + " failed", e);
            return ToolResult.failure(Objects.requireNonNullElse(e.getMessage(), "the tool failed"));
        }
    }

    private Called prompt(String name, RawJson arguments) {
        ToolServer.Offer prompt = server.contents().prompts().get(name);
        if (prompt == null) {
            throw RpcError.invalidParams("there is no prompt " + name);
        }
        String problem = problem(prompt, arguments);
        if (!problem.isEmpty()) {
            throw RpcError.invalidParams(problem);
        }
        return new Called(arguments, call -> {
            try {
                List<Prompt.Message> messages = messages(prompt.handler().run(call));
                return result(out -> {
                    out.name("messages");
                    out.beginArray();
                    messages.forEach(message -> write(message, out));
                    out.endArray();
                });
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                throw failed("the prompt " + name, e);
            }
        });
    }

    private static List<Prompt.Message> messages(@Nullable Object value) {
        return switch (value) {
            case null -> List.of();
            case Prompt.Message message -> List.of(message);
            case ContentBlock block -> List.of(new Prompt.Message(Role.USER, block));
            case String text -> List.of(new Prompt.Message(Role.USER, ContentBlock.text(text)));
            case List<?> several ->
                several.stream().flatMap(one -> messages(one).stream()).toList();
            default ->
                throw new IllegalStateException("a prompt is a text, content, messages or a list of these, and not a "
                        + value.getClass().getName());
        };
    }

    private static void write(Prompt.Message message, JsonWriter out) {
        out.beginObject();
        out.name("role");
        out.string(message.role().toString());
        out.name("content");
        Codecs.contentBlock().encode(message.content(), out);
        out.endObject();
    }

    private Called resource(String uri) {
        ToolServer.Contents has = server.contents();
        ToolServer.Offer resource = has.resources().get(uri);
        if (resource != null) {
            return resource(uri, resource, RawJson.EMPTY_OBJECT);
        }
        for (ToolServer.Template template : has.templates()) {
            RawJson variables = template.variables(uri);
            if (variables != null) {
                return resource(uri, template.offer(), variables);
            }
        }
        throw notFound(uri);
    }

    private Called resource(String uri, ToolServer.Offer resource, RawJson variables) {
        return new Called(variables, call -> {
            try {
                Object value = resource.handler().run(call);
                if (value == null) {
                    throw notFound(uri);
                }
                List<ResourceContents> contents = contents(value, uri, resource.mimeType());
                return result(out -> {
                    writeKept(out, 0);
                    out.name("contents");
                    out.beginArray();
                    contents.forEach(one -> Codecs.resourceContents().encode(one, out));
                    out.endArray();
                });
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                throw failed("the resource " + uri, e);
            }
        });
    }

    private static RpcError notFound(String uri) {
        return new RpcError(RpcError.INVALID_PARAMS, "there is no resource " + uri, Link.object(out -> {
            out.name("uri");
            out.string(uri);
        }));
    }

    private static List<ResourceContents> contents(Object value, String uri, @Nullable String mimeType) {
        return switch (value) {
            case ResourceContents contents -> List.of(contents);
            case List<?> several ->
                several.stream().map(ResourceContents.class::cast).toList();
            case String text -> List.of(text(text, uri, mimeType));
            case Record one -> List.of(text(Records.json(one).toString(), uri, mimeType));
            case RawJson json -> List.of(text(json.toString(), uri, mimeType));
            case byte[] bytes ->
                List.of(ResourceContents.Blob.builder(Base64.getEncoder().encodeToString(bytes), uri)
                        .mimeType(mimeType)
                        .build());
            default ->
                throw new IllegalStateException("a resource is a text, bytes, a record or contents, and not a "
                        + value.getClass().getName());
        };
    }

    private static ResourceContents text(String text, String uri, @Nullable String mimeType) {
        return ResourceContents.Text.builder(text, uri).mimeType(mimeType).build();
    }

    /** Returns what answers a request whose handler has failed: its own error, or its message. */
    private static RpcError failed(String what, Exception e) {
        if (e instanceof RpcError error && error.method().isEmpty()) {
            return error;
        }
        LOG.log(Level.DEBUG, () -> what + " failed", e);
        return new RpcError(RpcError.INTERNAL_ERROR, Objects.requireNonNullElse(e.getMessage(), what + " failed"));
    }

    // ---- results

    private static void writeKept(JsonWriter out, long millis) {
        out.name("ttlMs");
        out.int64(millis);
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
            out.string(server.name);
            out.name("version");
            out.string(server.version);
            out.endObject();
            out.endObject();
        });
    }

    private RawJson toolResult(ToolResult result) {
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
}
