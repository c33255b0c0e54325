package dev.acp4j.cli.trace;

import dev.acp4j.trace.TraceEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Matches responses to requests, and hops to those before them. */
final class TraceSteps {
    private static final int MOST_HOPS = 10_000;

    /** Keyed by sender, receiver and id. */
    private final Map<String, TraceStep> open = new LinkedHashMap<>();

    /** The last hops of messages, by their numbers and whether they are answers. */
    private final Map<String, TraceEvent> hops = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, TraceEvent> eldest) {
            return size() > MOST_HOPS;
        }
    };

    private int count;

    /** Returns the step of the next event. */
    TraceStep next(TraceEvent event) {
        int number = count++;
        TraceEvent before = before(event);
        return switch (event.type()) {
            case REQUEST -> {
                TraceStep step = new TraceStep(number, event, null, -1, before);
                open.put(key(event.from(), event.to(), event), step);
                yield step;
            }
            case RESULT, ERROR -> {
                TraceStep request = open.remove(key(event.to(), event.from(), event));
                yield request == null
                        ? new TraceStep(number, event, null, -1, before)
                        : new TraceStep(number, event, request.event(), request.number(), before);
            }
            default -> new TraceStep(number, event, null, -1, before);
        };
    }

    /** Returns the hop by which a message came to the sender of this one. */
    private @Nullable TraceEvent before(TraceEvent event) {
        if (event.flow() == 0) {
            return null;
        }
        boolean isAnswer = event.type() == TraceEvent.Type.RESULT || event.type() == TraceEvent.Type.ERROR;
        TraceEvent before = hops.put(event.flow() + (isAnswer ? " answer" : ""), event);
        return before != null && before.to().equals(event.from()) ? before : null;
    }

    private static String key(String asker, String asked, TraceEvent event) {
        return asker + "\n" + asked + "\n" + event.id();
    }

    /** Returns the requests without response; of one that passed several hops, the last. */
    List<TraceStep> unanswered() {
        Map<String, TraceStep> last = new LinkedHashMap<>();
        open.forEach((key, step) -> {
            long flow = step.event().flow();
            last.put(flow == 0 ? key : Long.toString(flow), step);
        });
        return new ArrayList<>(last.values());
    }

    /** Returns the number of steps. */
    int count() {
        return count;
    }
}
