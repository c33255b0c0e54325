package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.Durations;
import dev.acp4j.http.RemoteAgent;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Checks what answers at the address of a server: an agent, its streams, and whether they survive a cut. */
final class EndpointSteps {
    /** How long a first event may take: what is asked is answered by every agent at once. */
    private static final Duration EVENT_TIME = Duration.ofSeconds(5);

    /** How long it takes at the end until what was buffered has arrived. */
    private static final Duration FLUSH_TIME = Duration.ofSeconds(3);

    private static final long SLOW_MILLIS = 1500;
    private static final String BUFFERS = "Turn buffering off there (nginx: proxy_buffering off, or let the header"
            + " X-Accel-Buffering of the server pass), or use a WebSocket: --over websocket";

    private EndpointSteps() {}

    // ---- who answers

    /** The server takes the credential. What it answers is looked at by the next step. */
    static Finding credential(ExaminedServer server) throws InterruptedException {
        String source = server.way.credential();
        boolean asks;
        try {
            asks = server.anonymous(server.patience) == 401;
            if (server.way.over() == RemoteAgent.Over.WEBSOCKET) {
                return source == null && asks
                        ? noCredential(server)
                        : Finding.ok(source == null ? "none" : source + ", seen by the step websocket");
            }
            server.answer = server.post(server.initialize());
            if (server.answer.statusCode() == 500 && server.isTls()) {
                server.useHttp1();
                server.answer = server.post(server.initialize());
            }
        } catch (IOException e) {
            return Finding.problem("initialize was not answered: " + e.getMessage())
                    .because("The agent behind the server does not start, or something on the way cuts the request.")
                    .next("Look at the log of the server, and of what is before it.");
        }
        int status = server.answer.statusCode();
        if (status == 401 || status == 403) {
            Finding finding = source == null && status == 401 ? noCredential(server) : refused(server, status, source);
            server.answer = null;
            return finding;
        }
        if (source != null) {
            return Finding.ok(
                    asks ? "the server takes that of " + source : source + "; the server does not ask for one");
        }
        return server.isTls()
                ? Finding.warning("the server asks for none")
                        .because("Whoever reaches it uses its agent.")
                        .next("See that something before it asks, or start it with tokens.")
                : Finding.ok("none, and none is asked for");
    }

    private static Finding noCredential(ExaminedServer server) {
        return Finding.problem("the server asks for a token, and there is none")
                .next(howToLogIn(server) + "a token comes from ACP_TOKEN, --token-env, --token-file or --token-command")
                .shown("it says:", challenge(server), 3);
    }

    private static Finding refused(ExaminedServer server, int status, @Nullable String source) {
        return Finding.problem("the server answers " + status
                        + (source == null ? ", and there is no token" : " to the token of " + source))
                .because(
                        status == 401
                                ? "The token is wrong, has expired, or is for another server."
                                : "The token may not do this, or a rule for hosts and origins refuses the request.")
                .next(
                        status == 401
                                ? howToLogIn(server) + "get a new token"
                                : "Ask who runs the server for the right, and whether it knows the name in the URL.")
                .shown("it says:", challenge(server), 3);
    }

    private static String howToLogIn(ExaminedServer server) {
        return challenge(server).stream().anyMatch(line -> line.contains("resource_metadata"))
                ? "Log in with 'acp login " + server.endpoint() + "', or "
                : "";
    }

    private static List<String> challenge(ExaminedServer server) {
        HttpResponse<byte[]> answer = server.answer;
        return answer == null ? List.of() : answer.headers().allValues("WWW-Authenticate");
    }

    /** An agent answers {@code initialize}. */
    static Finding initialize(ExaminedServer server) {
        HttpResponse<byte[]> answer = Objects.requireNonNull(server.answer);
        int status = answer.statusCode();
        if (status != 200) {
            return otherStatus(server, answer, status);
        }
        Message message = Message.parse(RawJson.wrap(answer.body(), 0, answer.body().length));
        if (message.isError()) {
            return Finding.problem("the agent refuses initialize: " + message.error())
                    .next("Look at the log of the agent; --protocol 2 asks for the other version.");
        }
        JsonObject result = object(message.result());
        if (result == null || !(result.members().get("protocolVersion") instanceof JsonNumber version)) {
            return noAgent(server, answer, "200");
        }
        String id = answer.headers().firstValue(ExaminedServer.CONNECTION_ID).orElse("");
        if (id.isEmpty()) {
            return Finding.problem("the answer has no header " + ExaminedServer.CONNECTION_ID)
                    .because("Something on the way removes it, or the server speaks another protocol.")
                    .next("See that the proxies before the server let its headers pass.")
                    .shown("on the way:", way(answer), 3);
        }
        server.belongTo(id);
        server.initialized = result;
        return Finding.ok("an agent answers, with version " + version + " of the protocol" + name(result, "agentInfo")
                + name(result, "info"));
    }

