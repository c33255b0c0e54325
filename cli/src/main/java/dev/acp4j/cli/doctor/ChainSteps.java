package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.Durations;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonNull;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ErrorCode;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a chain must leave as it is: each step compares what goes in at one end with what comes out at the other. */
final class ChainSteps {
    /** One examination of a chain. */
    @FunctionalInterface
    interface Examination {
        Finding of(TestedChain chain) throws IOException, InterruptedException;
    }

    /**
     * A step.
     *
     * @param name its name; part of the JSON output
     */
    record ChainStep(String name, Examination examination) {}

    static final List<ChainStep> ALL = List.of(
            new ChainStep("initialize", ChainSteps::initialize),
            new ChainStep("unknown", ChainSteps::unknown),
            new ChainStep("meta", ChainSteps::meta),
            new ChainStep("errors", ChainSteps::errors),
            new ChainStep("order", ChainSteps::order),
            new ChainStep("cancel", ChainSteps::cancel),
            new ChainStep("speed", ChainSteps::speed),
            new ChainStep("end", ChainSteps::end));

    private static final int WARM_UP = 50;
    private static final int MEASURED = 200;
    private static final Duration SLOW_END = Duration.ofSeconds(2);
    private static final String ODD =
            "{\"x\":1.50,\"own\":[ ],\"_meta\":{\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\",\"n\":1e3}}";

    private ChainSteps() {}

    // ---- what a message becomes

    private static String text(@Nullable Message message) {
        return message == null ? "nothing" : String.valueOf(message.raw());
    }

    private static Finding silent(String what, TestedChain chain) {
        return Finding.problem(what + ", within " + Durations.text(chain.patience()))
                .shown("reports:", chain.notices(), 5);
    }

    /** Returns the finding of what did not arrive as it went in; null if it did. */
    private static @Nullable Finding differs(String what, String sent, @Nullable Object came) {
        return String.valueOf(came).equals(sent)
                ? null
                : Finding.problem(what)
                        .because("A proxy passes on byte for byte what it does not intercept.")
                        .shown("sent and received:", List.of(sent, String.valueOf(came)), 2);
    }

    // ---- the steps

