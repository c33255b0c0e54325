package dev.acp4j.cli.command;

import dev.acp4j.AuthenticationRequiredException;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ProtocolVersionException;
import dev.acp4j.UnsupportedException;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.TerminalStreams;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.process.FailureReport;
import dev.acp4j.process.Launch;
import dev.acp4j.process.ProcessFailedException;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.ErrorCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jline.utils.AttributedString;

/**
 * A failure for the user: one line, followed by details that may help.
 *
 * @param message the failure in one line
 * @param details lines with details, such as the next step, or the last output of the agent
 * @param code the exit code of the process
 */
public record Failure(String message, List<String> details, ExitCode code) {
    public static final int STDERR_LINES = 12;
    public static final int NOISE_LINES = 4;

    /** The number of frames shown of a stack trace. */
    private static final int FRAMES = 3;

    private static final Pattern FRAME = Pattern.compile("\\s+at \\S");

    private static final String TRACE = "--trace FILE records all messages, 'acp trace show FILE' shows them.";

    /** Returns an error of the user. */
    static Failure misuse(String message) {
        return new Failure(message, List.of(), ExitCode.USAGE);
    }

    /** Returns a failure of the agent. */
    public static Failure agent(String message, String... details) {
        return new Failure(message, List.of(details), ExitCode.AGENT_FAILED);
    }

    /** Returns the end requested by the user. */
    public static Failure cancelled() {
        return new Failure("cancelled", List.of(), ExitCode.CANCELLED);
    }

    /** Returns the end of a run that took too long; {@code what} describes the missing result. */
    public static Failure late(String what, Deadline deadline, List<String> details) {
        return new Failure(what + " within " + deadline.text(), details, ExitCode.TIMED_OUT);
    }

    /** Returns the failure of standard output that cannot be written, or was closed by its reader. */
    public static Failure ofOutput(IOException e) {
        String why = String.valueOf(e.getMessage());
        // A pipe is never full permanently: its reader has gone. The message depends on the language.
        return TerminalStreams.isPipe(1) || why.contains("Broken pipe")
                ? new Failure("standard output was closed by its reader", List.of(), ExitCode.OUTPUT_UNREAD)
                : new Failure("standard output cannot be written: " + why, List.of(), ExitCode.OUTPUT_LOST);
    }

    /** Returns the failure for an exception. */
    public static Failure of(Exception e) {
        return switch (e) {
            case CommandFailedException failed -> failed.failure();
            case NotOfferedException missing ->
                new Failure(String.valueOf(missing.getMessage()), List.of(), ExitCode.NOT_OFFERED);
            case UnsupportedException missing ->
                new Failure(NotOfferedException.message(missing.feature()), List.of(), ExitCode.NOT_OFFERED);
            case UsageException usage -> misuse(String.valueOf(usage.getMessage()));
            case ProcessFailedException failed -> report(failed.report());
            case AuthenticationRequiredException required -> loginRequired(required.methods());
            case RpcError error -> answered(error);
            case MalformedMessageException malformed ->
                agent(
                        "the agent's response is invalid: " + SafeText.line(String.valueOf(malformed.getMessage())),
                        "Update the agent; if that does not help, report it to its authors, with its response.",
                        TRACE);
            case ProtocolVersionException other ->
                agent(SafeText.line(withoutMethod(other)), SafeText.line(other.nextStep()));
            case ConnectionClosedException closed -> agent(SafeText.line(withoutMethod(closed)));
            case RequestTimeoutException late ->
                agent("the agent did not respond: " + SafeText.line(String.valueOf(late.getMessage())), TRACE);
            case InterruptedException interrupted -> cancelled();
            default -> unexpected(e);
        };
    }

    /**
     * Returns this failure with a hint if it, or the output of the agent, mentions variables that are set here and were
     * not passed on.
     */
    public Failure about(ConnectedAgent agent) {
        return hinting(agent.process()
                .map(process -> process.withheldVariablesIn(text() + process.stderr()))
                .orElse(List.of()));
    }

    /** Returns this failure of an agent that is gone, with the same hint. */
    public Failure about(Launch agent) {
        return hinting(agent.withheldVariablesIn(text()));
    }

    private String text() {
        return message + "\n" + String.join("\n", details) + "\n";
    }

    private Failure hinting(List<String> withheld) {
        if (withheld.isEmpty()) {
            return this;
        }
        String env = passOn(withheld);
        for (String detail : details) {
            if (detail.contains(env)) {
                return this;
            }
        }
        List<String> more = new ArrayList<>(details);
        more.add(withheldHint(withheld));
        return new Failure(message, more, code);
    }

    /** Describes variables that were not passed on, with the options that do so. */
    public static String withheldHint(List<String> withheld) {
        return String.join(", ", withheld) + (withheld.size() == 1 ? " is" : " are")
                + " set here, but not passed on to agents. Pass it on: " + passOn(withheld);
    }

    static String passOn(List<String> withheld) {
        return "--env " + String.join(" --env ", withheld);
    }

    /** Returns this failure with another exit code. */
    public Failure ending(ExitCode other) {
        return new Failure(message, details, other);
    }

    /** Prints the failure to standard error. */
    public void tell(Streams streams) {
        lines(streams.err().display()).forEach(streams.err()::print);
    }

    /** Returns the failure wrapped to the width of the display. */
    List<AttributedString> lines(Display display) {
        List<AttributedString> lines = new ArrayList<>(lines("", "acp: " + message, display));
        for (String detail : details) {
            lines.addAll(lines("  ", detail, display));
        }
        return lines;
    }

