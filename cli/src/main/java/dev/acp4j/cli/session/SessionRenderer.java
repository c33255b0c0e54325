package dev.acp4j.cli.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.CompactionView;
import dev.acp4j.SessionEvent;
import dev.acp4j.ToolCallView;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.markdown.MarkdownStream;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.schema.CompactionStatus;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.NoticeSeverity;
import dev.acp4j.schema.StopReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.jspecify.annotations.Nullable;

/**
 * Shows what happens in a session as text.
 *
 * <p>The lock guards the screen and what is being written on it. A question to the user holds it until it is answered,
 * so that nothing is written into the question; events wait meanwhile, and so does the agent once enough of them wait.
 */
public final class SessionRenderer {
    private final ReentrantLock lock = new ReentrantLock(true);

    @GuardedBy("lock")
    private final Screen screen;

    @GuardedBy("lock")
    private final ToolCallsText toolCalls;

    @GuardedBy("lock")
    private final PlanText plan = new PlanText();

    @GuardedBy("lock")
    private @Nullable MarkdownStream message;

    @GuardedBy("lock")
    private @Nullable ThoughtStream thought;

    @GuardedBy("lock")
    private boolean inTurn;

    /** Whether something of this turn has been shown, which the next thing is set apart from. */
    @GuardedBy("lock")
    private boolean hasShown;

    /** Whether turns are set apart by blank lines, as between messages of a chat. */
    private final boolean spacious;

    SessionRenderer(Screen screen, ToolCallsText toolCalls, boolean spacious) {
        this.screen = screen;
        this.toolCalls = toolCalls;
        this.spacious = spacious;
    }

