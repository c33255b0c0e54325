package dev.acp4j.cli.trace;

import dev.acp4j.trace.TraceEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds the requests of the answers. */
final class TraceSteps {
    /** By who asked whom, and the id. */
    private final Map<String, TraceStep> open = new LinkedHashMap<>();

    private int count;

    /** Returns the step that the next event is. */
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

    /** Returns the requests that have no answer. */
    List<TraceStep> unanswered() {
        return new ArrayList<>(open.values());
    }

    /** Returns how many steps there were. */
    int count() {
        return count;
    }
}
