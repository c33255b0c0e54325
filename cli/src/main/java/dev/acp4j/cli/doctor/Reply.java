package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.LikelyCause;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.FailureReport;
import dev.acp4j.rpc.PeerErrorException;
import java.time.Duration;

/** What came of a request to an agent that may be ill. */
sealed interface Reply {
    /**
     * A result.
     *
     * @param value as it came
     * @param took how long it took
     */
    record Result(RawJson value, Duration took) implements Reply {}

    /** An error. */
    record Refused(PeerErrorException error) implements Reply {}

    /**
     * Something that is no answer.
     *
     * @param why what is wrong with it
     */
    record Broken(String why) implements Reply {}

    /** Nothing, although the agent is there. */
    record Silence(FailureReport report) implements Reply {}

    /** Nothing, because the agent has gone. */
    record Gone(FailureReport report) implements Reply {}

    /** Returns what to say about a request that has got no result. */
    default Finding finding(String method) {
        return switch (this) {
            case Result result ->
                Finding.ok(method + " was answered after " + result.took().toMillis() + " ms");
            case Refused refused ->
                Finding.problem(method + " was answered with an error: " + Failure.errorText(refused.error()))
                        .next(Failure.nextStep(refused.error()));
            case Broken broken ->
                Finding.problem("the answer to " + method + " is broken: " + broken.why())
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