    /** Shows an event. */
    public void event(SessionEvent event) {
        lock.lock();
        try {
            show(event);
            if (!inTurn) {
                finishText();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Shows what changes without an event: the output of terminals. Does nothing while the user is asked something. */
    void refresh() {
        if (lock.tryLock()) {
            try {
                toolCalls.refresh(screen);
            } finally {
                lock.unlock();
            }
        }
    }

    /** A prompt has been sent: until the turn ends, lines may be rewritten. */
    public void turnBegins() {
        lock.lock();
        try {
            inTurn = true;
            hasShown = false;
            screen.pin(false);
        } finally {
            lock.unlock();
        }
    }

    /** The turn is over. */
    public void turnEnds() {
        lock.lock();
        try {
            inTurn = false;
            finishText();
            toolCalls.abandon();
            screen.pin(true);
            if (spacious && hasShown) {
                screen.print(AttributedString.EMPTY);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Says why the turn ended, when it is not the usual reason. */
    public void stopped(StopReason reason) {
        switch (reason.value()) {
            case "end_turn" -> {}
            case "cancelled" -> note("Cancelled.", Styles.BUSY);
            case "refusal" ->
                note("The agent refuses to go on. What was said since your last message is forgotten.", Styles.BAD);
            case "max_tokens" -> note("Stopped: the limit of tokens is reached.", Styles.BUSY);
            case "max_turn_requests" ->
                note("Stopped: the limit of model requests in one turn is reached.", Styles.BUSY);
            default -> note("Stopped: " + SafeText.line(reason.value()) + ".", Styles.BUSY);
        }
    }

    /** Says what went wrong, though it goes on. */
    public void failed(Failure failure) {
        note(failure.message(), Styles.BAD, failure.details());
    }

    /** Shows a remark of our own. */
    public void note(String text, AttributedStyle style) {
        note(text, style, List.of());
    }

    private void note(String text, AttributedStyle style, List<String> details) {
        lock.lock();
        try {
            if (inTurn) {
                begin();
            }
            Display display = screen.display();
            AttributedString sign = Styles.of(display.symbols().note() + " ", style);
            AttributedString indent = Styles.plain("  ");
            List<AttributedString> lines =
                    new ArrayList<>(Wrap.lines(Styles.of(text, style), display.widthAfter(0), sign, indent));
            for (String detail : details) {
                lines.addAll(Wrap.lines(Styles.of(detail, Styles.QUIET), display.widthAfter(0), indent, indent));
            }
            screen.print(lines);
        } finally {
            lock.unlock();
        }
    }

    /** What is asked while nothing else is written. */
    public interface Question<T> {
        T ask(Screen screen) throws InterruptedException;
    }

    /** The window has another size. */
    void resized(Display display) {
        lock.lock();
        try {
            screen.display(display);
        } finally {
            lock.unlock();
        }
    }

    /** Shows what is being waited for, until something else is shown; nothing, if the text is empty. */
    public void waiting(String text) {
        lock.lock();
        try {
            screen.pin(false);
            screen.live(text.isEmpty() ? List.of() : List.of(Styles.of(text, Styles.QUIET)));
        } finally {
            lock.unlock();
        }
    }

    /** Shows lines of our own. */
    public void print(List<AttributedString> lines) {
        lock.lock();
        try {
            finishText();
            screen.print(lines);
            screen.pin(!inTurn);
        } finally {
            lock.unlock();
        }
    }

    /** Keeps everything else from the screen while the user is asked something. */
    public <T extends @Nullable Object> T paused(Question<T> question) throws InterruptedException {
        lock.lock();
        try {
            if (Thread.interrupted()) {
                throw new InterruptedException("withdrawn while another question was open");
            }
            makeRoom();
            T answer;
            try {
                answer = question.ask(screen);
            } finally {
                screen.pin(!inTurn);
            }
            return answer;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void makeRoom() {
        finishText();
        // The tool call that is asked about stands there already, and is shown again in the question.
        screen.clear();
        if (!toolCalls.isGroup()) {
            begin();
        }
        toolCalls.interrupted();
        screen.pin(true);
    }

    @GuardedBy("lock")
    private void show(SessionEvent event) {
        switch (event) {
            case SessionEvent.Message chunk -> message(chunk);
            case SessionEvent.Thought chunk -> thought(chunk);
            case SessionEvent.ToolCallChanged changed -> toolCall(changed.call());
            case SessionEvent.PlanChanged changed -> {
                begin();
                screen.print(plan.lines(changed.plan().entries(), screen.display()));
            }
            case SessionEvent.Noticed noticed -> notice(noticed.notice());
            case SessionEvent.CompactionChanged changed -> compaction(changed.compaction(), changed.before());
            case SessionEvent.UserMessage chunk -> {}
            case SessionEvent.CommandsChanged changed -> {}
            case SessionEvent.ConfigChanged changed -> {
                String mode = ConfigOptions.newMode(changed);
                if (mode != null) {
                    note("Mode: " + SafeText.line(mode), Styles.QUIET);
                }
            }
            case SessionEvent.InfoChanged changed -> {}
            case SessionEvent.UsageChanged changed -> {}
            case SessionEvent.MessageChanged changed -> {}
            case SessionEvent.StateChanged changed -> {}
            case SessionEvent.Missed missed -> {}
            case SessionEvent.Other other -> {}
        }
    }

    @GuardedBy("lock")
    private void message(SessionEvent.Message chunk) {
        if (!(chunk.content() instanceof ContentBlock.Text text)) {
            begin();
            screen.print(ContentText.lines(chunk.content(), screen.display()));
            return;
        }
        if (message == null) {
            if (text.text().isBlank()) {
                return;
            }
            begin();
            message = new MarkdownStream(screen);
        }
        message.append(text.text());
    }

    @GuardedBy("lock")
    private void thought(SessionEvent.Thought chunk) {
        if (thought == null) {
            if (chunk.text().isBlank()) {
                return;
            }
            begin();
            thought = new ThoughtStream(screen);
        }
        thought.append(chunk.text());
    }

    @GuardedBy("lock")
    private void toolCall(ToolCallView call) {
        if (!toolCalls.isNews(call)) {
            return;
        }
        if (message != null || thought != null || !toolCalls.isGroup()) {
            begin();
        }
        toolCalls.show(call, screen);
    }

    @GuardedBy("lock")
    private void notice(Notice notice) {
        String description = notice.description();
        String title = SafeText.line(notice.title());
        AttributedStyle style = notice.severity().equals(NoticeSeverity.ERROR)
                ? Styles.BAD
                : notice.severity().equals(NoticeSeverity.WARNING) ? Styles.BUSY : Styles.PLAIN;
        note(description == null ? title : title + ": " + SafeText.text(description), style);
    }

    @GuardedBy("lock")
    private void compaction(CompactionView compaction, @Nullable CompactionView before) {
        if (before != null && before.status().equals(compaction.status())) {
            return;
        }
        if (compaction.status().equals(CompactionStatus.IN_PROGRESS)) {
            note(
                    "The agent shortens the conversation to make room"
                            + screen.display().symbols().more(),
                    Styles.QUIET);
        } else if (compaction.status().equals(CompactionStatus.COMPLETED)) {
            note("The conversation was shortened.", Styles.QUIET);
        } else {
            note("The conversation could not be shortened.", Styles.BUSY);
        }
    }

    /** Ends what was being written and leaves a blank line before what comes. */
    @GuardedBy("lock")
    private void begin() {
        finishText();
        toolCalls.interrupted();
        screen.keep();
        if (hasShown || spacious) {
            screen.print(AttributedString.EMPTY);
        }
        hasShown = true;
    }

    @GuardedBy("lock")
    private void finishText() {
        if (message != null) {
            message.finish();
            message = null;
        }
        if (thought != null) {
            thought.finish();
            thought = null;
        }
    }
}
