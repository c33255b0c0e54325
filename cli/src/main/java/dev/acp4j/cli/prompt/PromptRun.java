package dev.acp4j.cli.prompt;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.cli.command.Deadline;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.session.Interruption;
import dev.acp4j.cli.session.SessionOpener;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.process.FailureReport;
import dev.acp4j.process.ProcessFailedException;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.StopReason;
import dev.acp4j.workspace.PermissionPrompt;
import dev.acp4j.workspace.Permissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One turn with an agent, from its start to the exit code. */
final class PromptRun {
    private final SessionOpener opener;
    private final TurnOutput output;
    private final Interruption interruption;

    /** What has not been done so far, when the time is over; null while the agent starts. */
    private volatile @Nullable String phase;

    /** The agent, once it has started. */
    private volatile @Nullable ConnectedAgent connected;

    /** The title of what was asked for when nobody was there; null as long as nothing was. */
    private final AtomicReference<@Nullable String> refused = new AtomicReference<>();

    PromptRun(SessionOpener opener, TurnOutput output, Interruption interruption) {
        this.opener = opener;
        this.output = output;
        this.interruption = interruption;
    }

    /**
     * Runs the turn.
     *
     * @param dialog who asks the user; null if nobody can
     */
    ExitCode run(PromptInput input, PermissionRule how, @Nullable PermissionPrompt dialog, Deadline deadline) {
        deadline.watch(this::askToEnd);
        try (deadline;
                ConnectedAgent agent =
                        opener.connect(request -> decide(request, how, dialog), output::event, output::log, deadline)) {
            connected = agent;
            phase = "the agent did not open a session";
            // The end is told before the agent is shut down, which may take seconds.
            try {
                return ended(turn(agent, input), deadline);
            } catch (InterruptedException | RuntimeException e) {
                return failed(e, deadline);
            }
        } catch (InterruptedException | RuntimeException e) {
            return failed(e, deadline);
        }
    }

    private void askToEnd() {
        // While the agent starts, the time that it has for that is over too, and its failure tells more.
        if (phase != null && !interruption.cancel()) {
            interruption.press();
        }
    }

    private StopReason turn(ConnectedAgent agent, PromptInput input) throws InterruptedException {
        Session session = opener.open(agent, methods -> null);
        output.begins(agent, session);
        phase = "the turn was cancelled: it did not end";
        try (Turn turn = session.prompt(input.content(agent::supports))) {
            interruption.turn(turn);
            return turn.result().stopReason();
        } finally {
            interruption.turn(null);
        }
    }

    private ExitCode failed(Exception e, Deadline deadline) {
        if (interruption.hasLeft()) {
            return ExitCode.OUTPUT_LOST; // what was lost, and why, is said at the very end
        }
        Failure failure = failure(e, deadline);
        output.failed(failure);
        return failure.code();
    }

    private ExitCode ended(StopReason reason, Deadline deadline) {
        ExitCode code = code(reason, deadline);
        Failure failure = failure(code, reason, deadline);
        if (failure == null) {
            output.ends(reason, code);
        } else {
            output.failed(failure);
        }
        return code;
    }

    private RequestPermissionOutcome decide(
            PermissionQuestion request, PermissionRule how, @Nullable PermissionPrompt dialog) throws Exception {
        if (how == PermissionRule.ASK && dialog != null) {
            return Permissions.ask(dialog).decide(request);
        }
        RequestPermissionOutcome outcome = switch (how) {
            case ALLOW -> Permissions.allow().decide(request);
            case DENY -> Permissions.deny().decide(request);
            case ASK, FAIL -> request.cancelled();
        };
        output.permission(request, outcome);
        if (how == PermissionRule.FAIL || how == PermissionRule.ASK) {
            refused.compareAndSet(null, SafeText.line(request.title()));
            interruption.cancel();
        }
        return outcome;
    }

    private ExitCode code(StopReason reason, Deadline deadline) {
        if (refused.get() != null) {
            return ExitCode.PERMISSION_REFUSED;
        }
        if (deadline.isExpired() && reason.equals(StopReason.CANCELLED)) {
            return ExitCode.TIMED_OUT;
        }
        return switch (reason.value()) {
            case "end_turn" -> ExitCode.END_OF_TURN;
            case "refusal" -> ExitCode.REFUSED;
            case "max_tokens", "max_turn_requests" -> ExitCode.LIMIT_REACHED;
            case "cancelled" -> ExitCode.CANCELLED;
            default -> ExitCode.AGENT_FAILED;
        };
    }

    /** What is to be said about the end of the turn besides its stop reason. */
    private @Nullable Failure failure(ExitCode code, StopReason reason, Deadline deadline) {
        return switch (code) {
            case PERMISSION_REFUSED -> unattended();
            case TIMED_OUT -> late(deadline);
            case AGENT_FAILED ->
                Failure.agent("the agent ended its turn for a reason that acp does not know: "
                        + SafeText.line(reason.value()));
            default -> null;
        };
    }

    /** Once we have asked for the end, how the agent takes it is not its failure. */
    private Failure failure(Exception e, Deadline deadline) {
        if (e instanceof UsageException) {
            return Failure.of(e);
        }
        if (refused.get() != null) {
            return unattended();
        }
        if (deadline.isExpired()) {
            return late(e, deadline);
        }
        return interruption.wasPressed() ? Failure.cancelled() : Failure.of(e);
    }

    private Failure unattended() {
        return new Failure(
                "the agent asked for a permission, and nobody is here to give it: " + refused.get(),
                List.of("--permissions allow lets it do what it asks, --permissions deny lets it go on without."),
                ExitCode.PERMISSION_REFUSED);
    }

    private Failure late(Exception e, Deadline deadline) {
        if (phase == null && e instanceof ProcessFailedException failed) {
            FailureReport report = failed.report();
            String problem = failed.getCause() instanceof RequestTimeoutException
                    ? "no answer within " + deadline.text()
                    : report.problem();
            return Failure.of(new ProcessFailedException(report.withProblem(problem), null, failed))
                    .ending(ExitCode.TIMED_OUT);
        }
        return late(deadline);
    }

    private Failure late(Deadline deadline) {
        String what = phase;
        ConnectedAgent agent = connected;
        List<String> details = new ArrayList<>();
        details.add("--timeout gives more time, -v shows what the agent writes to standard error.");
        if (agent != null) {
            details.addAll(Failure.lastWords(agent.report("")));
        }
        return Failure.late(what == null ? "the agent did not start" : what, deadline, details);
    }
}