    private static String name(JsonObject result, String member) {
        return result.members().get(member) instanceof JsonObject info
                        && info.text("name").isPresent()
                ? ": " + info.text("name").get()
                        + info.text("version").map(text -> " " + text).orElse("")
                : "";
    }

    private static @Nullable JsonObject object(@Nullable RawJson raw) {
        try {
            return raw != null && raw.value() instanceof JsonObject object ? object : null;
        } catch (JsonException e) {
            return null;
        }
    }

    private static Finding otherStatus(ExaminedServer server, HttpResponse<byte[]> answer, int status) {
        if (status >= 300 && status < 400) {
            return Finding.problem("initialize was answered " + status + ", a redirect")
                    .because("Redirects are not followed, since the credential would go with them.")
                    .next("Use the address of the agent itself: "
                            + answer.headers().firstValue("Location").orElse("ask who runs the server"));
        }
        Finding finding = switch (status) {
            case 429, 503 ->
                Finding.problem("the server takes no more connections now: " + status)
                        .because("It has too many, or is about to stop.")
                        .next("Try again"
                                + answer.headers()
                                        .firstValue("Retry-After")
                                        .map(seconds -> " after " + seconds + " s")
                                        .orElse(" later")
                                + "; its limits are set where it runs.");
            case 502, 504 ->
                Finding.problem("a proxy before the server answers " + status)
                        .because("The server behind it does not run, or its agent takes too long to start.")
                        .next("Look at the log of the server.");
            case 500 ->
                Finding.problem("the server answers 500")
                        .because("The agent behind it ended before it answered.")
                        .next("Look at the log of the server; on its machine: acp doctor -- COMMAND");
            case 413 ->
                Finding.problem("the request is too large: 413")
                        .because("A proxy before the server bounds the size of requests.")
                        .next("Raise its limit (nginx: client_max_body_size 64m).");
            default -> noAgent(server, answer, Integer.toString(status));
        };
        return finding.shown("it says:", said(answer), 3).shown("on the way:", way(answer), 3);
    }

    private static Finding noAgent(ExaminedServer server, HttpResponse<byte[]> answer, String status) {
        String type = answer.headers().firstValue("Content-Type").orElse("");
        return Finding.problem("no agent answers at " + server.endpoint().getRawPath() + ": " + status
                        + (type.isEmpty() ? "" : ", " + type))
                .because("The path is another one, or this server has nothing to do with agents.")
                .next("Check the URL; the usual path is /acp.");
    }

    private static List<String> said(HttpResponse<byte[]> answer) {
        String text = new String(answer.body(), StandardCharsets.UTF_8);
        return text.isBlank() ? List.of() : text.strip().lines().limit(3).toList();
    }

    private static List<String> way(HttpResponse<?> answer) {
        List<String> lines = new ArrayList<>();
        for (String name : List.of("Server", "Via")) {
            answer.headers().allValues(name).forEach(value -> lines.add(name + ": " + value));
        }
        return lines;
    }

    /** The version of HTTP that was agreed. */
    static Finding http(ExaminedServer server) {
        boolean isTwo = Objects.requireNonNull(server.answer).version() == HttpClient.Version.HTTP_2;
        if (server.failed == HttpClient.Version.HTTP_2) {
            return Finding.warning("HTTP/1.1, since the server offers HTTP/2 and answers 500 with it")
                    .because("Something before the agent offers what the next one does not understand.")
                    .next("Turn HTTP/2 off there; acp does without by itself.");
        }
        return Finding.ok(
                isTwo ? "HTTP/2: all streams share a connection" : "HTTP/1.1: each stream has a connection of its own");
    }

