package dev.acp4j.mcp;

import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An MCP server for tests, on standard input and output. Its arguments say how it behaves; what it is asked to do is in
 * the names of its tools. It writes down which process it is, and each tool that is called.
 */
final class ScriptedServer {
    /** What a request that needs input has to bring back. */
    static final String STATE = "nachtigall-0815";

    private static final String CAPABILITIES =
            "{'logging':{},'tools':{'listChanged':true},'prompts':{'listChanged':true},"
                    + "'resources':{'subscribe':true,'listChanged':true}}";

    private final Set<String> behaviour;
    private final @Nullable Path log;
    private final Transport.Writer out;
    private final Map<String, CompletableFuture<Members>> asked = new ConcurrentHashMap<>();
    private final Map<String, CompletableFuture<String>> cancelled = new ConcurrentHashMap<>();
    private final AtomicInteger regional = new AtomicInteger();
    private final Set<String> subscribed = ConcurrentHashMap.newKeySet();
    private final CountDownLatch prompted = new CountDownLatch(1);
    private final CountDownLatch acknowledging = new CountDownLatch(1);
    private final CountDownLatch slow = new CountDownLatch(1);
    private volatile boolean changed;
    private volatile boolean hasRefused;
    private volatile String clientCapabilities = "";

    ScriptedServer(List<String> behaviour, @Nullable Path log, Transport.Writer out) {
        this.behaviour = Set.copyOf(behaviour);
        this.log = log;
        this.out = out;
    }

    public static void main(String[] args) throws Exception {
        List<String> behaviour = new ArrayList<>();
        Path log = null;
        for (String arg : args) {
            if (arg.startsWith("gate=")) {
                // Goes on when the test closes its end.
                try (Socket gate = new Socket(
                        InetAddress.getLoopbackAddress(), Integer.parseInt(arg.substring("gate=".length())))) {
                    int unused = gate.getInputStream().read();
                }
            } else if (arg.startsWith("log=")) {
                log = Path.of(arg.substring("log=".length()));
            } else {
                behaviour.add(arg);
            }
        }
        if (behaviour.contains("child")) {
            Process child = new ProcessBuilder("sleep", "300").start();
            write(log, "child " + child.pid());
        }
        write(log, "pid " + ProcessHandle.current().pid());
        if (behaviour.contains("broken")) {
            System.err.println("reading the configuration");
            System.err.println("no such file: servers.conf, token " + System.getenv("CANARY"));
            System.exit(3);
        }
        if (behaviour.contains("noisy")) {
            System.out.println("Scripted server, version 1");
            System.out.println("{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{}}");
            System.err.println("x".repeat(200_000));
        }
        StreamTransport transport = StreamTransport.of(System.in, System.out);
        ScriptedServer server = new ScriptedServer(behaviour, log, transport.writer());
        for (Message message = transport.reader().read();
                message != null;
                message = transport.reader().read()) {
            server.take(message);
        }
        if (behaviour.contains("deaf")) {
            new CountDownLatch(1).await();
        }
    }

    private static void write(@Nullable Path log, String line) throws IOException {
        if (log != null) {
            Files.writeString(
                    log, line + "\n", java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.APPEND);
        }
    }

    void take(Message message) throws IOException {
        switch (message.kind()) {
            case REQUEST -> start(message);
            case NOTIFICATION -> {
                if (message.method().equals("notifications/cancelled")) {
                    String id = String.valueOf(Members.of(message.params()).raw("requestId"));
                    write(log, "cancelled");
                    cancelled(id).complete("cancelled");
                }
            }
            case RESULT -> complete(message, Members.of(message.result()));
            case ERROR -> complete(message, Members.of(message.error()));
            default -> write(log, "bad " + message.raw());
        }
    }

    private void complete(Message message, Members answer) {
        CompletableFuture<Members> waiting = asked.remove(String.valueOf(message.id()));
        if (waiting != null) {
            waiting.complete(answer);
        }
    }

    private CompletableFuture<String> cancelled(String id) {
        return cancelled.computeIfAbsent(id, key -> new CompletableFuture<>());
    }

    /** Each request has a thread, so that a slow one holds nothing up. */
    private void start(Message message) {
        Thread.ofPlatform().daemon().start(() -> {
            RequestId id = java.util.Objects.requireNonNull(message.id());
            try {
                send(Message.result(id, answer(id, message.method(), Members.of(message.params()))));
            } catch (RpcError e) {
                send(Message.error(id, e));
            } catch (Exception e) {
                send(Message.error(id, new RpcError(RpcError.INTERNAL_ERROR, e.toString())));
            }
        });
    }

    private synchronized void send(Message message) {
        try {
            out.write(message);
            out.flush();
        } catch (IOException e) {
            // The other side has closed.
        }
    }

