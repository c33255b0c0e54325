package dev.acp4j.http.gateway;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.http.ServerEvent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Numbers in the text format of Prometheus. Labels are of small fixed sets. The lock guards the numbers.
 *
 * @see <a href="https://prometheus.io/docs/instrumenting/exposition_formats/">Exposition formats</a>
 */
final class Metrics {
    /** What the numbers mean; all names are here. */
    private static final Map<String, String> HELP = new TreeMap<>(Map.ofEntries(
            Map.entry("acp_agents", "Agents that run."),
            Map.entry("acp_agents_prestarted", "Processes that were started and belong to nobody yet."),
            Map.entry("acp_agents_started_total", "Agents that were started."),
            Map.entry("acp_agents_ended_total", "Agents that have ended, by reason."),
            Map.entry("acp_agents_failed_total", "Agents that could not be started."),
            Map.entry("acp_bytes_queued", "Bytes of messages that wait for an agent or a client."),
            Map.entry("acp_bytes_retained", "Bytes of messages that are kept for clients that come back."),
            Map.entry("acp_certificates_kept_total", "Changed certificates that could not be used."),
            Map.entry(
                    "acp_history_bytes",
                    "Bytes of updates of shared sessions that are kept for clients that come later."),
            Map.entry("acp_connections", "Connections of clients."),
            Map.entry("acp_connections_opened_total", "Connections that were opened."),
            Map.entry(
                    "acp_connections_slowed",
                    "Connections whose agents wait, since as much waits for all clients as may."),
            Map.entry("acp_connections_ended_total", "Connections that have ended, by reason."),
            Map.entry(
                    "acp_streams_resumed_total",
                    "Streams and WebSockets that went on behind what was received before."),
            Map.entry("acp_streams", "Streams of events and WebSockets that are read."),
            Map.entry("acp_streams_opened_total", "Streams of events and WebSockets that were opened."),
            Map.entry("acp_refusals_total", "Requests that were refused, by status and reason."),
            Map.entry("acp_sessions", "Sessions that are open."),
            Map.entry("acp_sessions_removed_total", "Sessions that were deleted because nobody used them."),
            Map.entry("acp_sessions_refused_total", "Sessions that were refused, by reason."),
            Map.entry("acp_questions_open", "Questions to users that are open: for a permission, or for input."),
            Map.entry("acp_questions_closed_total", "Questions that were closed, by what closed them."),
            Map.entry("acp_store_failures_total", "What could not be kept in the store, or read from it."),
            Map.entry("acp_webhooks_failed_total", "Webhooks that were not delivered."),
            Map.entry("acp_turns_refused_total", "Turns that were refused, by reason."),
            Map.entry("acp_turns_failed_total", "Turns whose answer is an error."),
            Map.entry("acp_turn_seconds", "How long turns take.")));

    private static final double[] SECONDS = {0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600};

    private final ReentrantLock lock = new ReentrantLock();

    /** By name, and then by labels as they are written. */
    @GuardedBy("lock")
    private final Map<String, Map<String, Long>> numbers = new TreeMap<>();

    @GuardedBy("lock")
    private final long[] turns = new long[SECONDS.length + 1];

    @GuardedBy("lock")
    private double turnSeconds;

    Metrics() {
        // A number that is missing until something fails cannot be watched.
        for (String gauge : List.of(
                "acp_connections", "acp_streams", "acp_bytes_queued", "acp_bytes_retained", "acp_connections_slowed")) {
            add(gauge, "", 0);
        }
        for (String name : HELP.keySet()) {
            boolean hasLabels = name.equals("acp_agents_ended_total")
                    || name.equals("acp_connections_ended_total")
                    || name.equals("acp_refusals_total")
                    || name.equals("acp_sessions_refused_total")
                    || name.equals("acp_questions_closed_total")
                    || name.equals("acp_turns_refused_total");
            if (name.endsWith("_total") && !hasLabels) {
                add(name, "", 0);
            }
        }
    }

    void count(ServerEvent event) {
        switch (event) {
            case ServerEvent.ConnectionOpened opened -> {
                add("acp_connections", "", 1);
                add("acp_connections_opened_total", "", 1);
            }
            case ServerEvent.ConnectionEnded ended -> {
                add("acp_connections", "", -1);
                add("acp_connections_ended_total", label("reason", ended.reason()), 1);
            }
            case ServerEvent.StreamOpened opened -> {
                add("acp_streams", "", 1);
                add("acp_streams_opened_total", "", 1);
                if (opened.resumes()) {
                    add("acp_streams_resumed_total", "", 1);
                }
            }
            case ServerEvent.StreamClosed closed -> add("acp_streams", "", -1);
            case ServerEvent.Refused refused ->
                add("acp_refusals_total", label("status", "" + refused.status(), "reason", refused.reason()), 1);
            case ServerEvent.CertificateKept kept -> add("acp_certificates_kept_total", "", 1);
            case ServerEvent.StoreFailed failed -> add("acp_store_failures_total", "", 1);
            case ServerEvent.BytesHeld held -> {
                set("acp_bytes_queued", held.queued());
                set("acp_bytes_retained", held.retained());
                set("acp_connections_slowed", held.slowed());
            }
            case ServerEvent.Draining draining -> {
                // Readiness says so.
            }
        }
    }

