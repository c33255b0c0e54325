package dev.acp4j.proxy;

import dev.acp4j.schema.Unstable;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where the time of a turn has gone. In version 2 it is that until the prompt was answered, which is when its turn
 * begins.
 *
 * @param session the session
 * @param total the time from the prompt to its answer, at the client
 * @param components the time that each program has spent by itself, by its name; what is left of the total is that of
 *     the client, and of proxies in the program of the conductor
 */
@Unstable
public record TurnTime(String session, Duration total, Map<String, Duration> components) {
    public TurnTime {
        components = Collections.unmodifiableMap(new LinkedHashMap<>(components));
    }

    /** Returns the time that no program has spent. */
    public Duration rest() {
        Duration rest = total;
        for (Duration one : components.values()) {
            rest = rest.minus(one);
        }
        return rest.isNegative() ? Duration.ZERO : rest;
    }
}
