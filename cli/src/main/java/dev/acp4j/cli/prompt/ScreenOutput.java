package dev.acp4j.cli.prompt;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.session.SessionRenderer;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.StopReason;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What happens, for a person to read. If standard output goes elsewhere, it gets the answer, and standard error the
 * rest.
 *
 * <p>Answer text is written by the thread that tells events only.
 */
public final class ScreenOutput implements TurnOutput {
    private final SessionRenderer renderer;
    private final Consumer<Failure> tell;
    private final @Nullable AnswerText answer;
    private final boolean quiet;

    /**
     * @param tell says what went wrong
     * @param answer where the answer goes by itself; null if the renderer shows it
     * @param quiet whether to show nothing but the answer
     */
    private ScreenOutput(SessionRenderer renderer, Consumer<Failure> tell, @Nullable AnswerText answer, boolean quiet) {
        this.renderer = renderer;
        this.tell = tell;
        this.answer = answer;
        this.quiet = quiet;
    }

    /** Returns the output for a terminal, or for where standard output goes instead. */
    static ScreenOutput of(Streams streams, SessionRenderer renderer, boolean quiet) {
        AnswerText answer = streams.outDisplay().width() > 0 ? null : new AnswerText(streams.out());
        return new ScreenOutput(renderer, failure -> failure.tell(streams), answer, quiet);
    }

    @Override
    public void begins(ConnectedAgent agent, Session session) {
        renderer.turnBegins();
    }

    @Override
    public void event(Session session, SessionEvent event) {
        boolean isAnswer = event instanceof SessionEvent.Message;
        if (answer == null) {
            if (isAnswer || !quiet) {
                renderer.event(event);
            }
            return;
        }
        if (event instanceof SessionEvent.Message message) {
            answer.add(message);
            return;
        }
        if (endsMessage(event)) {
            answer.interrupted();
        }
        if (!quiet) {
            renderer.event(event);
        }
    }

    /** What comes beside the conversation, such as usage, may come in the middle of a sentence. */
    private static boolean endsMessage(SessionEvent event) {
        return switch (event) {
            case SessionEvent.ToolCallChanged changed -> changed.isNew();
            case SessionEvent.PlanChanged changed -> true;
            case SessionEvent.Thought thought -> true;
            default -> false;
        };
    }

    @Override
    public void permission(PermissionQuestion request, RequestPermissionOutcome outcome) {
        if (quiet) {
            return;
        }
        String decision = "refused";
        if (outcome instanceof RequestPermissionOutcome.Selected selected) {
            for (PermissionOption option : request.options()) {
                if (option.optionId().equals(selected.optionId())) {
                    decision = SafeText.line(option.name());
                }
            }
        }
        renderer.note("Permission asked: " + SafeText.line(request.title()) + ": " + decision, Styles.BUSY);
    }

    @Override
    public void ends(StopReason reason, ExitCode code) {
        renderer.stopped(reason);
        finish();
    }

    @Override
    public void failed(Failure failure) {
        finish();
        tell.accept(failure);
    }

    @Override
    public void log(String line) {
        renderer.note(line, Styles.QUIET);
    }

    private void finish() {
        renderer.turnEnds();
        if (answer != null) {
            answer.finish();
        }
    }
}