    void count(GatewayEvent event) {
        switch (event) {
            case GatewayEvent.AgentStarted started -> add("acp_agents_started_total", "", 1);
            case GatewayEvent.AgentPrestarted prestarted -> {
                // Those that wait are counted when they are asked for.
            }
            case GatewayEvent.AgentEnded ended -> add("acp_agents_ended_total", label("reason", ended.reason()), 1);
            case GatewayEvent.AgentFailed failed -> add("acp_agents_failed_total", "", 1);
            case GatewayEvent.TurnEnded ended -> turn(ended.time(), ended.failed());
            case GatewayEvent.SessionRemoved removed -> add("acp_sessions_removed_total", "", 1);
            case GatewayEvent.TurnRefused refused ->
                add("acp_turns_refused_total", label("reason", refused.reason()), 1);
            case GatewayEvent.QuestionOpened opened -> {
                // Those that are open are counted when they are asked for.
            }
            case GatewayEvent.QuestionClosed closed -> add("acp_questions_closed_total", label("by", closed.by()), 1);
            case GatewayEvent.SessionRefused refused ->
                add("acp_sessions_refused_total", label("reason", refused.reason()), 1);
            case GatewayEvent.WebhookFailed failed -> add("acp_webhooks_failed_total", "", 1);
        }
    }

    private void turn(Duration time, boolean failed) {
        double seconds = time.toNanos() / 1e9;
        int bucket = 0;
        while (bucket < SECONDS.length && seconds > SECONDS[bucket]) {
            bucket++;
        }
        lock.lock();
        try {
            turns[bucket]++;
            turnSeconds += seconds;
        } finally {
            lock.unlock();
        }
        if (failed) {
            add("acp_turns_failed_total", "", 1);
        }
    }

    private void add(String name, String labels, long value) {
        lock.lock();
        try {
            numbers.computeIfAbsent(name, unused -> new TreeMap<>()).merge(labels, value, Long::sum);
        } finally {
            lock.unlock();
        }
    }

    private void set(String name, long value) {
        lock.lock();
        try {
            numbers.computeIfAbsent(name, unused -> new TreeMap<>()).put("", value);
        } finally {
            lock.unlock();
        }
    }

    /** Names and values come from here, and are words. */
    private static String label(String... pairs) {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < pairs.length; i += 2) {
            text.append(i == 0 ? "" : ",").append(pairs[i]).append("=\"");
            text.append(pairs[i + 1].replaceAll("[^A-Za-z0-9_]", "_")).append('"');
        }
        return text.append('}').toString();
    }

    /**
     * Returns all numbers.
     *
     * @param gauges those that are counted elsewhere, by name
     */
    String text(Map<String, Number> gauges) {
        StringBuilder text = new StringBuilder(4096);
        lock.lock();
        try {
            for (Map.Entry<String, String> entry : HELP.entrySet()) {
                String name = entry.getKey();
                text.append("# HELP ")
                        .append(name)
                        .append(' ')
                        .append(entry.getValue())
                        .append('\n');
                if (name.equals("acp_turn_seconds")) {
                    text.append("# TYPE ").append(name).append(" histogram\n");
                    appendTurns(text, name);
                    continue;
                }
                text.append("# TYPE ").append(name).append(name.endsWith("_total") ? " counter\n" : " gauge\n");
                if (gauges.containsKey(name)) {
                    text.append(name).append(' ').append(gauges.get(name)).append('\n');
                }
                for (Map.Entry<String, Long> number :
                        numbers.getOrDefault(name, Map.of()).entrySet()) {
                    text.append(name).append(number.getKey()).append(' ');
                    text.append(number.getValue()).append('\n');
                }
            }
        } finally {
            lock.unlock();
        }
        return text.toString();
    }

    @GuardedBy("lock")
    private void appendTurns(StringBuilder text, String name) {
        long sum = 0;
        for (int i = 0; i < turns.length; i++) {
            sum += turns[i];
            String most = i < SECONDS.length ? Double.toString(SECONDS[i]) : "+Inf";
            text.append(name)
                    .append("_bucket{le=\"")
                    .append(most)
                    .append("\"} ")
                    .append(sum)
                    .append('\n');
        }
        text.append(name).append("_sum ").append(turnSeconds).append('\n');
        text.append(name).append("_count ").append(sum).append('\n');
    }
}
