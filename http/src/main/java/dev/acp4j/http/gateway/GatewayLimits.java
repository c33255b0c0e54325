package dev.acp4j.http.gateway;

import dev.acp4j.schema.Evolving;
import dev.acp4j.schema.Unstable;
import java.time.Duration;

/**
 * Limits of a gateway.
 *
 * @param processes how many agents run at once
 * @param processesOfPrincipal how many of them are of one principal
 * @param startsPerMinute how many agents of one principal are started in a minute, so that one that crashes is not
 *     started for ever
 * @param sessionsOfPrincipal how many sessions of one principal are open
 * @param turnsPerDay how many turns one principal begins within 24 hours; 0 for any number. A restart forgets them
 * @param idleTime how long a shared agent runs without a client, a turn, a question, a session that works, and work of
 *     its processes: more than a fiftieth of a processor
 * @param questionTime how long a question is open; then it counts as cancelled
 * @param historyBytes how much of the updates of all its sessions a shared agent's clients find when they come later,
 *     in bytes; the sessions with most lose their oldest first
 * @param historyBytesInAll how much of that there is of all agents together, in bytes: an agent may keep as much as is
 *     left of it
 */
@Unstable
@Evolving
public record GatewayLimits(
        int processes,
        int processesOfPrincipal,
        int startsPerMinute,
        int sessionsOfPrincipal,
        int turnsPerDay,
        Duration idleTime,
        Duration questionTime,
        long historyBytes,
        long historyBytesInAll) {
    /**
     * 64 agents, 16 of a principal, of which 30 are started in a minute; 100 sessions; any number of turns; half an
     * hour; a day; 64 MiB, and an eighth of the heap in all.
     */
    public static final GatewayLimits STANDARD = new GatewayLimits(
            64,
            16,
            30,
            100,
            0,
            Duration.ofMinutes(30),
            Duration.ofDays(1),
            64L * 1024 * 1024,
            Runtime.getRuntime().maxMemory() / 8);

    public GatewayLimits {
        if (processes <= 0 || processesOfPrincipal <= 0 || startsPerMinute <= 0 || sessionsOfPrincipal <= 0) {
            throw new IllegalArgumentException("limits of a gateway must be positive");
        }
        if (turnsPerDay < 0) {
            throw new IllegalArgumentException("turnsPerDay must not be negative, got " + turnsPerDay);
        }
        if (!idleTime.isPositive() || !questionTime.isPositive()) {
            throw new IllegalArgumentException("times of a gateway must be positive");
        }
        if (historyBytes <= 0) {
            throw new IllegalArgumentException("historyBytes must be positive, got " + historyBytes);
        }
        if (historyBytesInAll <= 0) {
            throw new IllegalArgumentException("historyBytesInAll must be positive, got " + historyBytesInAll);
        }
    }

    /** Returns these limits with others for agents: at once in all, of one principal, and starts in a minute. */
    public GatewayLimits withProcesses(int inAll, int ofPrincipal, int perMinute) {
        return new GatewayLimits(
                inAll,
                ofPrincipal,
                perMinute,
                sessionsOfPrincipal,
                turnsPerDay,
                idleTime,
                questionTime,
                historyBytes,
                historyBytesInAll);
    }

    /** Returns these limits with another number of sessions that are open for one principal. */
    public GatewayLimits withSessions(int ofPrincipal) {
        return new GatewayLimits(
                processes,
                processesOfPrincipal,
                startsPerMinute,
                ofPrincipal,
                turnsPerDay,
                idleTime,
                questionTime,
                historyBytes,
                historyBytesInAll);
    }

    /** Returns these limits with another number of turns that one principal begins within 24 hours; 0 for any. */
    public GatewayLimits withTurnsPerDay(int number) {
        return new GatewayLimits(
                processes,
                processesOfPrincipal,
                startsPerMinute,
                sessionsOfPrincipal,
                number,
                idleTime,
                questionTime,
                historyBytes,
                historyBytesInAll);
    }

    /** Returns these limits with other times for idle agents and for open questions. */
    public GatewayLimits withTimes(Duration idle, Duration question) {
        return new GatewayLimits(
                processes,
                processesOfPrincipal,
                startsPerMinute,
                sessionsOfPrincipal,
                turnsPerDay,
                idle,
                question,
                historyBytes,
                historyBytesInAll);
    }

    /** Returns these limits with others for what is kept of the sessions of a shared agent, and of all, in bytes. */
    public GatewayLimits withHistory(long ofAgent, long inAll) {
        return new GatewayLimits(
                processes,
                processesOfPrincipal,
                startsPerMinute,
                sessionsOfPrincipal,
                turnsPerDay,
                idleTime,
                questionTime,
                ofAgent,
                inAll);
    }
}
