package dev.acp4j.cli.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Entry;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Timeline;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.markdown.MarkdownStream;
import dev.acp4j.cli.terminal.Console;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.TextStream;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.CompactionStatus;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.NoticeSeverity;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCallId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.jspecify.annotations.Nullable;

/**
 * Draws a session as text from its timeline: after each event, the changes since the last time. Permanently printed
 * entries are removed here and from the timeline.
 *
 * <p>The lock guards the screen and the output in progress. A question to the user holds it until it is answered, so
 * that no output interferes with the question; listeners block meanwhile, which eventually applies back-pressure to the
 * agent.
 */
public final class SessionRenderer {
    /** More of the end of an agent's terminal is not looked at: it is drawn anew with each piece of output. */
    private static final int MOST_OUTPUT = 64 << 10;

    private final ReentrantLock lock = new ReentrantLock(true);

    @GuardedBy("lock")
    private final Screen screen;

    @GuardedBy("lock")
    private final ToolCallsText toolCalls;

    /** Keyed by the numbers of their entries. */
    @GuardedBy("lock")
    private final Map<Long, PlanText> plans = new HashMap<>();

    /** The last shown status of compactions, by the numbers of their entries. */
    @GuardedBy("lock")
    private final Map<Long, CompactionStatus> compactions = new HashMap<>();

    /** Unanswered questions, by the numbers of their entries. */
    @GuardedBy("lock")
    private final Map<Long, Entry.Question> open = new LinkedHashMap<>();

    /** The numbers of the questions that the user was asked. */
    @GuardedBy("lock")
    private final Set<Long> asked = new HashSet<>();

    /** The drawn session and its timeline; null before there is one. */
    private volatile @Nullable Session session;

    @GuardedBy("lock")
    private @Nullable Timeline timeline;

    /** Selects the changes that are drawn. */
    @GuardedBy("lock")
    private Predicate<Timeline.Change> drawn = change -> true;

    @GuardedBy("lock")
    private long revision;

    /** The number of the newest entry that was drawn. */
    @GuardedBy("lock")
    private long drawnTo;

    /** Whether the user knows that some were never drawn. */
    @GuardedBy("lock")
    private boolean hasToldLoss;

    /** The stream of the message in progress. */
    @GuardedBy("lock")
    private @Nullable TextStream stream;

    /** The number of that message. */
    @GuardedBy("lock")
    private long writing;

    /** The number of the last message of which a part was not shown, because it is for the agent only. */
    @GuardedBy("lock")
    private long hiding;

    /** Remarks that wait for the end of the message in progress. */
    @GuardedBy("lock")
    private final List<AttributedString> remarks = new ArrayList<>();

    @GuardedBy("lock")
    private boolean inTurn;

    /** The number of the running turn's prompt, which the user has typed; 0 before it is in the timeline. */
    @GuardedBy("lock")
    private long prompt;

    /** How the running turn ended. */
    @GuardedBy("lock")
    private Entry.@Nullable TurnEnd end;

    /** Shows that something is in progress: the start of the agent, or a turn. */
    @GuardedBy("lock")
    private @Nullable SignOfLife sign;

    /** Whether the agent has said something in this turn. */
    @GuardedBy("lock")
    private boolean hasSpoken;

    /** Whether the last output was a line of the log. */
    @GuardedBy("lock")
    private boolean isLog;

    /** Whether part of this turn has been shown, so that a separator is needed. */
    @GuardedBy("lock")
    private boolean hasShown;

    private final BinaryContent binaries;
    private final @Nullable Console console;

    /** Whether turns are separated by blank lines, as in a chat. */
    private final boolean spacious;

    SessionRenderer(Screen screen, ToolCallsText toolCalls, boolean spacious) {
        this(screen, toolCalls, BinaryContent.described(), spacious, null);
    }

    /**
     * @param binaries describes images and other binary content
     * @param console where the user types; null if there is no user to ask
     */
    SessionRenderer(
            Screen screen,
            ToolCallsText toolCalls,
            BinaryContent binaries,
            boolean spacious,
            @Nullable Console console) {
        this.binaries = binaries;
        this.console = console;
        this.screen = screen;
        this.toolCalls = toolCalls;
        this.spacious = spacious;
    }

    /**
     * Starts drawing a session: its whole timeline, then its changes.
     *
     * @param which selects the changes that are drawn; it gets all of them, in order
     */
    public void follow(Session session, Predicate<Timeline.Change> which) {
        follow(session, which, 0);
    }

