package dev.acp4j.mcp;

import dev.acp4j.process.ExitStatus;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Why a server is not connected. The texts contain no values of its environment or headers.
 *
 * @param phase what was being done: {@code start}, {@code initialize}, {@code list tools} or {@code run}
 * @param problem what happened
 * @param exit how its process ended; null when it did not, or there is none
 * @param stderr the last lines of its standard error; may be empty
 * @param nextStep what the user can do
 */
public record ServerFailure(
        String phase, String problem, @Nullable ExitStatus exit, String stderr, String nextStep) {
    public ServerFailure {
        Objects.requireNonNull(phase, "phase is null");
        Objects.requireNonNull(problem, "problem is null");
        Objects.requireNonNull(stderr, "stderr is null");
        Objects.requireNonNull(nextStep, "nextStep is null");
    }

    /** Returns all of it for people. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(phase).append(": ").append(problem);
        if (exit != null && !problem.contains(exit.toString())) {
            text.append(" (").append(exit).append(')');
        }
        if (!stderr.isEmpty()) {
            text.append("\nIts last lines were:\n").append(stderr.indent(2).stripTrailing());
        }
        return text.append('\n').append(nextStep).toString();
    }
}
