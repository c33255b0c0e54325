package dev.acp4j.cli.command;

import dev.acp4j.rpc.Problem;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts messages of an agent that could not be read, so that nobody has seen what they say. Thread-safe. */
public final class DroppedMessages {
    private final AtomicInteger count = new AtomicInteger();

    /** Returns whether a message was lost with this problem. Log lines and unknown notifications are no loss. */
    public static boolean isLoss(Problem problem) {
        return switch (problem.kind()) {
            case NOTIFICATION_FAILED, TOO_LARGE -> true;
            // A message that was written in part, or behind other text.
            case NOISE -> problem.detail().contains("{\"jsonrpc\"");
            default -> false;
        };
    }

    /** Counts a problem if a message was lost with it. */
    public void add(Problem problem) {
        if (isLoss(problem)) {
            count.incrementAndGet();
        }
    }

    /** Returns the number of messages dropped since the last call; of a flood, at least a hundred. */
    public int take() {
        return count.getAndSet(0);
    }

    /** Returns the failure that reports dropped messages. */
    public static Failure failure(int count) {
        return new Failure(
                count + (count == 1 ? " message" : " messages") + " of the agent could not be read and "
                        + (count == 1 ? "was" : "were") + " dropped",
                List.of("-v shows each; acp doctor tests the agent."),
                ExitCode.PROBLEMS_FOUND);
    }
}