    /** Continuation lines are indented further, so that the original lines can be recognized. */
    private static List<AttributedString> lines(String indent, String text, Display display) {
        AttributedString others = Styles.plain(indent + "  ");
        return Wrap.lines(Styles.plain(text), display.widthAfter(0), Styles.plain(indent), others);
    }

    private static Failure report(FailureReport report) {
        String problem = report.problem();
        if (report.isFailedStart() && problem != null) {
            return notStarted(report.command(), SafeText.line(problem));
        }
        List<String> details = new ArrayList<>();
        LikelyCause likely = LikelyCause.of(report);
        details.add(likely.cause());
        details.add(likely.nextStep());
        details.addAll(lastWords(report));
        if (report.phase().equals("initialize")) {
            details.add("'acp doctor -- COMMAND' tries an agent step by step.");
        }
        String headline = report.toString().lines().findFirst().orElse("the agent failed");
        return new Failure("the " + SafeText.line(headline), details, ExitCode.AGENT_FAILED);
    }

    /** Describes a method: its name is meaningless to users. */
    private static String withoutMethod(ConnectionClosedException e) {
        String message = String.valueOf(e.getMessage());
        String method = e.method().orElse("") + ": ";
        return message.startsWith(method) ? message.substring(method.length()) : message;
    }

    /** Returns the agent's message about a rejected request. */
    public static String errorText(RpcError e) {
        // Without the method, which the callers add.
        return SafeText.line(String.valueOf(e.getMessage()).substring(e.method().length() + 2));
    }

    /** Returns the problem of a command: several sentences, the first of which is sufficient by itself. */
    private static Failure notStarted(String command, String problem) {
        List<String> sentences = new ArrayList<>(List.of(problem.split("(?<=\\.) (?=[A-Z])")));
        String first = sentences.remove(0);
        String what = first.endsWith(".") ? first.substring(0, first.length() - 1) : first;
        // Already reported by the text before it.
        what = what.startsWith("cannot start ") || what.startsWith("cannot run ")
                ? what.substring(what.indexOf(": ") + 2)
                : what;
        return new Failure("cannot start " + SafeText.line(command) + ": " + what, sentences, ExitCode.AGENT_FAILED);
    }

    /** Returns the last output of the agent as details. */
    public static List<String> lastWords(FailureReport report) {
        List<String> details = new ArrayList<>();
        last(
                "The agent's last lines on standard error:",
                report.stderr().lines().toList(),
                STDERR_LINES,
                details);
        last("Its output on standard output that is not the protocol:", report.noise(), NOISE_LINES, details);
        return details;
    }

    private static void last(String title, List<String> lines, int most, List<String> details) {
        if (lines.isEmpty()) {
            return;
        }
        details.add(title);
        List<String> shown = withoutDeepFrames(lines);
        for (String line : shown.subList(Math.max(0, shown.size() - most), shown.size())) {
            details.add("  | " + SafeText.indented(line));
        }
    }

    /** Leaves out most frames of stack traces, which would push the exceptions out of sight. */
    private static List<String> withoutDeepFrames(List<String> lines) {
        List<String> kept = new ArrayList<>();
        int frames = 0;
        for (String line : lines) {
            frames = FRAME.matcher(line).lookingAt() ? frames + 1 : 0;
            if (frames <= FRAMES) {
                kept.add(line);
            } else if (frames == FRAMES + 1) {
                kept.add(line.substring(0, line.indexOf("at ")) + "…");
            }
        }
        return kept;
    }

    private static Failure loginRequired(List<AuthMethod> methods) {
        List<String> details = new ArrayList<>();
        if (methods.isEmpty()) {
            details.add("Log in with the agent's own command, then try again.");
        } else {
            details.add("Log in with 'acp login METHOD -- COMMAND', or with the agent's own command. The methods are:");
        }
        for (LoginMethod method : LoginMethod.of(methods)) {
            details.add("  " + method.safeId() + "   " + method.safeName());
        }
        return new Failure("the agent requires a login first", details, ExitCode.AGENT_FAILED);
    }

    private static Failure answered(RpcError e) {
        if (e.code() == ErrorCode.UNSUPPORTED_PROTOCOL_VERSION.value()) {
            return agent("the agent does not speak version 1 of the protocol: " + errorText(e), nextStep(e));
        }
        return agent("the agent responded to " + e.method() + " with an error: " + errorText(e), nextStep(e));
    }

    /** Returns the next step for an error response of the agent. */
    public static String nextStep(RpcError e) {
        if (e.code() == ErrorCode.UNSUPPORTED_PROTOCOL_VERSION.value()) {
            return "It speaks other versions only: try --protocol auto. Update acp, or use an older version of the"
                    + " agent.";
        }
        return switch (e.code()) {
            case RpcError.AUTH_REQUIRED -> "Log in with 'acp login -- COMMAND', or with the agent's own command.";
            case RpcError.METHOD_NOT_FOUND -> "The agent does not support this; a newer version may.";
            case RpcError.INVALID_PARAMS, RpcError.INVALID_REQUEST, RpcError.PARSE_ERROR ->
                "Check the request: " + TRACE;
            default -> "Check the agent's log, or the messages before the error: " + TRACE;
        };
    }

    /** A bug of this program: the report needs the stack trace. */
    private static Failure unexpected(Exception e) {
        List<String> details = new ArrayList<>();
        for (StackTraceElement element : e.getStackTrace()) {
            details.add("at " + element);
        }
        return new Failure("this should not have happened, please report it: " + e, details, ExitCode.AGENT_FAILED);
    }
}