    // ---- streams

    /** What the agent says arrives when it says it. */
    static Finding events(ExaminedServer server) throws InterruptedException {
        try {
            HttpClient own = server.newClient();
            HttpResponse<InputStream> response;
            try {
                response = server.open(own, "", EVENT_TIME);
            } catch (TimeoutException e) {
                own.shutdownNow();
                return Finding.problem("not even the headers of the stream arrive within " + Durations.text(EVENT_TIME))
                        .because("A proxy on the way keeps what the server sends until a buffer is full.")
                        .next(BUFFERS)
                        .shown("on the way:", way(Objects.requireNonNull(server.answer)), 3);
            }
            if (response.statusCode() != 200) {
                own.shutdownNow();
                return Finding.problem("the stream is refused: " + response.statusCode())
                        .because("Something on the way refuses GET, or the server has no streams.")
                        .next("Use a WebSocket, if there is one: --over websocket")
                        .shown("on the way:", way(response), 3);
            }
            server.stream = new ServerStream(own, response.body(), "");
            return firstEvent(server, server.stream, response);
        } catch (IOException e) {
            return Finding.problem("the stream cannot be opened: " + e.getMessage())
                    .next("Look at the log of the server, and of what is before it.");
        }
    }

    private static Finding firstEvent(ExaminedServer server, ServerStream stream, HttpResponse<?> response)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        if (ask(server, stream, "doctor-first", EVENT_TIME)) {
            long millis = (System.nanoTime() - begin) / 1_000_000;
            String text = "what the agent says arrives after " + millis + " ms";
            return millis < SLOW_MILLIS
                    ? Finding.ok(text)
                    : Finding.warning(text)
                            .because("A proxy on the way may collect what the server sends, or the agent is slow.")
                            .next(BUFFERS);
        }
        String end = stream.end();
        if (end != null) {
            return Finding.problem("the stream does not stay open: " + end)
                    .because("A proxy on the way, or a firewall, ends responses that take long.")
                    .next("Raise its timeouts, or use a WebSocket: --over websocket");
        }
        // Whoever buffers lets go when the stream ends.
        int unused = server.end();
        boolean wasKept = stream.awaitWanted(FLUSH_TIME);
        stream.close();
        server.initialized = server.way.over() == RemoteAgent.Over.EVENTS ? null : server.initialized;
        return wasKept
                ? Finding.problem("what the agent says arrives only when the stream ends")
                        .because("A proxy on the way keeps what the server sends until a buffer is full.")
                        .next(BUFFERS)
                        .shown("on the way:", way(response), 3)
                : Finding.problem("the answer of the agent does not arrive within " + Durations.text(EVENT_TIME))
                        .because("A proxy on the way keeps it, or the agent does not answer unknown requests.")
                        .next("On the machine of the server: acp doctor -- COMMAND; and look at what is before it.")
                        .shown("on the way:", way(response), 3);
    }

    /** Asks the agent something, and returns whether its answer has come. */
    private static boolean ask(ExaminedServer server, ServerStream stream, String id, Duration limit)
            throws IOException, InterruptedException {
        stream.want("\"" + id + "\"");
        post(server, id);
        return stream.awaitWanted(limit);
    }

    private static void post(ExaminedServer server, String id) throws IOException, InterruptedException {
        int status = server.post(ExaminedServer.question(id)).statusCode();
        if (status >= 300) {
            throw new IOException("a request was answered " + status);
        }
    }

    /** A stream that was cut goes on where it was. */
    static Finding resumption(ExaminedServer server) throws InterruptedException {
        JsonObject offer = resumable(server);
        if (offer == null) {
            return Finding.warning("the server cannot resume streams")
                    .because("What is sent while a connection is cut is lost.")
                    .next("acp makes a new connection then, and loads the sessions; turns that ran are interrupted.");
        }
        ServerStream cut = Objects.requireNonNull(server.stream);
        String position = cut.position();
        if (position.isEmpty()) {
            return Finding.problem("the server offers to resume, and its events have no id")
                    .because("Something on the way changes the stream, or the server is wrong.")
                    .next("Report it to who runs the server.");
        }
        cut.close();
        try {
            // Asked while nobody listens.
            post(server, "doctor-meanwhile");
            HttpClient own = server.newClient();
            HttpResponse<InputStream> response = server.open(own, position, EVENT_TIME);
            if (response.statusCode() != 200) {
                own.shutdownNow();
                return Finding.problem("a stream that was cut is refused: " + response.statusCode())
                        .because("The request came to another server than the first one, or it keeps too little.")
                        .next("Of several servers, one must get all requests of a connection: sticky routing.");
            }
            ServerStream again = new ServerStream(own, response.body(), "\"doctor-meanwhile\"");
            server.stream = again;
            return again.awaitWanted(EVENT_TIME)
                    ? Finding.ok("cut, and gone on with: nothing was lost" + keeps(offer))
                    : Finding.problem("cut, and gone on with, and what was sent meanwhile is missing")
                            .because("The server keeps less than it says, or a proxy keeps the stream.")
                            .next("Report it to who runs the server.");
        } catch (TimeoutException e) {
            return Finding.problem("a stream that was cut is not opened again within " + Durations.text(EVENT_TIME))
                    .because("A proxy on the way has not noticed the cut, or keeps the stream.")
                    .next(BUFFERS);
        } catch (IOException e) {
            return Finding.problem("a stream that was cut cannot be opened again: " + e.getMessage())
                    .next("Look at the log of the server, and of what is before it.");
        }
    }

    private static @Nullable JsonObject resumable(ExaminedServer server) {
        JsonObject result = Objects.requireNonNull(server.initialized);
        for (String name : List.of("agentCapabilities", "capabilities")) {
            if (result.members().get(name) instanceof JsonObject offers
                    && offers.members().get("transport") instanceof JsonObject transport
                    && transport.members().get("resumable") instanceof JsonObject resumable) {
                return resumable;
            }
        }
        return null;
    }

    private static String keeps(JsonObject offer) {
        JsonValue seconds = offer.members().get("retentionSeconds");
        return seconds == null ? "" : "; the server keeps at least " + seconds + " s";
    }

    /** A stream on which nobody says anything stays. */
    static Finding idle(ExaminedServer server) throws InterruptedException {
        Duration idle = server.idle;
        if (idle == null) {
            return Finding.skipped("not watched without --idle TIME");
        }
        ServerStream stream = Objects.requireNonNull(server.stream);
        long begin = System.nanoTime();
        Duration unused = stream.takeLongestSilence();
        boolean ended = stream.awaitEnd(idle);
        Duration silence = stream.takeLongestSilence();
        if (ended) {
            String text = "the stream was cut after " + seconds(Duration.ofNanos(System.nanoTime() - begin)) + ": "
                    + stream.end();
            Finding finding = resumable(server) == null ? Finding.problem(text) : Finding.warning(text);
            return finding.because("A proxy or a firewall on the way ends what is idle, or lasts, for so long.")
                    .next("Raise its timeout over twice the interval of the signs of life, which is 15 s of our"
                            + " servers.");
        }
        try {
            if (!ask(server, stream, "doctor-idle", EVENT_TIME)) {
                return Finding.problem("after " + Durations.text(idle) + " without a word the stream is dead, and"
                                + " nobody says so")
                        .because("A firewall or an address translation on the way forgets idle connections.")
                        .next("Have the server give signs of life more often, or raise the timeout on the way.");
            }
        } catch (IOException e) {
            return Finding.problem("after " + Durations.text(idle) + " the server is not reached: " + e.getMessage());
        }
        return Finding.ok("open after " + Durations.text(idle) + "; the longest silence was " + seconds(silence));
    }

    private static String seconds(Duration time) {
        return (time.toMillis() + 500) / 1000 + " s";
    }

    /** The server ends a connection when it is asked to. */
    static Finding end(ExaminedServer server) throws InterruptedException {
        try {
            int status = server.end();
            return status == 202 || status == 200 || status == 204
                    ? Finding.ok("the server has ended the connection")
                    : Finding.warning("the request to end the connection is answered " + status)
                            .because("Something on the way refuses DELETE, or the connection was gone.")
                            .next("Its agent runs until the server gives it up by itself.");
        } catch (IOException e) {
            return Finding.warning("the request to end the connection is not answered: " + e.getMessage())
                    .next("Its agent runs until the server gives it up by itself.");
        }
    }
}
