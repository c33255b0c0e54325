package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.LikelyCause;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.FailureReport;
import dev.acp4j.rpc.RpcError;
import java.time.Duration;
import java.util.List;

/** The outcome of a request to an agent that may be faulty. */
sealed interface Reply {
    /**
     * A result.
     *
     * @param value the unchanged result
     * @param took the time it took
     */
    record Result(RawJson value, Duration took) implements Reply {}

    /**
     * An error.
     *
     * @param withheld the variables that it mentions and the agent did not get
     */
    record Refused(RpcError error, List<String> withheld) implements Reply {}

    /**
     * An invalid response.
     *
     * @param why the problem
     */
    record Broken(String why) implements Reply {}

    /** No response, although the agent is running. */
    record Silence(FailureReport report) implements Reply {}

    /** No response, because the agent has ended. */
    record Gone(FailureReport report) implements Reply {}

    /** Returns the finding for a request without result. */
    default Finding finding(String method) {
        return switch (this) {
            case Result result ->
                Finding.ok(method + " was answered after " + result.took().toMillis() + " ms");
            case Refused refused ->
                Finding.problem(method + " was answered with an error: " + Failure.errorText(refused.error()))
                        .next(
                                refused.withheld().isEmpty()
                                        ? Failure.nextStep(refused.error())
                                        : Failure.withheldHint(refused.withheld()));
            case Broken broken ->
                Finding.problem("the response to " + method + " is invalid: " + broken.why())
                        .next("Report it to the agent's authors.");
            case Silence silence -> failure(silence.report(), method + " was not answered");
            case Gone gone -> failure(gone.report(), "the agent ended");
        };
    }

    private static Finding failure(FailureReport report, String what) {
        StringBuilder text = new StringBuilder(what);
        if (report.problem() != null) {
            text.append(": ").append(report.problem());
        }
        if (report.exit() != null) {
            text.append(report.problem() == null ? " with " : ", ").append(report.exit());
        }
        LikelyCause likely = LikelyCause.of(report);
        return Finding.problem(text.toString())
                .because(likely.cause())
                .next(likely.nextStep())
                .shown("last lines of standard error:", report.stderr().lines().toList(), Failure.STDERR_LINES)
                .shown("standard output that is not the protocol:", report.noise(), Failure.NOISE_LINES);
    }
}