    /** Starts drawing the changes of a session from now on; see {@link #follow}. */
    public void followFromNow(Session session, Predicate<Timeline.Change> which) {
        follow(session, which, session.view().timeline().revision());
    }

    /** Returns what a terminal of the agent shows so far; null for an unknown one. */
    @Nullable
    String agentTerminal(TerminalId terminal) {
        Session drawnSession = session;
        return drawnSession == null
                ? null
                : drawnSession
                        .view()
                        .terminal(terminal)
                        .map(known -> known.output(MOST_OUTPUT))
                        .orElse(null);
    }

    private void follow(Session session, Predicate<Timeline.Change> which, long since) {
        lock.lock();
        try {
            this.session = session;
            timeline = session.view().timeline();
            drawn = which;
            revision = since;
            drawnTo = 0;
            hasToldLoss = false;
            plans.clear();
            compactions.clear();
            open.clear();
            asked.clear();
            toolCalls.forget();
            screen.pin(false);
            draw();
            toolCalls.abandon();
            screen.pin(true);
            if (spacious) {
                screen.print(AttributedString.EMPTY);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Draws the changes after an event of the session. */
    public void look() {
        lock.lock();
        try {
            draw();
        } finally {
            lock.unlock();
        }
    }

    /** Draws a change. */
    void draws(Timeline.Change change) {
        lock.lock();
        try {
            draw(change);
        } finally {
            lock.unlock();
        }
    }

    /** Draws the changes, and a new mode, which is not an entry of the timeline. */
    public void event(SessionEvent event) {
        look();
        String mode = event instanceof SessionEvent.ConfigChanged changed ? ConfigOptions.newModeName(changed) : null;
        if (mode != null) {
            note("Mode: " + mode, Styles.QUIET);
        }
    }

    /**
     * Shows changes without events: the output of terminals, and that the agent works. Does nothing while a question is
     * open.
     *
     * @param typed the lines that the user has typed during the turn, the last of which is incomplete
     */
    void refresh(List<String> typed) {
        if (lock.tryLock()) {
            try {
                toolCalls.refresh(screen);
                if (sign != null) {
                    screen.footer(sign.lines(typed, screen.display()));
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Prepares for the turn of a prompt typed by the user: until the turn ends, lines may be rewritten. */
    public void turnBegins() {
        lock.lock();
        try {
            draw();
            inTurn = true;
            prompt = 0;
            end = null;
            hasShown = false;
            hasSpoken = false;
            sign = SignOfLife.ofTurn(
                    spacious && session != null && session.agent().supports(Feature.STEERING));
            screen.pin(false);
        } finally {
            lock.unlock();
        }
    }

    /** Draws the rest of an ended turn, and the reason for its end. */
    public void turnEnds() {
        turnEnds(true);
    }

    /** Draws the rest of an ended turn whose reason is reported elsewhere. */
    public void turnFails() {
        turnEnds(false);
    }

    private void turnEnds(boolean saysWhy) {
        lock.lock();
        try {
            draw();
            finishText();
            if (saysWhy && end != null) {
                ended(end);
            }
            inTurn = false;
            sign = null;
            finishText();
            toolCalls.abandon();
            screen.footer(List.of());
            screen.pin(true);
            if (spacious && hasShown) {
                screen.print(AttributedString.EMPTY);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Reports an unusual end of a turn. The end of the connection is reported by the caller. */
    @GuardedBy("lock")
    private void ended(Entry.TurnEnd how) {
        if (how.failure() instanceof RpcError refused) {
            Failure failure = Failure.of(refused);
            failure = session == null ? failure : failure.about(session.agent());
            add(failure.message(), Styles.BAD, failure.details());
        }
        StopReason reason = how.stopReason();
        switch (reason == null ? "" : reason.value()) {
            case "" -> {}
            case "end_turn" -> {
                if (!hasSpoken) {
                    add("The agent ended its turn without a word.", Styles.QUIET);
                }
            }
            case "cancelled" -> add("Cancelled.", Styles.BUSY);
            case "refusal" ->
                add(
                        "The agent refused. It has forgotten your message and what followed it: they are no part of the"
                                + " conversation any more.",
                        Styles.BAD);
            case "max_tokens" -> add("Stopped: the limit of tokens is reached.", Styles.BUSY);
            case "max_turn_requests" ->
                add("Stopped: the limit of model requests in one turn is reached.", Styles.BUSY);
            default -> add("Stopped: " + SafeText.line(String.valueOf(reason)) + ".", Styles.BUSY);
        }
    }

    /** Shows a problem that does not end the session. */
    public void failed(Failure failure) {
        note(failure.message(), Styles.BAD, failure.details());
    }

    /** Shows a remark of this program, after all events. */
    public void note(String text, AttributedStyle style) {
        note(text, style, List.of());
    }

    /**
     * Shows a remark of this program, unless the thread is interrupted while another one writes: a question waits for
     * the thread that reads keys.
     */
    public void noteUnlessInterrupted(String text, AttributedStyle style) {
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        try {
            note(text, style);
        } finally {
            lock.unlock();
        }
    }

    /** Shows a remark of this program when the message in progress ends, or another entry interrupts it. */
    public void remark(String text, AttributedStyle style) {
        lock.lock();
        try {
            draw();
            remarks.add(Styles.of(text, style));
            if (stream == null) {
                showRemarks();
            }
        } finally {
            lock.unlock();
        }
    }

    private void note(String text, AttributedStyle style, List<String> details) {
        lock.lock();
        try {
            draw();
            add(text, style, details);
        } finally {
            lock.unlock();
        }
    }

    /** Shows a line of the {@code --verbose} output as it is; successive ones are not separated. */
    public void log(String line) {
        lock.lock();
        try {
            draw();
            if (isLog) {
                finishText();
            } else if (inTurn) {
                begin();
            }
            Display display = screen.display();
            screen.print(Wrap.lines(
                    Styles.of(line, Styles.QUIET),
                    display.widthAfter(0),
                    Styles.of(display.symbols().bar() + " ", Styles.QUIET),
                    Styles.plain("    ")));
            isLog = true;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void add(String text, AttributedStyle style) {
        add(text, style, List.of());
    }

    @GuardedBy("lock")
    private void add(String text, AttributedStyle style, List<String> details) {
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
    }

    /** A question during which nothing else is written. */
    public interface Question<T> {
        T ask(Screen screen) throws InterruptedException;
    }

    /** Handles a change of the window size. */
    void resized(Display display) {
        lock.lock();
        try {
            screen.display(display);
        } finally {
            lock.unlock();
        }
    }

    /** Shows what is waited for until something else is shown; nothing if the text is empty. */
    public void waiting(String text) {
        waiting(text, "Ctrl-C quits");
    }

    /**
     * Shows what is waited for; see {@link #waiting(String)}.
     *
     * @param key what Ctrl-C does
     */
    public void waiting(String text, String key) {
        lock.lock();
        try {
            screen.pin(false);
            sign = text.isEmpty() ? null : SignOfLife.of(text, key);
            screen.footer(sign == null ? List.of() : sign.lines(List.of(), screen.display()));
        } finally {
            lock.unlock();
        }
    }

    /** Nothing is in progress any more. */
    void rests() {
        if (lock.tryLock()) {
            try {
                sign = null;
                screen.footer(List.of());
            } finally {
                lock.unlock();
            }
        }
    }

    /** Shows lines of this program. */
    public void print(List<AttributedString> lines) {
        lock.lock();
        try {
            finishText();
            isLog = false;
            if (!inTurn) {
                sign = null;
                screen.footer(List.of());
            }
            screen.print(lines);
            screen.pin(!inTurn);
        } finally {
            lock.unlock();
        }
    }

    /** Draws all changes, then blocks other output while the user is asked a question. */
    public <T extends @Nullable Object> T paused(Question<T> question) throws InterruptedException {
        lock.lock();
        try {
            if (Thread.interrupted()) {
                throw new InterruptedException("withdrawn while another question was open");
            }
            draw();
            T answer;
            try {
                if (console != null) {
                    console.questionBegins();
                }
                makeRoom();
                answer = question.ask(screen);
            } finally {
                if (console != null) {
                    console.questionEnds();
                }
                screen.pin(!inTurn);
            }
            return answer;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Marks a question as shown to the user, so that its timeline entry is not drawn.
     *
     * @return the number of its entry; 0 if it no longer needs an answer
     */
    public long asks(Entry.Question.Kind kind, String title, @Nullable ToolCallId about) {
        lock.lock();
        try {
            for (Entry.Question question : open.values()) {
                if (question.kind() == kind
                        && question.title().equals(title)
                        && Objects.equals(question.toolCall(), about)) {
                    open.remove(question.number());
                    asked.add(question.number());
                    return question.number();
                }
            }
            return 0;
        } finally {
            lock.unlock();
        }
    }

    /** Marks a question as answered by the user; the answer is on the screen. */
    public void answered(long question) {
        lock.lock();
        try {
            asked.remove(question);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void makeRoom() {
        finishText();
        isLog = false;
        // The tool call of the question is already shown, and is repeated in the question.
        screen.clear();
        if (!toolCalls.isGroup()) {
            begin();
        }
        toolCalls.interrupted();
        screen.pin(true);
    }

    // ---- drawing

    @GuardedBy("lock")
    private void draw() {
        if (timeline == null) {
            return;
        }
        Timeline.Changes changes = timeline.changesSince(revision);
        revision = changes.revision();
        timeline.forgetMessages(revision);
        // No listener is notified of the answer to a question, so later changes are included here.
        for (Timeline.Change change : changes.list()) {
            if (endsQuestion(change)) {
                draw(change);
            }
        }
        for (Timeline.Change change : changes.list()) {
            if (!endsQuestion(change)) {
                draw(change);
            }
        }
        if (!inTurn) {
            finishText();
        }
    }

    private static boolean isSpoken(Timeline.Change change) {
        return switch (change) {
            case Timeline.Added added -> isAnswer(added.entry());
            case Timeline.Appended appended -> isAnswer(appended.entry());
            case Timeline.Changed changed -> isAnswer(changed.entry());
            case Timeline.Removed removed -> false;
            case Timeline.Dropped dropped -> false;
        };
    }

    private static boolean isAnswer(Entry entry) {
        return entry instanceof Entry.Message message
                && message.author() == Entry.Message.Author.AGENT
                && !(message.content().size() == 1
                        && message.content().get(0) instanceof ContentBlock.Text text
                        && text.text().isBlank());
    }

    private static boolean endsQuestion(Timeline.Change change) {
        return change instanceof Timeline.Changed changed && changed.entry() instanceof Entry.Question;
    }

    @GuardedBy("lock")
    private void draw(Timeline.Change change) {
        hasSpoken |= isSpoken(change);
        if (!drawn.test(change)) {
            return;
        }
        switch (change) {
            case Timeline.Added added -> {
                drawnTo = added.number();
                if (added.entry() instanceof Entry.Question question) {
                    open.put(question.number(), question);
                }
                draw(added.entry());
            }
            case Timeline.Appended appended -> message(appended.entry(), appended.content());
            case Timeline.Changed changed -> {
                if (changed.entry() instanceof Entry.Message message) {
                    replaced(message);
                } else {
                    draw(changed.entry());
                }
            }
            case Timeline.Removed removed -> {}
            case Timeline.Dropped dropped -> dropped(dropped.number());
        }
    }

    /** Forgets the entries up to a number; reports those that have not been drawn. */
    @GuardedBy("lock")
    private void dropped(long number) {
        toolCalls.forget(number);
        plans.keySet().removeIf(known -> known <= number);
        compactions.keySet().removeIf(known -> known <= number);
        open.keySet().removeIf(known -> known <= number);
        asked.removeIf(known -> known <= number);
        if (number > drawnTo && !hasToldLoss) {
            hasToldLoss = true;
            add("Part of the output is lost: the agent sends more than can be shown in time.", Styles.BAD);
        }
    }

    @GuardedBy("lock")
    private void draw(Entry entry) {
        switch (entry) {
            case Entry.Message message -> message(message, message.content());
            case Entry.ToolCall call -> toolCall(call);
            case Entry.Plan plan -> {
                PlanText text = plans.computeIfAbsent(plan.number(), any -> new PlanText());
                begin();
                screen.print(text.lines(tasks(plan), screen.display()));
            }
            case Entry.Notice notice -> notice(notice.notice());
            case Entry.Compaction compaction -> compaction(compaction);
            case Entry.Terminal terminal -> {}
            // Drafts, which the client has not switched on.
            case Entry.Subagent subagent -> {}
            case Entry.SessionMessage message -> {}
            case Entry.Question question -> question(question);
            case Entry.TurnEnd ending -> end = ending;
        }
    }

    /** Returns the tasks of a plan; one that is a file or a text is one task. */
    private static List<PlanEntry> tasks(Entry.Plan plan) {
        String whole = plan.uri() == null ? plan.markdown() : plan.uri();
        return whole == null
                ? plan.entries()
                : List.of(PlanEntry.of(whole, PlanEntryPriority.MEDIUM, PlanEntryStatus.IN_PROGRESS));
    }

    @GuardedBy("lock")
    private void message(Entry.Message message, List<ContentBlock> pieces) {
        if (isPrompt(message)) {
            return;
        }
        for (ContentBlock piece : pieces) {
            if (!ContentText.isForUser(piece)) {
                hidden(message);
            } else if (piece instanceof ContentBlock.Text text) {
                text(message, text.text());
            } else {
                begin();
                screen.print(Wrap.lines(
                        Styles.of(binaries.text(piece), Styles.QUIET),
                        screen.display().widthAfter(0)));
                if (piece instanceof ContentBlock.Image image) {
                    screen.image(image.data());
                }
            }
        }
    }

    /** Shows, once a message, that a part of it is not meant for the user. */
    @GuardedBy("lock")
    private void hidden(Entry.Message message) {
        if (hiding != message.number()) {
            hiding = message.number();
            begin();
            screen.print(Styles.of("[a part of this message is for the agent only]", Styles.QUIET));
        }
    }

    /** Returns whether a message is the prompt typed for this turn. It is the first user message of the turn. */
    @GuardedBy("lock")
    private boolean isPrompt(Entry.Message message) {
        if (inTurn && prompt == 0 && message.author() == Entry.Message.Author.USER) {
            prompt = message.number();
        }
        return message.number() == prompt;
    }

    @GuardedBy("lock")
    private void text(Entry.Message message, String text) {
        if (stream == null || writing != message.number()) {
            if (text.isBlank()) {
                return;
            }
            begin();
            stream = switch (message.author()) {
                case AGENT -> new MarkdownStream(screen);
                case THOUGHT -> PrefixedStream.thought(screen);
                case USER -> PrefixedStream.user(screen);
            };
            writing = message.number();
        }
        stream.append(text);
    }

    /** Draws a changed message: in place if the lines can still be rewritten, else below. */
    @GuardedBy("lock")
    private void replaced(Entry.Message message) {
        if (isPrompt(message)) {
            return;
        }
        if (stream != null && writing == message.number()) {
            boolean isGone = stream.restart();
            screen.clear();
            if (!isGone) {
                stream = null;
            }
        }
        if (stream == null || writing != message.number()) {
            add("Changed to:", Styles.QUIET);
        }
        message(message, message.content());
    }

    @GuardedBy("lock")
    private void toolCall(Entry.ToolCall call) {
        if (!toolCalls.isNews(call)) {
            return;
        }
        if (stream != null || isLog || !toolCalls.isGroup()) {
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
        add(description == null ? title : title + ": " + SafeText.text(description), style);
    }

    @GuardedBy("lock")
    private void compaction(Entry.Compaction compaction) {
        CompactionStatus status = compaction.status();
        if (status.equals(compactions.put(compaction.number(), status))) {
            return;
        }
        if (status.equals(CompactionStatus.IN_PROGRESS)) {
            add(
                    "The agent compacts the conversation"
                            + screen.display().symbols().more(),
                    Styles.QUIET);
        } else if (status.equals(CompactionStatus.COMPLETED)) {
            add("The conversation was compacted.", Styles.QUIET);
        } else {
            add("The conversation could not be compacted.", Styles.BUSY);
        }
    }

    /** Shows how a question ended, unless the user answered it here. */
    @GuardedBy("lock")
    private void question(Entry.Question question) {
        if (question.state() == Entry.Question.State.OPEN) {
            return;
        }
        boolean wasOpen = open.remove(question.number()) != null;
        PermissionOption choice = question.choice();
        if (asked.remove(question.number())) {
            add("The question was withdrawn.", Styles.BUSY);
        } else if (wasOpen && question.kind() == Entry.Question.Kind.ELICITATION) {
            add("Input asked: " + SafeText.line(question.title()) + ": not answered", Styles.BUSY);
        } else if (wasOpen) {
            String decision = choice == null ? "refused" : SafeText.line(choice.name());
            add("Permission asked: " + SafeText.line(question.title()) + ": " + decision, Styles.BUSY);
        }
    }

    /** Ends the output in progress and adds a blank line. */
    @GuardedBy("lock")
    private void begin() {
        finishText();
        toolCalls.interrupted();
        isLog = false;
        screen.keep();
        if (hasShown || spacious) {
            screen.print(AttributedString.EMPTY);
        }
        hasShown = true;
    }

    @GuardedBy("lock")
    private void finishText() {
        if (stream != null) {
            stream.finish();
            stream = null;
            showRemarks();
        }
    }

    @GuardedBy("lock")
    private void showRemarks() {
        List<AttributedString> due = List.copyOf(remarks);
        remarks.clear();
        for (AttributedString remark : due) {
            add(remark.toString(), remark.styleAt(0));
        }
    }
}