    /** It initializes what is behind it, and answers in the version that was asked for. */
    static Finding initialize(TestedChain chain) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Message answer = chain.initialize();
        long millis = (System.nanoTime() - begin) / 1_000_000;
        if (answer == null) {
            return silent("initialize was not answered", chain);
        }
        RawJson error = answer.error();
        if (error != null) {
            RpcError why = error(error);
            return why.code() == ErrorCode.UNSUPPORTED_PROTOCOL_VERSION.value()
                    ? Finding.warning("this version is refused: " + text(why))
                    : Finding.problem("initialize was answered with error " + why.code() + ": " + text(why))
                            .shown("last lines of standard error:", saidBy(why), Failure.STDERR_LINES);
        }
        if (chain.agent.initializedWith() == null) {
            return Finding.problem("initialize was answered, but the agent was not initialized")
                    .because("A proxy must forward initialize before it answers.");
        }
        long spoken = version(answer.result());
        return spoken == chain.version.number()
                ? Finding.ok("answered after " + millis + " ms")
                : Finding.problem("the version is changed from " + chain.version.number() + " to " + spoken)
                        .because("A proxy must not change the version.");
    }

    /** What a component that has ended has said, by an error of the conductor. */
    private static List<String> saidBy(RpcError error) {
        JsonValue data = error.data().map(RawJson::value).orElse(JsonNull.INSTANCE);
        JsonValue said = member(member(data, "acp4j"), "stderr");
        return said instanceof JsonArray lines
                ? lines.elements().stream()
                        .map(line -> line instanceof JsonString text ? text.value() : String.valueOf(line))
                        .toList()
                : List.of();
    }

    private static JsonValue member(JsonValue of, String name) {
        return of instanceof JsonObject object ? object.get(name).orElse(JsonNull.INSTANCE) : JsonNull.INSTANCE;
    }

    private static String text(RpcError error) {
        return SafeText.line(error.message());
    }

    private static RpcError error(RawJson error) {
        return RpcError.ofAnswer(error);
    }

    private static long version(@Nullable RawJson result) {
        return result != null && result.value() instanceof JsonObject object
                ? object.get("protocolVersion")
                        .map(value -> value.toString().matches("\\d{1,9}") ? Long.parseLong(value.toString()) : -1)
                        .orElse(-1L)
                : -1;
    }

    /** Methods that nobody knows reach the other end, in both directions. */
    static Finding unknown(TestedChain chain) throws IOException, InterruptedException {
        Finding there = unknown(chain, chain.client, chain.agent, "toward the agent");
        return there.level() != Finding.Level.OK
                ? there
                : unknown(chain, chain.agent, chain.client, "toward the client");
    }

    private static Finding unknown(TestedChain chain, PlayedEnd from, PlayedEnd to, String direction)
            throws IOException, InterruptedException {
        Message answer = from.ask(PlayedEnd.UNKNOWN, ODD, chain.patience());
        if (answer == null) {
            return silent("an unknown request was not answered, " + direction, chain);
        }
        RawJson error = answer.error();
        if (error == null || error(error).code() != RpcError.METHOD_NOT_FOUND) {
            return Finding.problem("the answer -32601 to an unknown method became " + text(answer) + ", " + direction);
        }
        from.tell(PlayedEnd.ECHO, ODD);
        Message arrived = to.await(PlayedEnd.ECHO, chain.patience());
        if (arrived == null) {
            return silent("an unknown notification did not arrive, " + direction, chain);
        }
        Finding changed = differs("an unknown notification was changed, " + direction, ODD, arrived.params());
        return changed != null ? changed : Finding.ok("unknown requests and notifications pass in both directions");
    }

    /** {@code _meta}, and other members that nobody knows, pass both ways. */
    static Finding meta(TestedChain chain) throws IOException, InterruptedException {
        for (PlayedEnd from : List.of(chain.client, chain.agent)) {
            String direction = from.equals(chain.client) ? "toward the agent" : "toward the client";
            Message echo = from.ask(PlayedEnd.ECHO, ODD, chain.patience());
            if (echo == null) {
                return silent("a request with _meta was not answered, " + direction, chain);
            }
            // What has come back went through twice.
            Finding changed = differs("_meta or an unknown member was changed, " + direction, ODD, echo.result());
            if (changed != null) {
                return changed;
            }
        }
        return Finding.ok("_meta and unknown members pass in both directions");
    }

    /** An error comes back as it is. */
    static Finding errors(TestedChain chain) throws IOException, InterruptedException {
        for (PlayedEnd from : List.of(chain.client, chain.agent)) {
            String of = from.equals(chain.client) ? "of the agent" : "of the client";
            Message answer = from.ask(PlayedEnd.FAIL, "{}", chain.patience());
            if (answer == null) {
                return silent("an error " + of + " did not arrive", chain);
            }
            Finding changed = differs("an error " + of + " was changed", PlayedEnd.ERROR, answer.error());
            if (changed != null) {
                return changed;
            }
        }
        return Finding.ok("errors pass with code, data and unknown members");
    }

    /** Updates stand behind the answer that opens their session, and before the end of their turn. */
    static Finding order(TestedChain chain) throws IOException, InterruptedException {
        chain.client.forget();
        PlayedEnd.Asked opening = chain.client.begin("session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        Message opened = opening.await(chain.patience());
        if (opened == null || opened.isError()) {
            return Finding.problem("session/new was answered by " + text(opened));
        }
        Finding first = updates(chain, "after session/new");
        if (first != null) {
            return first;
        }
        String prompt = prompt(opened.session(), "acp doctor: a prompt");
        PlayedEnd.Asked asked = chain.client.begin("session/prompt", prompt);
        Finding second = updates(chain, "in a turn");
        if (second != null) {
            return second;
        }
        Message answer = asked.await(chain.patience());
        if (answer == null || answer.isError()) {
            return Finding.problem("session/prompt was answered by " + text(answer));
        }
        return Finding.ok("updates keep their order, and their place before and behind answers");
    }

    private static String prompt(String session, String text) {
        return "{\"sessionId\":\"" + session + "\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text
                + "\"}],\"_meta\":{\"acp-doctor\":1.50}}";
    }

    private static @Nullable Finding updates(TestedChain chain, String where) throws InterruptedException {
        for (int i = 0; i < PlayedAgent.UPDATES; i++) {
            String wanted = "update " + i + ".";
            Message update = chain.client.await(
                    message -> message.method().equals("session/update")
                            && String.valueOf(message.params()).contains("agent_message_chunk"),
                    chain.patience());
            if (update == null) {
                return silent(wanted + " of " + PlayedAgent.UPDATES + " did not arrive, " + where, chain);
            }
            if (!String.valueOf(update.params()).contains(wanted)) {
                return Finding.problem("an update is lost, repeated, changed or in the wrong place, " + where)
                        .shown("expected and received:", List.of(wanted, text(update)), 2);
            }
        }
        return null;
    }

    /** A cancellation reaches the agent, once, and the answer comes back, once. */
    static Finding cancel(TestedChain chain) throws IOException, InterruptedException {
        PlayedEnd.Asked held = chain.client.begin(PlayedEnd.HOLD, "{}");
        Message there = chain.agent.await(PlayedEnd.HOLD, chain.patience());
        if (there == null) {
            return silent("a request did not reach the agent", chain);
        }
        chain.client.tell("$/cancel_request", "{\"requestId\":" + held.id() + "}");
        Message cancelled = chain.agent.await("$/cancel_request", chain.patience());
        if (cancelled == null) {
            return silent("$/cancel_request did not reach the agent", chain);
        }
        if (!String.valueOf(cancelled.params()).contains("\"requestId\":" + there.id())) {
            return Finding.problem("$/cancel_request names another request than the one that the agent has")
                    .because("Each hop has ids of its own, so a cancellation is made anew for the next one.")
                    .shown("the request, and what came:", List.of(text(there), text(cancelled)), 2);
        }
        chain.agent.fail(there, "{\"code\":-32800,\"message\":\"cancelled\"}");
        Message answer = held.await(chain.patience());
        if (answer == null || !String.valueOf(answer.error()).contains("-32800")) {
            return Finding.problem("the answer -32800 to a cancelled request became " + text(answer));
        }
        return cancelTurn(chain);
    }

    private static Finding cancelTurn(TestedChain chain) throws IOException, InterruptedException {
        String session = chain.openSession();
        if (session == null) {
            return Finding.problem("session/new was not answered with a session");
        }
        PlayedEnd.Asked asked = chain.client.begin("session/prompt", prompt(session, PlayedAgent.STAY));
        // A proxy that intercepts prompts cancels those that it has not passed on yet by itself.
        if (!chain.agent.awaitTurn(chain.patience())) {
            return silent("a prompt did not reach the agent", chain);
        }
        chain.client.tell("session/cancel", "{\"sessionId\":\"" + session + "\"}");
        Message arrived = chain.agent.await("session/cancel", chain.patience());
        chain.agent.cancelTurn(session);
        if (arrived == null) {
            return silent("session/cancel did not reach the agent", chain);
        }
        if (chain.version == Version.V2) {
            boolean hasEnded = chain.client.await(
                            message -> String.valueOf(message.params()).contains("\"idle\""), chain.patience())
                    != null;
            return hasEnded
                    ? Finding.ok("cancellations pass, once each")
                    : silent("the end of a cancelled turn did not arrive", chain);
        }
        Message answer = asked.await(chain.patience());
        return answer != null && String.valueOf(answer.result()).contains("\"cancelled\"")
                ? Finding.ok("cancellations pass, once each")
                : Finding.problem("the answer to a cancelled prompt became " + text(answer));
    }

    /** How long a request takes that nobody intercepts. */
    static Finding speed(TestedChain chain) throws IOException, InterruptedException {
        long[] nanos = new long[MEASURED];
        for (int i = -WARM_UP; i < MEASURED; i++) {
            long begin = System.nanoTime();
            if (chain.client.ask(PlayedEnd.ECHO, "{}", chain.patience()) == null) {
                return silent("a request was not answered", chain);
            }
            if (i >= 0) {
                nanos[i] = System.nanoTime() - begin;
            }
        }
        Arrays.sort(nanos);
        return Finding.ok(String.format(
                Locale.ROOT, "a request and its answer take %.2f ms, in the median", nanos[MEASURED / 2] / 1e6));
    }

    /** It ends with its input. */
    static Finding end(TestedChain chain) {
        Duration took = chain.end();
        return took.compareTo(SLOW_END) < 0
                ? Finding.ok("ends " + took.toMillis() + " ms after its input")
                : Finding.problem("does not end when its input ends: it was ended after " + took.toMillis() + " ms");
    }
}
