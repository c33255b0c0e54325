package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.Durations;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;

/** Checks whether an agent connects the MCP servers that it is given. */
final class McpSteps {
    /** How long an agent may take to come, since its session was asked for. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    /** The first revision without a handshake. */
    private static final String MODERN = "2026-07-28";

    private McpSteps() {}

    /** Returns the step for a kind of server. */
    static Step<ExaminedAgent> step(McpOffers.Kind kind) {
        return new Step<>(
                "mcp-" + kind.name().toLowerCase(Locale.ROOT),
                agent -> agent.mcp != null && agent.session != null,
                agent -> examined(agent, kind));
    }

    private static Finding examined(ExaminedAgent agent, McpOffers.Kind kind) throws InterruptedException {
        McpOffers offers = Objects.requireNonNull(agent.mcp);
        if (agent.refusesServers()) {
            return Finding.skipped("the session was refused with servers");
        }
        if (!offers.offers(kind)) {
            return Finding.skipped("it does not offer to connect such servers" + otherwise(offers, kind));
        }
        Duration most = agent.atMost(PATIENCE);
        McpOffers.Visit visit = offers.await(kind, most.toNanos());
        Finding finding = finding(agent, visit, most);
        return finding.detailed(details(visit));
    }

    /** Returns how such a server reaches the agent all the same, by a bridge in front of it. */
    private static String otherwise(McpOffers offers, McpOffers.Kind kind) {
        boolean hasProgram = offers.offers(McpOffers.Kind.STDIO);
        return switch (kind) {
            case STDIO -> "; a session with one is refused";
            case HTTP ->
                offers.offers(McpOffers.Kind.ACP)
                        ? "; a bridge relays one over ACP"
                        : hasProgram ? "; a bridge relays one by a program" : "; a session with one is refused";
            case ACP ->
                offers.offers(McpOffers.Kind.HTTP)
                        ? "; a bridge serves one over HTTP"
                        : hasProgram ? "; a bridge serves one by a program" : "; a session with one is refused";
        };
    }

    private static Finding finding(ExaminedAgent agent, McpOffers.Visit visit, Duration most) {
        if (visit.cameNanos() == null) {
            return missing(agent, "the agent did not connect to it within " + Durations.text(most));
        }
        String came = "connected after " + millis(visit.cameNanos()) + " ms, "
                + (visit.cameBeforeAnswer() ? "before" : "after") + " it answered session/new, with MCP "
                + (visit.revision().isEmpty() ? "of no revision" : visit.revision())
                + (isModern(visit) ? "" : " (a handshake)");
        return visit.listedNanos() == null
                ? missing(agent, came + "; it did not list the tools within " + Durations.text(most))
                : Finding.ok(came + "; listed the tools after " + millis(visit.listedNanos()) + " ms");
    }

    /** Some agents connect servers when they are asked something. */
    private static Finding missing(ExaminedAgent agent, String text) {
        return agent.prompt == null
                ? Finding.warning(text)
                        .because("Some agents connect to servers at the first prompt only; others never do.")
                        .next(
                                "Test it with a prompt: --mcp --prompt TEXT. If it does not come then either, report it to the "
                                        + "agent's authors.")
                : Finding.problem(text)
                        .because("The agent accepts the servers of the user and does not use them.")
                        .next("Report it to the agent's authors.");
    }

    private static boolean isModern(McpOffers.Visit visit) {
        return visit.revision().compareTo(MODERN) >= 0;
    }

    private static long millis(long nanos) {
        return Duration.ofNanos(nanos).toMillis();
    }

    private static RawJson details(McpOffers.Visit visit) {
        JsonWriter json = new JsonWriter();
        json.beginObject();
        json.name("connected");
        json.bool(visit.cameNanos() != null);
        if (visit.cameNanos() != null) {
            json.name("connectedAfterMillis");
            json.int64(millis(visit.cameNanos()));
            json.name("beforeSessionAnswer");
            json.bool(visit.cameBeforeAnswer());
            json.name("revision");
            json.string(visit.revision());
            json.name("handshake");
            json.bool(!isModern(visit));
        }
        json.name("listedTools");
        json.bool(visit.listedNanos() != null);
        if (visit.listedNanos() != null) {
            json.name("listedToolsAfterMillis");
            json.int64(millis(visit.listedNanos()));
        }
        json.endObject();
        return json.toRawJson();
    }
}
