package dev.acp4j.it;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Stands in for the HTTP API of a model on the loopback: streams the answers that a test has prepared, one a request.
 * Requests that offer no tools are an agent's side business, such as a title for the session; they are answered with
 * {@code "A title"} and use up nothing.
 */
final class ScriptedModel implements AutoCloseable {
    /** What the model does with one request. */
    sealed interface Answer {
        /** Says something and is done. */
        record Say(List<String> pieces) implements Answer {}

        /** Says something and wants a tool to be called. */
        record Call(String text, String tool, Map<String, String> arguments) implements Answer {}

        /** Says something and then keeps the agent waiting. */
        record Stall(String text) implements Answer {}
    }

    /** The API that it speaks: how an answer is written as events of a stream, and where its parts are. */
    interface Dialect {
        List<String> events(Answer answer);
    }

    private final HttpServer server;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final Dialect dialect;
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    private ScriptedModel(HttpServer server, Dialect dialect) {
        this.server = server;
        this.dialect = dialect;
    }

    /** Starts one that speaks like OpenAI: chat completions, streamed. */
    static ScriptedModel openAi() throws IOException {
        return start(new OpenAiDialect());
    }

    /** Starts one that speaks like Gemini: {@code streamGenerateContent}. */
    static ScriptedModel gemini() throws IOException {
        return start(new GeminiDialect());
    }

    private static ScriptedModel start(Dialect dialect) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ScriptedModel model = new ScriptedModel(server, dialect);
        server.setExecutor(model.executor);
        server.createContext("/", model::handle);
        server.start();
        return model;
    }

    /** Returns the address, without a slash at its end. */
    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void willSay(String... pieces) {
        answers.add(new Answer.Say(List.of(pieces)));
    }

    /** Prepares two answers: the call of a tool and, when its result has come, a last word. */
    void willCall(String tool, Map<String, String> arguments) {
        answers.add(new Answer.Call("I need a tool. ", tool, arguments));
        willSay("Done ", "now.");
    }

    void willStall(String text) {
        answers.add(new Answer.Stall(text));
    }

    /** Forgets what was prepared and not asked for. */
    void reset() {
        answers.clear();
    }

    /** Returns the last request that offered tools: it ends with the result of the tool that was called before. */
    String lastRequest() {
        return requests.get(requests.size() - 1);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Answer answer = new Answer.Say(List.of("A title"));
            if (offersTools(body)) {
                requests.add(body);
                Answer next = answers.poll();
                answer = next == null ? new Answer.Say(List.of("Nothing was prepared for this.")) : next;
            }
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            stream(answer, exchange.getResponseBody());
        }
    }

    private void stream(Answer answer, OutputStream out) throws IOException {
        for (String event : dialect.events(answer)) {
            out.write(("data: " + event + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
        if (answer instanceof Answer.Stall) {
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean offersTools(String body) {
        return !body.isEmpty()
                && RawJson.parse(body).value() instanceof JsonObject request
                && request.get("tools").orElse(null) instanceof JsonArray tools
                && !tools.elements().isEmpty();
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        executor.close();
    }

    /** Returns the arguments of a call as JSON. */
    static String json(Map<String, String> arguments) {
        StringBuilder json = new StringBuilder("{");
        arguments.forEach((name, value) -> json.append(json.length() == 1 ? "" : ",")
                .append(RawJson.string(name))
                .append(':')
                .append(RawJson.string(value)));
        return json.append('}').toString();
    }
}
