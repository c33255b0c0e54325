package dev.acp4j.cli.serve;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.StandardStream;
import dev.acp4j.http.ServerEvent;
import dev.acp4j.http.gateway.GatewayEvent;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.redaction.Redaction;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The log of a server on standard error, a line for each event: text, or JSON with the same members. It also takes what
 * libraries log. Members have principals and names of connections, never credentials or anything of a message.
 */
final class ServeLog {
    private static final String STACK = "stack";
    private static final Formatter FORMAT = new SimpleFormatter();

    private final StandardStream err;
    private final boolean json;
    private final Refusals refusals =
            new Refusals(this, CompletableFuture.delayedExecutor(1, TimeUnit.MINUTES, Runnable::run));

    ServeLog(StandardStream err, boolean json) {
        this.err = err;
        this.json = json;
    }

    /**
     * Writes an event. Pairs of names and values follow; empty values are left out. In text, a stack trace stands below
     * the line of the event, indented.
     */
    void write(String level, String event, String... members) {
        Map<String, JsonValue> line = new LinkedHashMap<>();
        StringBuilder text = new StringBuilder();
        String stack = "";
        String time = Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
        line.put("time", JsonString.of(time));
        line.put("level", JsonString.of(level));
        line.put("event", JsonString.of(event));
        text.append(time).append(' ').append(level).append(' ').append(event);
        for (int i = 0; i < members.length; i += 2) {
            if (!members[i + 1].isEmpty()) {
                line.put(members[i], JsonString.of(members[i + 1]));
                if (members[i].equals(STACK)) {
                    stack = members[i + 1];
                } else {
                    text.append(' ').append(members[i]).append('=').append(quoted(members[i + 1]));
                }
            }
        }
        if (json) {
            err.println(JsonObject.of(line).toString());
        } else {
            Stream<String> below = stack.lines().map(frame -> "    " + frame);
            err.println(Stream.concat(Stream.of(text.toString()), below)
                    .map(SafeText::indented)
                    .collect(Collectors.joining("\n")));
        }
    }

    private static String quoted(String value) {
        return value.matches("[\\w.:/-]+") ? value : JsonString.of(value).toString();
    }

    /** Writes what was only counted until now. */
    void end() {
        refusals.writeCounts();
    }

    void write(ServerEvent event) {
        switch (event) {
            case ServerEvent.ConnectionOpened opened ->
                write(
                        "info",
                        "connection_opened",
                        "principal",
                        opened.principal().name(),
                        "connection",
                        opened.connection());
            case ServerEvent.ConnectionEnded ended ->
                write(
                        "info",
                        "connection_ended",
                        "principal",
                        ended.principal().name(),
                        "connection",
                        ended.connection(),
                        "reason",
                        ended.reason());
            case ServerEvent.StreamOpened opened -> {
                // Clients come and go all the time; the metrics count it.
            }
            case ServerEvent.StreamClosed closed -> {
                // As above.
            }
            case ServerEvent.Refused refused -> refusals.write(refused);
            case ServerEvent.CertificateKept kept -> write("error", "certificate_kept", "message", kept.problem());
            case ServerEvent.StoreFailed failed -> write("error", "store_failed", "message", failed.problem());
            case ServerEvent.BytesHeld held -> {
                // The metrics have it.
            }
            case ServerEvent.Draining draining -> write("info", "draining");
        }
    }

    void write(GatewayEvent event) {
        switch (event) {
            case GatewayEvent.AgentStarted started ->
                write(
                        "info",
                        "agent_started",
                        "principal",
                        started.principal().name(),
                        "connection",
                        started.connection(),
                        "pid",
                        Long.toString(started.pid()));
            case GatewayEvent.AgentPrestarted prestarted ->
                write("info", "agent_prestarted", "pid", Long.toString(prestarted.pid()));
            case GatewayEvent.AgentEnded ended ->
                write(
                        ended.reason().equals("died") ? "warning" : "info",
                        "agent_ended",
                        "principal",
                        ended.principal().name(),
                        "pid",
                        Long.toString(ended.pid()),
                        "reason",
                        ended.reason(),
                        "exit",
                        ended.exit());
            case GatewayEvent.AgentFailed failed ->
                write("error", "agent_failed", "principal", failed.principal().name(), "message", failed.message());
            case GatewayEvent.TurnEnded ended ->
                write(
                        "info",
                        "turn_ended",
                        "principal",
                        ended.principal().name(),
                        "milliseconds",
                        Long.toString(ended.time().toMillis()),
                        "failed",
                        ended.failed() ? "true" : "");
            case GatewayEvent.SessionRemoved removed ->
                write(
                        "info",
                        "session_removed",
                        "principal",
                        removed.principal().name(),
                        "reason",
                        "unused");
            case GatewayEvent.TurnRefused refused ->
                write("info", "turn_refused", "principal", refused.principal().name(), "reason", refused.reason());
            case GatewayEvent.QuestionOpened opened ->
                write("info", "question_opened", "principal", opened.principal().name(), "question", opened.question());
            case GatewayEvent.QuestionClosed closed ->
                write(
                        "info",
                        "question_closed",
                        "principal",
                        closed.principal().name(),
                        "question",
                        closed.question(),
                        "by",
                        closed.by());
            case GatewayEvent.SessionRefused refused ->
                write(
                        "info",
                        "session_refused",
                        "principal",
                        refused.principal().name(),
                        "reason",
                        refused.reason());
            case GatewayEvent.WebhookFailed failed -> write("warning", "webhook_failed", "reason", failed.reason());
        }
    }

    private static String stack(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    /** From now on, what libraries log is written here: warnings and errors, without secrets. */
    void takeOver() {
        LogManager.getLogManager().reset();
        Logger root = Logger.getLogger("");
        root.setLevel(Level.WARNING);
        root.addHandler(new Handler() {
            @Override
            public void publish(@Nullable LogRecord record) {
                if (record != null && isLoggable(record)) {
                    Throwable thrown = record.getThrown();
                    ServeLog.this.write(
                            record.getLevel().intValue() >= Level.SEVERE.intValue() ? "error" : "warning",
                            "log",
                            "logger",
                            String.valueOf(record.getLoggerName()),
                            "message",
                            Redaction.SECRETS.redact(FORMAT.formatMessage(record)),
                            "exception",
                            thrown == null ? "" : Redaction.SECRETS.redact(thrown.toString()),
                            STACK,
                            thrown == null ? "" : Redaction.SECRETS.redact(stack(thrown)));
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        });
    }
}