    private RawJson answer(RequestId id, String method, Members params) throws Exception {
        if (behaviour.contains("modern")) {
            requireModern(method, params);
        }
        return switch (method) {
            case "initialize" -> {
                clientCapabilities = String.valueOf(params.raw("capabilities"));
                write(log, "initialize " + params.text("protocolVersion"));
                yield json("{'protocolVersion':'" + (behaviour.contains("ancient") ? "2023-01-01" : "2025-06-18")
                        + "','capabilities':" + CAPABILITIES + ","
                        + "'serverInfo':{'name':'scripted','version':'1'},'instructions':'Call echo.'}");
            }
            case "server/discover" ->
                json("{'resultType':'complete','supportedVersions':['2026-07-28'],"
                        + "'capabilities':" + CAPABILITIES + ","
                        + "'_meta':{'io.modelcontextprotocol/serverInfo':{'name':'scripted','version':'1'}}}");
            case "tools/list" -> tools(params.text("cursor"));
            case "tools/call" -> call(id, params);
            case "subscriptions/listen" -> {
                Members wanted = params.object("notifications");
                List<RawJson> resources = wanted.list("resourceSubscriptions");
                resources.forEach(uri -> subscribed.add(uri.reader().string()));
                write(log, "listen " + wanted.json());
                if (behaviour.contains("unacknowledged")) {
                    acknowledging.await();
                }
                send(Message.notification(
                        "notifications/subscriptions/acknowledged",
                        json("{'_meta':{'io.modelcontextprotocol/subscriptionId':" + id.json() + "},'notifications':"
                                + wanted.json() + "}")));
                yield new CompletableFuture<RawJson>().get();
            }
            case "resources/subscribe", "resources/unsubscribe" -> {
                String uri = params.text("uri", "");
                write(log, method + " " + uri);
                if (uri.equals("memo://none")) {
                    throw new RpcError(RpcError.RESOURCE_NOT_FOUND, "no such memo");
                }
                boolean unused = method.endsWith("unsubscribe") ? subscribed.remove(uri) : subscribed.add(uri);
                if (method.endsWith("/subscribe") && uri.equals("memo://eager")) {
                    touch();
                }
                yield RawJson.EMPTY_OBJECT;
            }
            case "resources/list" ->
                json("{'resources':[{'uri':'memo://1','name':'one','mimeType':'text/plain','size':3}]}");
            case "resources/templates/list" ->
                json(
                        "{'resourceTemplates':[{'uriTemplate':'memo://{+folder}/note{?line}','name':'note',"
                                + "'title':'A note','description':'A line of a note','mimeType':'text/plain'},{'name':'none'}]}");
            case "resources/read" -> {
                if (params.text("uri", "").equals("memo://locked")) {
                    throw new RpcError(
                            -32021,
                            "who are you?",
                            json("{'requiredCapabilities':{'elicitation':{'url':{}},'sampling':{}}}"));
                }
                yield json("{'contents':[{'uri':'" + params.text("uri")
                        + "','text':'abc'},{'uri':'memo://2','blob':'AQID'}]}");
            }
            case "prompts/list" -> {
                prompted.countDown();
                if (behaviour.contains("unprompted")) {
                    new CountDownLatch(1).await();
                }
                yield json(
                        "{'prompts':[{'name':'review','description':'Reviews','arguments':[{'name':'file','required':true}]},"
                                + "{'name':'sum up','title':'Sum up','arguments':[{'name':'file','required':true},{'name':'how'}]}"
                                + (changed ? ",{'name':'later'}" : "") + "]}");
            }
            case "prompts/get" ->
                json("{'messages':[{'role':'user','content':{'type':'text','text':'Review "
                        + params.object("arguments").text("file")
                        + params.object("arguments").text("how", "") + "'}}]}");
            case "logging/setLevel" -> {
                write(log, "level " + params.text("level"));
                yield RawJson.EMPTY_OBJECT;
            }
            default -> throw RpcError.methodNotFound(method);
        };
    }

    private static void requireModern(String method, Members params) {
        String version = params.object("_meta").text("io.modelcontextprotocol/protocolVersion");
        if (!"2026-07-28".equals(version)) {
            throw new RpcError(
                    -32022,
                    "Unsupported protocol version",
                    json("{'supported':['2026-07-28'],'requested':'" + (version == null ? method : version) + "'}"));
        }
    }

