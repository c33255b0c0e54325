package dev.acp4j.cli.command;

import dev.acp4j.AuthenticationRequiredException;
import dev.acp4j.ProtocolVersionException;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.TerminalStreams;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.process.FailureReport;
import dev.acp4j.process.ProcessFailedException;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.PeerErrorException;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;

/**
 * What went wrong, told to a person: one line, and below it what may help.
 *
 * @param message what went wrong, in one line
 * @param details lines that say more, such as what to do, or what the agent said last
 * @param code what the process ends with
 */
public record Failure(String message, List<String> details, ExitCode code) {
    public static final int STDERR_LINES = 12;
    public static final int NOISE_LINES = 4;

    private static final String TRACE = "--trace FILE records what is said, 'acp trace show FILE' shows it.";

    /** Returns a user's mistake. */
    static Failure misuse(String message) {
        return new Failure(message, List.of(), ExitCode.USAGE);
    }

    /** Returns a failure of the agent. */
    public static Failure agent(String message, String... details) {
        return new Failure(message, List.of(details), ExitCode.AGENT_FAILED);
    }

    /** Returns the end that the user asked for. */
    public static Failure cancelled() {
        return new Failure("cancelled", List.of(), ExitCode.CANCELLED);
    }

    /** Returns the end of a run that took too long; {@code what} says what was not done by then. */
    public static Failure late(String what, Deadline deadline, List<String> details) {
        return new Failure(what + " within " + deadline.text(), details, ExitCode.TIMED_OUT);
    }

    /** Returns the end of standard output that cannot be written, or that nobody reads any more. */
    public static Failure ofOutput(IOException e) {
        String why = String.valueOf(e.getMessage());
        // A pipe cannot be full for good: nobody reads it any more. The message depends on the language.
        return TerminalStreams.isPipe(1) || why.contains("Broken pipe")
                ? new Failure("nobody reads standard output any more", List.of(), ExitCode.OUTPUT_UNREAD)
                : new Failure("standard output cannot be written: " + why, List.of(), ExitCode.OUTPUT_LOST);
    }

    /** Returns what to say about an exception. */
    public static Failure of(Exception e) {
        return switch (e) {
            case UsageException usage -> misuse(String.valueOf(usage.getMessage()));
            case ProcessFailedException failed -> report(failed.report());
            case AuthenticationRequiredException required -> signIn(required);
            case PeerErrorException error -> answered(error);
            case MalformedMessageException malformed ->
                agent(
                        "the agent's answer cannot be read: " + SafeText.line(String.valueOf(malformed.getMessage())),
                        "Update the agent; if that does not help, report it to its authors, with its answer.",
                        TRACE);
            case ProtocolVersionException other ->
                agent(SafeText.line(withoutMethod(other)), SafeText.line(other.nextStep()));
            case ConnectionClosedException closed -> agent(SafeText.line(withoutMethod(closed)));
            case RequestTimeoutException late ->
                agent("the agent did not answer: " + SafeText.line(String.valueOf(late.getMessage())), TRACE);
            case InterruptedException interrupted -> cancelled();
            default -> unexpected(e);
        };
    }

    /** Returns this failure with another exit code. */
    public Failure ending(ExitCode other) {
        return new Failure(message, details, other);
    }

    /** Says on standard error what went wrong. */
    public void tell(Streams streams) {
        lines(streams.err().display()).forEach(streams.err()::print);
    }

    /** Returns the failure in lines of the width of the place. */
    List<AttributedString> lines(Display display) {
        List<AttributedString> lines = new ArrayList<>(lines("", "acp: " + message, display));
        for (String detail : details) {
            lines.addAll(lines("  ", detail, display));
        }
        return lines;
    }

    /** Lines that go on are indented further, so that it shows which lines somebody wrote. */
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

    /** Methods say nothing to a user. */
    private static String withoutMethod(ConnectionClosedException e) {
        String message = String.valueOf(e.getMessage());
        String method = e.method().orElse("") + ": ";
        return message.startsWith(method) ? message.substring(method.length()) : message;
    }

    /** Returns what the agent said about a request that it refused. */
    public static String errorText(PeerErrorException e) {
        // Without the method, which those who call this name themselves.
        return SafeText.line(String.valueOf(e.getMessage()).substring(e.method().length() + 2));
    }

    /** What is wrong with a command is told in sentences of which the first says it all. */
    private static Failure notStarted(String command, String problem) {
        List<String> sentences = new ArrayList<>(List.of(problem.split("(?<=\\.) (?=[A-Z])")));
        String first = sentences.remove(0);
        String what = first.endsWith(".") ? first.substring(0, first.length() - 1) : first;
        // Said by our own words before it.
        what = what.startsWith("cannot start ") || what.startsWith("cannot run ")
                ? what.substring(what.indexOf(": ") + 2)
                : what;
        return new Failure("cannot start " + SafeText.line(command) + ": " + what, sentences, ExitCode.AGENT_FAILED);
    }

    /** Returns what the agent wrote last, as details. */
    public static List<String> lastWords(FailureReport report) {
        List<String> details = new ArrayList<>();
        last(
                "The agent's last lines on standard error:",
                report.stderr().lines().toList(),
                STDERR_LINES,
                details);
        last("What it wrote to standard output that is not the protocol:", report.noise(), NOISE_LINES, details);
        return details;
    }

    private static void last(String title, List<String> lines, int most, List<String> details) {
        if (lines.isEmpty()) {
            return;
        }
        details.add(title);
        for (String line : lines.subList(Math.max(0, lines.size() - most), lines.size())) {
            details.add("  | " + SafeText.line(line));
        }
    }

    private static Failure signIn(AuthenticationRequiredException e) {
        List<String> details = new ArrayList<>();
        if (e.methods().isEmpty()) {
            details.add("Sign in with the agent's own command, then try again.");
        } else {
            details.add("Choose one of its ways with --sign-in, or sign in with the agent's own command:");
        }
        for (AuthMethod method : e.methods()) {
            details.add("  --sign-in " + SignIn.id(method) + "   " + SignIn.name(method));
        }
        return new Failure("the agent wants you to sign in first", details, ExitCode.AGENT_FAILED);
    }

    private static Failure answered(PeerErrorException e) {
        return agent("the agent answered " + e.method() + " with an error: " + errorText(e), nextStep(e));
    }

    /** Returns what to do about an error that the agent answered with. */
    public static String nextStep(PeerErrorException e) {
        return switch (e.code()) {
            case RpcError.AUTH_REQUIRED -> "Sign in with --sign-in, or with the agent's own command.";
            case RpcError.METHOD_NOT_FOUND -> "The agent does not support this; an update of it may.";
            case RpcError.INVALID_PARAMS, RpcError.INVALID_REQUEST, RpcError.PARSE_ERROR ->
                "See what it was sent: " + TRACE;
            default -> "See the agent's log, or what led to this: " + TRACE;
        };
    }

    /** A mistake of ours: the stack trace is what its report needs. */
    private static Failure unexpected(Exception e) {
        List<String> details = new ArrayList<>();
        for (StackTraceElement element : e.getStackTrace()) {
            details.add("at " + element);
        }
        return new Failure("this should not have happened, please report it: " + e, details, ExitCode.AGENT_FAILED);
    }
}
