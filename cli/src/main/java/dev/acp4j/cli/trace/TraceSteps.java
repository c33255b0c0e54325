package dev.acp4j.cli.trace;

import dev.acp4j.trace.TraceEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Matches responses to requests. */
final class TraceSteps {
    /** Keyed by sender, receiver and id. */
    private final Map<String, TraceStep> open = new LinkedHashMap<>();

    private int count;

    /** Returns the step of the next event. */
    TraceStep next(TraceEvent event) {
        int number = count++;
        return switch (event.type()) {
            case REQUEST -> {
                TraceStep step = new TraceStep(number, event, null, -1);
                open.put(key(event.from(), event.to(), event), step);
                yield step;
            }
            case RESULT, ERROR -> {
                TraceStep request = open.remove(key(event.to(), event.from(), event));
                yield request == null
                        ? new TraceStep(number, event, null, -1)
                        : new TraceStep(number, event, request.event(), request.number());
            }
            default -> new TraceStep(number, event, null, -1);
        };
    }

    private static String key(String asker, String asked, TraceEvent event) {
        return asker + "\n" + asked + "\n" + event.id();
    }

    /** Returns the requests without response. */
    List<TraceStep> unanswered() {
        return new ArrayList<>(open.values());
    }

    /** Returns the number of steps. */
    int count() {
        return count;
    }
}
