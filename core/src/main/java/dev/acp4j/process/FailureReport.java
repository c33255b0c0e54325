package dev.acp4j.process;

import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Message;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The known facts about the failure of an agent, with the likely cause. It contains no content of messages and no
 * secrets of the agent's environment, so it can be attached to a bug report.
 */
public final class FailureReport {
    /** The problem of an agent that is alive and can no longer send. */
    static final String SILENCED = "it closed its standard output but kept running, and was ended here";

    /** The problem of an agent that is alive and can no longer receive. */
    static final String DEAFENED = "it closed its standard input but kept running";

    /** The phase before the process exists. */
    static final String STARTING = "starting";

    /** Where one of our own sentences begins: names of folders can contain a full stop and a capital, too. */
    private static final Pattern BETWEEN_SENTENCES = Pattern.compile(
            "(?<=\\.) (?=There is no such file|PATH is empty|Looked in: |Install |Give |Make it executable: )");

    /** A frame, the causes of an exception, which stand behind it, and the version that Node.js prints at the end. */
    private static final Pattern OF_A_STACK_TRACE = Pattern.compile(
            "\\s+at \\S|\\s+\\.\\.\\. \\d+ (more|common frames)|\\s*Caused by: |\\s+Suppressed: |Node\\.js v\\d");

    private static final int LINES_SHOWN = 20;
    private static final int LONGEST_LINE = 500;
    private static final int LONGEST_COMMAND = 150;

    private final String phase;
    private final String command;
    private final @Nullable String problem;
    private final @Nullable ExitStatus exit;
    private final String stderr;
    private final List<String> noise;
    private final List<Message.Summary> frames;
    private final List<String> withheld;

    private FailureReport(
            String phase,
            String command,
            @Nullable String problem,
            @Nullable ExitStatus exit,
            String stderr,
            List<String> noise,
            List<Message.Summary> frames,
            List<String> withheld) {
        this.phase = Objects.requireNonNull(phase);
        this.command = Objects.requireNonNull(command);
        this.problem = problem;
        this.exit = exit;
        this.stderr = Objects.requireNonNull(stderr);
        this.noise = List.copyOf(noise);
        this.frames = List.copyOf(frames);
        this.withheld = List.copyOf(withheld);
    }

    /** Returns a report with the phase and the command only. */
    public static FailureReport of(String phase, String command) {
        return new FailureReport(phase, command, null, null, "", List.of(), List.of(), List.of());
    }

    /** Returns this report with another phase. */
    public FailureReport withPhase(String what) {
        return new FailureReport(what, command, problem, exit, stderr, noise, frames, withheld);
    }

    /** Returns this report with the problem. */
    public FailureReport withProblem(@Nullable String what) {
        return new FailureReport(phase, command, what, exit, stderr, noise, frames, withheld);
    }

    /** Returns this report with the exit status of the process. */
    FailureReport withExit(@Nullable ExitStatus how) {
        return new FailureReport(phase, command, problem, how, stderr, noise, frames, withheld);
    }

    /** Returns this report with the end of the standard error. */
    FailureReport withStderr(String text) {
        return new FailureReport(phase, command, problem, exit, text, noise, frames, withheld);
    }

    /** Returns this report with lines of the standard output that were not messages. */
    FailureReport withNoise(List<String> lines) {
        return new FailureReport(phase, command, problem, exit, stderr, lines, frames, withheld);
    }

    /** Returns this report with the last messages. */
    FailureReport withFrames(List<Message.Summary> last) {
        return new FailureReport(phase, command, problem, exit, stderr, noise, last, withheld);
    }

    /** Returns this report with the last input and output of a connection, without secrets. */
    public FailureReport withMessages(Connection connection, Redaction redaction) {
        List<String> lines = connection.recentNoise().stream()
                .map(line -> redaction.redact(line))
                .toList();
        return withNoise(lines).withFrames(connection.recentMessages());
    }

    /** Returns this report with the names of variables that the agent lacks. */
    FailureReport withWithheld(List<String> names) {
        return new FailureReport(phase, command, problem, exit, stderr, noise, frames, names);
    }

    /** Returns the phase: {@code starting}, or the method whose response was awaited, such as {@code initialize}. */
    public String phase() {
        return phase;
    }

    /** Returns the command line, without secrets. */
    public String command() {
        return command;
    }

    /**
     * Returns the problem in one line, such as {@code no answer within 60 s}; null if the exit status is sufficient.
     */
    public @Nullable String problem() {
        return problem;
    }

    /** Returns the exit status, or null if the process had not ended or its status is not known. */
    public @Nullable ExitStatus exit() {
        return exit;
    }

    /** Returns the end of the standard error of the process. */
    public String stderr() {
        return stderr;
    }

