package dev.acp4j.proxy;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for a proxy of another maker, as a program: one thread reads a message, writes what becomes of it, and
 * reads no further before. Names and the binding of MCP are those of one dialect, and nothing else is understood.
 */
final class StandIn {
    /** So many messages a flooding one sends to the client behind each that it passes on. */
    static final int NOISE = 1500;

    /** A request that was passed on: where its answer goes, and whether it went on in an envelope. */
    private record Passed(String id, boolean wentInEnvelope) {}

    private final String id;
    private final String prefix;
    private final boolean hasOldBinding;
    private final boolean cancelsInEnvelope;
    private final Transport transport = StreamTransport.of(System.in, System.out);
    private final Map<String, Passed> passed = new HashMap<>();
    private int next = 1000;

    private StandIn(String id, String dialect) {
        this.id = id;
        this.prefix = dialect.startsWith("rust") ? "_" : "";
        this.hasOldBinding = dialect.equals("rust2");
        this.cancelsInEnvelope = dialect.startsWith("rust");
    }

    /** Returns the component; {@code schema}, {@code rust2}, {@code rust3} or {@code flooding}. */
    static Component component(String id, String dialect) {
        Component component = Component.of(id, launch(id, dialect)).onDeath(Component.OnDeath.FAIL);
        return dialect.startsWith("rust") ? component.legacy() : component;
    }

    static Launch launch(String id, String dialect) {
        return ProxyProgramTest.program(StandIn.class, id, dialect);
    }

    /** Serves until the input ends. */
    public static void main(String[] args) throws Exception {
        StandIn proxy = new StandIn(args[0], args[1]);
        for (Message message; (message = proxy.transport.reader().read()) != null; ) {
            proxy.handle(message);
            if (args[1].equals("flooding") && !message.kind().isResponse()) {
                for (int i = 0; i < NOISE; i++) {
                    proxy.send("\"method\":\"_noise\",\"params\":{}");
                }
            }
        }
    }

    private void handle(Message message) throws IOException {
        if (message.kind().isResponse()) {
            Passed request = Objects.requireNonNull(passed.remove(String.valueOf(message.id())));
            String outcome = message.isError() ? "\"error\":" + message.error() : "\"result\":" + message.result();
            send("\"id\":" + request.id + "," + outcome);
            return;
        }
        if (message.method().equals(prefix + "proxy/successor")) {
            JsonObject carried =
                    (JsonObject) Objects.requireNonNull(message.params()).value();
            String params = carried.get("params").map(String::valueOf).orElse("{}");
            handle(message, carried.text("method").orElseThrow(), params, true);
        } else if (message.method().equals(prefix + "proxy/initialize")) {
            pass(message, "initialize", String.valueOf(message.params()), false);
        } else if (message.method().contains("proxy/")) {
            send("\"id\":" + message.id() + ",\"error\":{\"code\":-32601,\"message\":\"what is " + message.method()
                    + "\"}");
        } else {
            handle(message, message.method(), String.valueOf(message.params()), false);
        }
    }

    /** Handles what is for this component or for the one on the other side. */
    private void handle(Message outer, String method, String params, boolean cameInEnvelope) throws IOException {
        if (method.equals("$/cancel_request")) {
            cancel(params, cameInEnvelope);
        } else if (answersMcp(method, params)) {
            send("\"id\":" + outer.id() + ",\"result\":{\"by\":\"" + id + "\"}");
        } else {
            pass(outer, method, params, cameInEnvelope);
        }
    }

    /** The servers of this component have its id, the connections to them, too. */
    private boolean answersMcp(String method, String params) {
        boolean isOld =
                method.equals("mcp/connect") || (method.equals("mcp/message") && params.contains("connectionId"));
        boolean isNew = method.equals("mcp/message") && params.contains("serverId");
        return (hasOldBinding ? isOld : isNew) && params.contains("\"" + id + "\"");
    }

    private void pass(Message outer, String method, String params, boolean cameInEnvelope) throws IOException {
        String number = "";
        if (outer.kind() == Message.Kind.REQUEST) {
            int fresh = next++;
            passed.put(String.valueOf(fresh), new Passed(String.valueOf(outer.id()), !cameInEnvelope));
            number = "\"id\":" + fresh + ",";
        }
        String inner = "\"method\":\"" + method + "\",\"params\":" + params;
        send(number + (cameInEnvelope ? inner : inEnvelope(inner)));
    }

    private String inEnvelope(String inner) {
        return "\"method\":\"" + prefix + "proxy/successor\",\"params\":{" + inner + "}";
    }

    /** Rust cancels what was asked in an envelope in an envelope, the schema without. */
    private void cancel(String params, boolean cameInEnvelope) throws IOException {
        String cancelled = params.replaceAll(".*\"requestId\":([^}]*)}.*", "$1");
        for (Map.Entry<String, Passed> request : passed.entrySet()) {
            boolean wasAskedInEnvelope = !request.getValue().wentInEnvelope;
            boolean isHeard = cameInEnvelope == (wasAskedInEnvelope && cancelsInEnvelope);
            if (isHeard && request.getValue().id.equals(cancelled)) {
                String cancel = "\"method\":\"$/cancel_request\",\"params\":{\"requestId\":" + request.getKey() + "}";
                send(request.getValue().wentInEnvelope && cancelsInEnvelope ? inEnvelope(cancel) : cancel);
            }
        }
    }

    private void send(@Nullable String members) throws IOException {
        transport.writer().write(Message.parse(RawJson.parse("{\"jsonrpc\":\"2.0\"," + members + "}")));
        transport.writer().flush();
    }
}
