package dev.acp4j.agent;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A pattern for names with {@code /} between folders: {@code *} and {@code ?} stay in one folder, {@code **} does not,
 * {@code [a-z]} and {@code [!a-z]} are one character, <code>{a,b}</code> is one of several patterns, and a backslash
 * escapes the next character.
 *
 * <p>The JDK turns such a pattern into a regular expression with backtracking, which takes exponential time for many
 * stars. This is an automaton that follows all alternatives at once, so a name of n characters takes at most n times
 * the length of the pattern.
 */
final class Glob {
    private static final int LONGEST = 8 << 10;

    /**
     * A state of the automaton. With a test, a character that passes it leads to the next state; without one, the next
     * state and the other one are reached at once.
     */
    private static final class State {
        private final @Nullable IntPredicate test;
        private int next;
        private int other;

        State(@Nullable IntPredicate test, int next, int other) {
            this.test = test;
            this.next = next;
            this.other = other;
        }
    }

    // The last one has no successor: it is reached where the pattern ends.
    private final List<State> states;

    private Glob(List<State> states) {
        this.states = states;
    }

    /**
     * Returns the pattern that consists of these, one after the other.
     *
     * @throws IllegalArgumentException when one of them is not a glob
     */
    static Glob of(String... parts) {
        Parser parser = new Parser();
        for (String part : parts) {
            parser.add(part);
        }
        parser.state(null);
        return new Glob(parser.states);
    }

    boolean matches(String name) {
        int[] waiting = new int[states.size()];
        BitSet here = new BitSet(states.size());
        reach(0, here, waiting);
        int i = 0;
        while (i < name.length() && !here.isEmpty()) {
            int c = name.codePointAt(i);
            i += Character.charCount(c);
            BitSet next = new BitSet(states.size());
            for (int number = here.nextSetBit(0); number >= 0; number = here.nextSetBit(number + 1)) {
                State state = states.get(number);
                if (state.test != null && state.test.test(c)) {
                    reach(state.next, next, waiting);
                }
            }
            here = next;
        }
        return here.get(states.size() - 1);
    }

    /** Adds a state and those that are reached from it without a character; each waits once at most. */
    private void reach(int first, BitSet reached, int[] waiting) {
        int count = 0;
        int number = first;
        while (true) {
            if (number < states.size() && !reached.get(number)) {
                reached.set(number);
                State state = states.get(number);
                if (state.test == null) {
                    waiting[count++] = state.other;
                    number = state.next;
                    continue;
                }
            }
            if (count == 0) {
                return;
            }
            number = waiting[--count];
        }
    }

    private static final class Parser {
        private final List<State> states = new ArrayList<>();
        private final Deque<Group> groups = new ArrayDeque<>();
        private String text = "";
        private int at;

        /** What is between braces and not closed yet. */
        private static final class Group {
            private final List<State> ends = new ArrayList<>();
            private State choice;

            Group(State choice) {
                this.choice = choice;
            }
        }

        void add(String part) {
            if (part.length() > LONGEST) {
                throw new IllegalArgumentException("longer than " + LONGEST + " characters");
            }
            text = part;
            at = 0;
            while (at < text.length()) {
                int sign = take();
                switch (sign) {
                    case '*' -> star();
                    case '?' -> state(c -> c != '/');
                    case '[' -> state(oneOf());
                    case '{' -> groups.push(new Group(state(null)));
                    case '\\' -> literal(take());
                    default -> inGroup(sign);
                }
            }
            if (!groups.isEmpty()) {
                throw new IllegalArgumentException("a { is not closed");
            }
        }

        private void inGroup(int c) {
            Group group = groups.peek();
            if (group == null || (c != ',' && c != '}')) {
                literal(c);
            } else if (c == ',') {
                group.ends.add(state(null));
                group.choice.other = states.size();
                group.choice = state(null);
            } else {
                group.ends.forEach(end -> end.next = end.other = states.size());
                groups.pop();
            }
        }

        private void star() {
            boolean crosses = at < text.length() && text.charAt(at) == '*';
            while (at < text.length() && text.charAt(at) == '*') {
                at++;
            }
            State repeat = state(null);
            int number = states.size() - 1;
            state(c -> crosses || c != '/').next = number;
            repeat.other = states.size();
        }

        private void literal(int wanted) {
            state(c -> c == wanted);
        }

        private IntPredicate oneOf() {
            boolean negated = at < text.length() && text.charAt(at) == '!';
            at += negated ? 1 : 0;
            List<int[]> ranges = new ArrayList<>();
            for (int c = take(); c != ']'; c = take()) {
                boolean range = at + 1 < text.length() && text.charAt(at) == '-' && text.charAt(at + 1) != ']';
                at += range ? 1 : 0;
                int last = range ? take() : c;
                if (c == '/' || last < c) {
                    throw new IllegalArgumentException("not a range of characters");
                }
                ranges.add(new int[] {c, last});
            }
            if (ranges.isEmpty()) {
                throw new IllegalArgumentException("no character between [ and ]");
            }
            return c -> c != '/' && negated != ranges.stream().anyMatch(range -> range[0] <= c && c <= range[1]);
        }

        private int take() {
            if (at == text.length()) {
                throw new IllegalArgumentException("it ends too early");
            }
            int c = text.codePointAt(at);
            at += Character.charCount(c);
            return c;
        }

        /** Adds a state, which leads to the one after it until something else is said. */
        private State state(@Nullable IntPredicate test) {
            State state = new State(test, states.size() + 1, states.size() + 1);
            states.add(state);
            return state;
        }
    }
}
