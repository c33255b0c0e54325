package dev.acp4j.cli.prompt;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Timeline;
import dev.acp4j.TurnResult;
import dev.acp4j.cli.command.DroppedMessages;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.session.BinaryContent;
import dev.acp4j.cli.session.SessionRenderer;
import dev.acp4j.cli.session.UserInterface;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.schema.RequestPermissionOutcome;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The events for people. If standard output is not a terminal, it gets the answer, and standard error the rest. */
public final class ScreenOutput implements TurnOutput {
    private final SessionRenderer renderer;
    private final Consumer<Failure> tell;
    private final @Nullable AnswerText answer;
    private final BinaryContent binaries;
    private final boolean quiet;

    /**
     * @param tell reports a failure
     * @param answer the separate destination of the answer; null if the renderer shows it
     * @param quiet whether to show only the answer
     */
    private ScreenOutput(
            SessionRenderer renderer,
            Consumer<Failure> tell,
            @Nullable AnswerText answer,
            BinaryContent binaries,
            boolean quiet) {
        this.renderer = renderer;
        this.binaries = binaries;
        this.tell = tell;
        this.answer = answer;
        this.quiet = quiet;
    }

    /** Returns the output for a terminal, or for another standard output. */
    static ScreenOutput of(Streams streams, UserInterface ui, boolean quiet) {
        AnswerText answer = streams.outDisplay().width() > 0 ? null : new AnswerText(streams.out(), ui.binaries());
        return new ScreenOutput(ui.renderer(), failure -> failure.tell(streams), answer, ui.binaries(), quiet);
    }

    @Override
    public void begins(ConnectedAgent agent, Session session, boolean isReplayed) {
        if (isReplayed) {
            renderer.followFromNow(session, this::isDrawn);
        } else {
            renderer.follow(session, this::isDrawn);
        }
        renderer.turnBegins();
    }

    @Override
    public void event(Session session, SessionEvent event) {
        if (quiet) {
            renderer.look();
        } else {
            renderer.event(event);
        }
    }

    /** Returns whether the renderer shows a change. The answer is not rendered if it has a separate destination. */
    private boolean isDrawn(Timeline.Change change) {
        Entry.Message said = answer(change);
        if (said == null) {
            if (entry(change) instanceof Entry.ToolCall call) {
                binaries.take(call);
            }
            return !quiet || isEnd(change) || change instanceof Timeline.Dropped;
        }
        if (answer == null) {
            return true;
        }
        switch (change) {
            case Timeline.Added added -> answer.add(said, said.content());
            case Timeline.Appended appended -> answer.add(said, appended.content());
            case Timeline.Changed changed -> answer.replace(said);
            case Timeline.Removed removed -> {}
            case Timeline.Dropped dropped -> {}
        }
        return false;
    }

    /** Returns the message that changes, if it is one of the agent to the user. */
    private static Entry.@Nullable Message answer(Timeline.Change change) {
        return entry(change) instanceof Entry.Message message && message.author() == Entry.Message.Author.AGENT
                ? message
                : null;
    }

    private static boolean isEnd(Timeline.Change change) {
        return entry(change) instanceof Entry.TurnEnd;
    }

    private static @Nullable Entry entry(Timeline.Change change) {
        return switch (change) {
            case Timeline.Added added -> added.entry();
            case Timeline.Changed changed -> changed.entry();
            case Timeline.Appended appended -> appended.entry();
            case Timeline.Removed removed -> null;
            case Timeline.Dropped dropped -> null;
        };
    }

    /** The timeline has it. */
    @Override
    public void permission(PermissionQuestion request, RequestPermissionOutcome outcome) {}

    @Override
    public void dropped(int count) {
        renderer.failed(DroppedMessages.failure(count));
    }

    @Override
    public void ends(TurnResult result, ExitCode code) {
        renderer.turnEnds();
        finishAnswer();
    }

    @Override
    public void failed(Failure failure) {
        renderer.turnFails();
        finishAnswer();
        tell.accept(failure);
    }

    @Override
    public void log(String line) {
        renderer.log(line);
    }

    private void finishAnswer() {
        if (answer != null) {
            answer.finish();
        }
    }
}