    /** Returns the lines of its standard output that were not messages. */
    public List<String> noise() {
        return noise;
    }

    /** Returns the last messages of both directions, in order. */
    public List<Message.Summary> frames() {
        return frames;
    }

    /**
     * Returns the environment variables that are set here, were not passed on, and are mentioned in {@link #stderr()}.
     */
    public List<String> withheld() {
        return withheld;
    }

    /** Returns whether the agent sent at least one message. */
    public boolean hasAnswered() {
        for (Message.Summary frame : frames) {
            if (!frame.sent() && (frame.method() != null || frame.id() != null)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the process could not be started. */
    public boolean isFailedStart() {
        return phase.equals(STARTING) && problem != null;
    }

    /** Returns the sentences of the problem; the first is sufficient by itself. */
    List<String> problemSentences() {
        return problem == null ? List.of() : List.of(BETWEEN_SENTENCES.split(problem));
    }

    /** Returns the likely cause as a sentence. It is inferred from the other parts. */
    public String likelyCause() {
        return FailureCause.of(this).cause();
    }

    /** Returns the next step for the likely cause, as a sentence. */
    public String nextStep() {
        return FailureCause.of(this).nextStep();
    }

    /** Returns the report in one line: what happened, the likely cause and the next step. */
    public String summary() {
        FailureCause cause = FailureCause.of(this);
        return headline() + ". " + cause.cause() + " " + cause.nextStep();
    }

    /** Describes the phase in words: names of methods are meaningless to readers who do not know the protocol. */
    private String when() {
        return switch (phase) {
            case "initialize" -> "at startup (initialize)";
            case "session/new" -> "while opening a session (session/new)";
            case "session/prompt" -> "in a turn (session/prompt)";
            case STARTING -> "to start";
            default -> "in " + phase;
        };
    }

    /** Shortens the command, which may be longer than the rest of the report; its beginning and end identify it. */
    private static String brief(String command) {
        int length = command.length();
        return length <= LONGEST_COMMAND
                ? command
                : command.substring(0, LONGEST_COMMAND * 2 / 3) + " … "
                        + command.substring(length - LONGEST_COMMAND / 3);
    }

    private String headline() {
        StringBuilder text =
                new StringBuilder("agent failed ").append(when()).append(": ").append(brief(command));
        if (problem != null) {
            String told = isFailedStart() ? problemSentences().get(0) : problem;
            // More text or a full stop follows, so the one of the sentence is removed.
            text.append(": ").append(clean(told.endsWith(".") ? told.substring(0, told.length() - 1) : told));
        }
        if (exit != null) {
            text.append(problem == null ? ": " : ", ").append(exit);
        }
        return text.toString();
    }

    /** Returns the whole report in several lines, without control characters. */
    @Override
    public String toString() {
        FailureCause cause = FailureCause.of(this);
        StringBuilder text = new StringBuilder(headline());
        text.append("\n  likely cause: ").append(clean(cause.cause()));
        text.append("\n  next step:    ").append(clean(cause.nextStep()));
        append(text, "last lines of standard error", stderr.lines().toList());
        append(text, "standard output that is not ACP", noise);
        if (!frames.isEmpty()) {
            text.append("\n  last messages:");
            for (Message.Summary frame : frames) {
                text.append("\n    ").append(clean(frame.toString()));
            }
        }
        return text.toString();
    }

    private static void append(StringBuilder text, String title, List<String> lines) {
        if (lines.isEmpty()) {
            return;
        }
        text.append("\n  ").append(title).append(':');
        for (String line : lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size())) {
            text.append("\n    | ").append(clean(line));
        }
    }

    /**
     * Returns the last line that says something, or an empty text. Of a stack trace of Java or JavaScript this is the
     * exception, not a frame.
     */
    static String lastLine(String text) {
        String last = "";
        for (String line : text.lines().toList()) {
            last = line.isBlank() || OF_A_STACK_TRACE.matcher(line).lookingAt() ? last : line;
        }
        return clean(last.strip());
    }

    /** Removes characters that move the cursor or set colours, and limits the length of the line. */
    static String clean(String line) {
        StringBuilder clean = new StringBuilder();
        int at = 0;
        while (at < line.length() && clean.length() < LONGEST_LINE) {
            char c = line.charAt(at);
            if (c == 0x1b && at + 1 < line.length() && line.charAt(at + 1) == '[') {
                at = endOfSequence(line, at + 2);
            } else {
                clean.append(c == '\t' || !Character.isISOControl(c) ? c : '\ufffd');
                at++;
            }
        }
        return at < line.length() ? clean.append('…').toString() : clean.toString();
    }

    private static int endOfSequence(String line, int from) {
        int at = from;
        while (at < line.length() && line.charAt(at) < '@') {
            at++;
        }
        return at + 1;
    }
}
