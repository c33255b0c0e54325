package dev.acp4j.testkit;

import dev.acp4j.AgentTurn;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.StopReason;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Commands that end the turn or the agent in various ways, or prevent its end. */
final class EndCommands {
    static final List<TestCommand> ALL = List.of(
            new TestCommand(
                    "stop refusal",
                    "stop REASON",
                    "sets the stop reason: end_turn, max_tokens, max_turn_requests, refusal, or any other",
                    (turn, rest) -> turn.stop(StopReason.of(rest))),
            new TestCommand(
                    "wait", "wait", "waits until the turn is cancelled", (turn, rest) -> new CountDownLatch(1).await()),
            new TestCommand(
                    "stubborn 1000",
                    "stubborn MILLISECONDS",
                    "waits that long, even if the turn is cancelled",
                    (turn, rest) -> stubborn(turn, Long.parseLong(rest))),
            new TestCommand(
                    "fail -32603 oops", "fail CODE MESSAGE", "answers with an error", (turn, rest) -> fail(rest)),
            new TestCommand("crash", "crash", "fails with an exception", (turn, rest) -> {
                throw new IllegalStateException("crash");
            }),
            new TestCommand(
                    "stderr oops",
                    "stderr TEXT",
                    "writes a line to standard error",
                    (turn, rest) -> System.err.println(rest)),
            new TestCommand("stdout oops", "stdout TEXT", "prints a line", (turn, rest) -> System.out.println(rest)),
            new TestCommand(
                    "exit 3",
                    "exit CODE",
                    "ends the process",
                    (turn, rest) -> Runtime.getRuntime().halt(Integer.parseInt(rest))));

    private EndCommands() {}

    private static void stubborn(AgentTurn turn, long milliseconds) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
        boolean interrupted = false;
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            try {
                new CountDownLatch(1).await(left, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        turn.checkCancelled();
    }

    private static void fail(String rest) {
        throw new RpcError(Integer.parseInt(TestCommand.firstWord(rest)), TestCommand.rest(rest));
    }
}