    private RawJson tools(@Nullable String cursor) throws Exception {
        if (behaviour.contains("forgetful") && changed && !hasRefused) {
            hasRefused = true;
            throw new RpcError(RpcError.INTERNAL_ERROR, "not now");
        }
        if (behaviour.contains("unlistable")) {
            throw new RpcError(RpcError.INTERNAL_ERROR, "no list today");
        }
        if (behaviour.contains("unlisted")) {
            return new CompletableFuture<RawJson>().get();
        }
        if (behaviour.contains("pages")) {
            int page = cursor == null ? 1 : Integer.parseInt(cursor);
            String next = page == 3 ? "" : ",'nextCursor':'" + (page + 1) + "'";
            return json("{'tools':[" + tool("page" + page, "{'type':'object'}") + "]" + next + "}");
        }
        if (behaviour.contains("endless")) {
            return json("{'tools':[],'nextCursor':'again'}");
        }
        List<String> tools = new ArrayList<>();
        for (String name : List.of(
                "content",
                "fail",
                "refuse",
                "slow",
                "ask",
                "roots",
                "sample",
                "die",
                "environment",
                "change",
                "touch",
                "prompted",
                "log",
                "meta",
                "capabilities",
                "huge",
                "busy",
                "confuse",
                "late",
                "insist",
                "riddle")) {
            tools.add(tool(name, "{'type':'object'}"));
        }
        tools.add(tool("echo", "{'type':'object','properties':{'text':{'type':'string'}},'required':['text']}"));
        tools.add(tool("twice.echo", "{'type':'object'}"));
        tools.add(tool("twice_echo", "{'type':'object'}"));
        if (behaviour.contains("regional")) {
            String header = regional.getAndIncrement() == 0 ? "Region" : "Zone";
            tools.add(tool(
                    "place",
                    "{'type':'object','properties':{'where':{'type':'string','x-mcp-header':'" + header + "'}}}"));
            tools.add(tool(
                    "misplace",
                    "{'type':'object','properties':{'text':{'type':'string','x-mcp-header':'not a name'}}}"));
        }
        if (behaviour.contains("bad-schema")) {
            tools.add(tool("bad", "{'type':'object','properties':{'a':{'type':17}}}"));
            tools.add(tool("echo", "{'type':'object'}"));
        }
        if (changed) {
            tools.add(tool("later", "{'type':'object'}"));
        }
        return json("{'resultType':'complete','ttlMs':0,'tools':[" + String.join(",", tools) + "]}");
    }

    private static String tool(String name, String schema) {
        return "{'name':'" + name + "','description':'Does " + name + "','inputSchema':" + schema
                + ",'annotations':{'readOnlyHint':true}}";
    }

    private RawJson call(RequestId id, Members params) throws Exception {
        String name = params.text("name", "");
        Members arguments = params.object("arguments");
        write(log, "call " + name);
        write(log, "id " + id);
        return switch (name) {
            case "echo", "twice.echo", "twice_echo" -> text(name + ": " + arguments.text("text"));
            case "content" ->
                json("{'content':[{'type':'text','text':'one','annotations':{'priority':0.5},'_meta':{'a/b':1}},"
                        + "{'type':'image','data':'AQID','mimeType':'image/png'},"
                        + "{'type':'audio','data':'BAUG','mimeType':'audio/wav'},"
                        + "{'type':'resource_link','uri':'memo://1','name':'one'},"
                        + "{'type':'resource','resource':{'uri':'memo://2','text':'abc'}},"
                        + "{'type':'resource','resource':{'uri':'memo://3','blob':'AQID'}},"
                        + "{'type':'hologram','depth':3}],"
                        + "'structuredContent':{'places':3}}");
            case "fail" -> json("{'content':[{'type':'text','text':'the disk is full'}],'isError':true}");
            case "refuse" -> throw new RpcError(-32602, "no such disk");
            case "environment" ->
                text(System.getProperty("user.dir") + " " + System.getenv("CANARY") + " "
                        + System.getenv("ANTHROPIC_API_KEY"));
            case "slow" -> {
                slow.countDown();
                String token = params.object("_meta").text("progressToken", "");
                send(Message.notification(
                        "notifications/progress",
                        json("{'progressToken':'" + token + "','progress':3,'total':10,'message':'reading'}")));
                yield text(cancelled(id.toString()).get());
            }
            case "busy" -> {
                String token = params.object("_meta").text("progressToken", "");
                for (int done = 1; done <= 20; done++) {
                    send(Message.notification(
                            "notifications/progress",
                            json("{'progressToken':'" + token + "','progress':" + done + ",'total':20}")));
                }
                yield text("done");
            }
            case "late" -> {
                // Answers in spite of the cancellation.
                String unused = cancelled(id.toString()).get();
                yield text("late");
            }
            case "ask" -> ask(params, arguments);
            case "insist" ->
                json("{'resultType':'input_required','requestState':'" + STATE
                        + "','inputRequests':{'where':{'method':'roots/list','params':{}}}}");
            case "riddle" -> json("{'resultType':'perhaps','content':[]}");
            case "roots" -> text(String.valueOf(request("roots/list", "{}").raw("roots")));
            case "sample" ->
                text(String.valueOf(request("sampling/createMessage", "{}").raw("code")));
            case "capabilities" -> text(clientCapabilities);
            case "meta" -> text(String.valueOf(params.raw("_meta")));
            case "huge" -> {
                // One line that is larger than any message may be.
                System.out.print("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"a\":\"");
                String piece = "x".repeat(1 << 20);
                for (int i = 0; i < 65; i++) {
                    System.out.print(piece);
                }
                System.out.println("\"}}");
                System.out.flush();
                yield RawJson.EMPTY_OBJECT;
            }
            case "confuse" -> {
                // The id of a request of ours is one of the server's, too, and two answers are sent for one request.
                send(Message.request(id, "ping", RawJson.EMPTY_OBJECT));
                send(Message.result(id, text("first")));
                yield text("second");
            }
            case "place", "misplace" -> text(name);
            case "prompted" -> {
                prompted.await();
                yield text("prompted");
            }
            case "change" -> {
                changed = true;
                if (behaviour.contains("unacknowledged")) {
                    acknowledging.countDown();
                    yield text("changed");
                }
                for (String list : List.of("tools", "prompts", "resources")) {
                    send(Message.notification("notifications/" + list + "/list_changed", RawJson.EMPTY_OBJECT));
                }
                yield text("changed");
            }
            case "log" -> {
                write(log, "level " + params.object("_meta").text("io.modelcontextprotocol/logLevel"));
                for (String message : List.of(
                        "{'level':'info','logger':'disk','data':'fine'}",
                        "{'level':'warning','logger':'disk','data':'nearly full, kanarienvogel-4711'}",
                        "{'level':'error','data':{'full':true,'token':12345678}}",
                        "{'level':'emergency','logger':'net kanarienvogel-4711 " + "x".repeat(5_000) + "','data':'"
                                + "x".repeat(5_000) + "'}")) {
                    send(Message.notification("notifications/message", json(message)));
                }
                yield text("logged");
            }
            case "touch" -> {
                touch();
                yield text("touched");
            }
            case "die" -> {
                System.err.println("giving up");
                Runtime.getRuntime().halt(7);
                yield RawJson.NULL;
            }
            default -> throw new RpcError(-32602, "no such tool: " + name);
        };
    }

