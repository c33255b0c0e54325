package dev.acp4j.cli.prompt;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Turn;
import dev.acp4j.TurnResult;
import dev.acp4j.cli.command.Deadline;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.elicitation.ElicitationDialog;
import dev.acp4j.cli.session.Interruption;
import dev.acp4j.cli.session.OpenedSession;
import dev.acp4j.cli.session.SessionOpener;
import dev.acp4j.cli.session.UserInterface;
import dev.acp4j.cli.terminal.Console;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.process.FailureReport;
import dev.acp4j.process.ProcessFailedException;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.StopReason;
import dev.acp4j.workspace.PermissionPrompt;
import dev.acp4j.workspace.Permissions;
import dev.acp4j.workspace.RememberedPermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One turn with an agent, from its start to the exit code. */
final class PromptRun {
    private final SessionOpener opener;
    private final TurnOutput output;
    private final Interruption interruption;

    /** The missing result to report on timeout; null while the agent starts. */
    private volatile @Nullable String phase;

    /** Whether the turn has begun. The failure of a start tells of itself what could not be read. */
    private boolean hasBegun;

    /** The title of the unattended permission request; null if there was none. */
    private final AtomicReference<@Nullable String> refused = new AtomicReference<>();

    PromptRun(SessionOpener opener, TurnOutput output, Interruption interruption) {
        this.opener = opener;
        this.output = output;
        this.interruption = interruption;
    }

    /**
     * Runs the turn.
     *
     * @param how how permission requests are answered; the user is asked for input only if for permissions, too
     * @param ui asks the user; it has no console in an unattended run
     */
    ExitCode run(PromptInput input, PermissionRule how, UserInterface ui, Deadline deadline) {
        deadline.watch(this::askToEnd);
        PermissionPrompt dialog = ui.dialog();
        Console console = ui.console();
        Client.PermissionHandler asked = dialog == null ? null : RememberedPermissions.of(Permissions.ask(dialog));
        try (deadline) {
            Consumer<Client.Builder> handlers = client -> {
                client.onPermission(request -> decide(request, how, asked)).onEvent(output::event);
                if (how == PermissionRule.ASK && console != null) {
                    client.onElicitation(new ElicitationDialog(console, ui.renderer()));
                }
            };
            ConnectedAgent agent = opener.connect(handlers, output::log, deadline);
            phase = "the agent did not open a session";
            return ended(turn(agent, input), deadline);
        } catch (InterruptedException | RuntimeException e) {
            return failed(e, deadline);
        } finally {
            opener.leave();
        }
    }

    private void askToEnd() {
        // While the agent starts, its startup timeout has passed, too, and its failure has more details.
        if (phase != null && !interruption.cancel()) {
            interruption.press();
        }
    }

    private TurnResult turn(ConnectedAgent agent, PromptInput input) throws InterruptedException {
        OpenedSession session = opener.open(agent, SessionOpener.UNATTENDED);
        output.begins(session.session().agent(), session.session(), session.how() == OpenedSession.How.LOADED);
        session.takeNotes().forEach(output::log);
        phase = "the turn was cancelled: it did not end";
        hasBegun = true;
        try (Turn turn = session.prompt(input.content(session.session().agent()::supports))) {
            interruption.turn(turn);
            return turn.result();
        } finally {
            interruption.turn(null);
            session.takeNotes().forEach(output::log);
        }
    }

    private ExitCode failed(Exception e, Deadline deadline) {
        if (interruption.hasLeft()) {
            return ExitCode.OUTPUT_LOST; // lost output, and the reason, is reported at the very end
        }
        Failure failure = failure(e, deadline);
        if (hasBegun) {
            reportDropped();
        }
        output.failed(opener.explained(failure));
        return failure.code();
    }

    private ExitCode ended(TurnResult result, Deadline deadline) {
        StopReason reason = result.stopReason();
        boolean isWhole = !reportDropped();
        ExitCode reached = code(reason, deadline);
        ExitCode code = reached == ExitCode.END_OF_TURN && !isWhole ? ExitCode.PROBLEMS_FOUND : reached;
        Failure failure = failure(code, reason, deadline);
        if (failure == null) {
            output.ends(result, code);
        } else {
            output.failed(failure);
        }
        return code;
    }

    /** Reports messages of the agent that could not be read; returns whether there were any. */
    private boolean reportDropped() {
        int count = opener.takeDropped();
        if (count > 0) {
            output.dropped(count);
        }
        return count > 0;
    }

    private RequestPermissionOutcome decide(
            PermissionQuestion request, PermissionRule how, Client.@Nullable PermissionHandler asked) throws Exception {
        if (how == PermissionRule.ASK && asked != null) {
            return asked.decide(request);
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

    /** Returns remarks on the end of the turn in addition to its stop reason. */
    private @Nullable Failure failure(ExitCode code, StopReason reason, Deadline deadline) {
        return switch (code) {
            case PERMISSION_REFUSED -> unattended();
            case TIMED_OUT -> late(deadline);
            case AGENT_FAILED ->
                Failure.agent("the agent ended its turn with an unknown stop reason: " + SafeText.line(reason.value()));
            default -> null;
        };
    }

    /** After a cancellation by this program, errors of the agent are not reported as failures. */
    private Failure failure(Exception e, Deadline deadline) {
        if (e instanceof UsageException) {
            return Failure.of(e);
        }
        Failure signalled = interruption.signalled();
        if (signalled != null) {
            return signalled;
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
                "the agent asked for a permission, but the run is unattended: " + refused.get(),
                List.of("--permissions allow grants all requests, --permissions deny continues without them."),
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
        ConnectedAgent agent = opener.agent();
        List<String> details = new ArrayList<>();
        details.add("--timeout sets a longer timeout, -v shows the agent's standard error.");
        if (agent != null) {
            details.addAll(Failure.lastWords(agent.report("")));
        }
        return Failure.late(what == null ? "the agent did not start" : what, deadline, details);
    }
}
