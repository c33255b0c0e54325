package dev.acp4j.cli.trace;

import dev.acp4j.trace.TraceEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The time of turns by end. An end works while a request of the session is inside, for which it waits for nobody else:
 * not for an answer to what it has passed on, nor to what it has asked itself. In version 2 a prompt is answered when
 * its turn begins, so the agent works until the state of the session is idle.
 */
final class TurnTimes {
    private static final String PROMPT = "session/prompt";
    private static final String ROW = "%-9s  %-12s %9s  %s";

    /** What is inside one end. */
    private static final class End {
        /** The numbers of the messages that it has got and not answered, or in their place their ids. */
        private final Set<String> inside = new HashSet<>();

        /** Those that it has sent and that are not answered. */
        private final Set<String> asked = new HashSet<>();

        private double own;

        boolean works() {
            return !inside.isEmpty() && inside.containsAll(asked) && !asked.containsAll(inside);
        }
    }

    /** A turn that runs, or has ended. */
    private static final class Turn {
        private final double began;
        private final boolean isWanted;
        private final String session;
        private final Map<String, End> ends = new LinkedHashMap<>();
        private double last;
        private double ended = -1;

        Turn(double began, boolean isWanted, String session) {
            this.began = began;
            this.last = began;
            this.isWanted = isWanted;
            this.session = session;
        }

        End end(String name) {
            return ends.computeIfAbsent(name, unused -> new End());
        }

        void passes(double now) {
            ends.values().forEach(end -> end.own += end.works() ? now - last : 0);
            last = now;
        }
    }

    private final Map<String, Turn> running = new HashMap<>();
    private final List<Turn> turns = new ArrayList<>();

    /** The first sender: what it asks begins a turn, and what it gets ends one. */
    private @Nullable String client;

    private boolean isSecond;

    /** Takes the next step. */
    void add(TraceStep step, boolean isWanted) {
        TraceEvent event = step.event();
        if (client == null && event.type() == TraceEvent.Type.REQUEST) {
            client = event.from();
        }
        if (event.type() == TraceEvent.Type.RESULT && step.method().equals("initialize")) {
            isSecond = MessageFacts.of(event.body()).at("protocolVersion").number() >= 2;
        }
        if (step.session().isEmpty()) {
            return;
        }
        boolean begins = event.type() == TraceEvent.Type.REQUEST
                && event.method() != null
                && step.method().equals(PROMPT)
                && event.from().equals(client);
        if (begins && !running.containsKey(step.session())) {
            Turn turn = new Turn(event.seconds(), isWanted, step.session());
            running.put(step.session(), turn);
            turns.add(turn);
        }
        Turn turn = running.get(step.session());
        if (turn != null) {
            add(turn, step);
        }
    }

    private void add(Turn turn, TraceStep step) {
        TraceEvent event = step.event();
        turn.passes(event.seconds());
        String key = event.flow() > 0 ? Long.toString(event.flow()) : step.method();
        switch (event.type()) {
            case REQUEST -> {
                if (!event.from().equals(client) || !step.method().equals(PROMPT)) {
                    turn.end(event.from()).asked.add(key);
                }
                turn.end(event.to()).inside.add(key);
            }
            case RESULT, ERROR -> {
                turn.end(event.to()).asked.remove(key);
                boolean goesOn = isSecond
                        && step.method().equals(PROMPT)
                        && event.from().equals("agent")
                        && event.type() == TraceEvent.Type.RESULT;
                if (!goesOn) {
                    turn.end(event.from()).inside.remove(key);
                }
                if (step.method().equals(PROMPT)
                        && event.to().equals(client)
                        && (!isSecond || event.type() == TraceEvent.Type.ERROR)) {
                    end(turn, event.seconds());
                }
            }
            case NOTIFICATION -> {
                if (isSecond && isIdle(event)) {
                    if (event.from().equals("agent")) {
                        turn.end("agent").inside.clear();
                    }
                    if (event.to().equals(client)) {
                        end(turn, event.seconds());
                    }
                }
            }
            default -> {}
        }
    }

    private static boolean isIdle(TraceEvent event) {
        MessageFacts update = MessageFacts.of(event.body()).at("update");
        return update.text("sessionUpdate").equals("state_update")
                && update.text("state").equals("idle");
    }

    private void end(Turn turn, double seconds) {
        turn.ended = seconds;
        running.remove(turn.session);
    }

    /** Returns the turns that were selected, the slowest first, as lines of a table. */
    List<String> table() {
        List<Turn> wanted = new ArrayList<>(
                turns.stream().filter(turn -> turn.isWanted && turn.ended >= 0).toList());
        wanted.sort(Comparator.comparingDouble((Turn turn) -> turn.began - turn.ended));
        List<String> rows = new ArrayList<>();
        if (wanted.isEmpty()) {
            rows.add("no turn has ended");
            return rows;
        }
        rows.add(ROW.formatted("began", "session", "took", "of that").stripTrailing());
        for (Turn turn : wanted) {
            List<String> parts = new ArrayList<>();
            turn.ends.forEach((name, end) -> {
                if (end.own > 0 || !name.equals(client)) {
                    parts.add(name + " " + TimelineText.duration(end.own));
                }
            });
            rows.add(ROW.formatted(
                    String.format(Locale.ROOT, "%.3f", turn.began),
                    turn.session.length() <= 12 ? turn.session : turn.session.substring(turn.session.length() - 8),
                    TimelineText.duration(turn.ended - turn.began),
                    String.join(", ", parts)));
        }
        return rows;
    }
}