    private void touch() {
        for (String uri : subscribed) {
            send(Message.notification("notifications/resources/updated", json("{'uri':'" + uri + "/part'}")));
        }
    }

    private RawJson ask(Members params, Members arguments) throws Exception {
        if (arguments.isTrue("after")) {
            slow.await();
        }
        String form = "'message':'Which account?','requestedSchema':{'type':'object',"
                + "'properties':{'account':{'type':'string'}},'required':['account']}";
        String url = "'mode':'url','message':'Log in','elicitationId':'e1','url':'http://127.0.0.1:1/login'";
        String question = "{" + (arguments.isTrue("url") ? url : form) + "}";
        String second = "{" + form.replace("Which", "Which other") + "}";
        if (!behaviour.contains("modern")) {
            Members answer = request("elicitation/create", question);
            complete(arguments);
            return text(answer.text("action") + " " + answer.raw("content"));
        }
        Members answers = params.object("inputResponses");
        if (answers.all().isEmpty()) {
            return json("{'resultType':'input_required',"
                    + (arguments.isTrue("stateless") ? "" : "'requestState':'  state\\u0041 ',")
                    + "'inputRequests':{'who':{'method':'elicitation/create','params':" + question + "},"
                    + (arguments.isTrue("two")
                            ? "'other':{'method':'elicitation/create','params':" + second + "},"
                            : "")
                    + "'where':{'method':'roots/list','params':{}}}}");
        }
        complete(arguments);
        return text(answers.object("who").text("action") + " "
                + answers.object("who").raw("content") + " "
                + (arguments.isTrue("two") ? answers.object("other").raw("content") + " " : "")
                + params.raw("requestState") + " "
                + answers.object("where").list("roots").size());
    }

    /** The user has finished at the page, if one was shown. */
    private void complete(Members arguments) {
        if (arguments.isTrue("url")) {
            send(Message.notification("notifications/elicitation/complete", json("{'elicitationId':'e1'}")));
        }
    }

    private Members request(String method, String params) throws Exception {
        RequestId id = RequestId.of("s" + asked.size() + System.nanoTime());
        CompletableFuture<Members> answer = new CompletableFuture<>();
        asked.put(id.toString(), answer);
        send(Message.request(id, method, json(params)));
        return answer.get();
    }

    static RawJson text(String text) {
        Consumer<JsonWriter> content = out -> {
            out.name("content");
            out.beginArray();
            out.beginObject();
            out.name("type");
            out.string("text");
            out.name("text");
            out.string(text);
            out.endObject();
            out.endArray();
        };
        return Link.object(content);
    }

    /** Returns JSON that is written with single quotes. */
    static RawJson json(String text) {
        return RawJson.parse(text.replace('\'', '"'));
    }
}
