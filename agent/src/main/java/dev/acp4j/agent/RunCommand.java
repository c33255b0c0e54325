package dev.acp4j.agent;

import dev.acp4j.AgentTerminal;
import dev.acp4j.RemoteTerminal;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.WaitForTerminalExitResponse;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code /run}: runs a command line, in a terminal of the client if it offers one, so that the user can watch; else as
 * a process of the agent. Cancelling the turn ends the command.
 */
final class RunCommand implements Command {
    private static final Duration WAIT = Duration.ofMillis(200);

    /** How a command ended: one of the two is not null. */
    private record Exit(@Nullable Long code, @Nullable String signal, String output, boolean truncated) {}

    @Override
    public String name() {
        return "run";
    }

    @Override
    public String description() {
        return "Run a command in the working directory, after asking";
    }

    @Override
    public String hint() {
        return "command line";
    }

    @Override
    public void run(Work work, String arguments) throws InterruptedException, IOException {
        if (arguments.isBlank()) {
            throw new UsageException("which command?");
        }
        if (work.isReadOnly()) {
            work.say("The session is read-only, so " + Markdown.code(arguments) + " was not run.\n");
            return;
        }
        Path cwd = work.workspace().workingDirectory();
        Facts input = new Facts().put("command", arguments).put("cwd", cwd.toString());
        Step step = work.step("Run " + arguments, ToolKind.EXECUTE, input.json());
        if (!work.mayDo(Work.Action.RUN, step)) {
            step.fail("Not done: it was not allowed.");
            work.say(Markdown.code(arguments) + " was not run.\n");
            return;
        }
        step.start();
        long begun = System.nanoTime();
        try {
            Exit exit = work.turn().terminals().isOffered()
                    ? inTerminal(work, step, arguments)
                    : here(step, cwd, arguments);
            report(work, step, arguments, exit, Duration.ofNanos(System.nanoTime() - begun));
        } catch (IOException | RpcError e) {
            String why = e instanceof RpcError refused ? refused.message() : e.getMessage();
            step.fail(String.valueOf(why));
            work.say(Markdown.code(arguments) + " could not be started: " + why + "\n");
        }
    }

    private static List<String> shell(String line) {
        boolean windows = File.separatorChar == '\\';
        return windows ? List.of("cmd", "/c", line) : List.of("sh", "-c", line);
    }

    private static Exit inTerminal(Work work, Step step, String line) throws InterruptedException {
        List<String> shell = shell(line);
        Path cwd = work.workspace().workingDirectory();
        // Closing releases the terminal, which ends the command after a cancellation.
        try (RemoteTerminal terminal =
                work.turn().terminals().start(cwd, shell.getFirst(), shell.subList(1, shell.size()))) {
            step.terminal(terminal.id());
            WaitForTerminalExitResponse exit = terminal.waitForExit();
            TerminalOutputResponse output = terminal.output();
            step.keepForHistory(output.output());
            return new Exit(exit.exitCode(), exit.signal(), output.output(), output.truncated());
        }
    }

    private static Exit here(Step step, Path cwd, String line) throws InterruptedException, IOException {
        try (LocalProcess process = LocalProcess.command(cwd, shell(line));
                AgentTerminal terminal = step.openTerminal(line, cwd)) {
            try {
                for (byte[] piece = process.next(WAIT); piece != null; piece = process.next(WAIT)) {
                    terminal.print(piece);
                }
                int code = process.waitFor();
                terminal.exited(code);
                return new Exit((long) code, null, terminal.output(), terminal.isTruncated());
            } finally {
                step.keepForHistory(Markdown.block("", terminal.output()));
            }
        }
    }

    private static void report(Work work, Step step, String line, Exit exit, Duration time)
            throws InterruptedException {
        Facts facts = new Facts();
        if (exit.code() != null) {
            facts.put("exitCode", exit.code());
        }
        if (exit.signal() != null) {
            facts.put("signal", exit.signal());
        }
        step.output(facts.put("output", exit.output())
                .put("truncated", exit.truncated())
                .json());
        boolean good = exit.code() != null && exit.code() == 0;
        String ending = exit.signal() != null ? "signal " + exit.signal() : "exit code " + exit.code();
        if (good) {
            step.complete();
        } else {
            step.fail("Ended with " + ending + ".");
        }
        // The tool call shows the output; the message does not repeat it.
        String silent = exit.output().isBlank() ? " and printed nothing" : "";
        work.say(Markdown.code(line) + " ended with " + ending + " after " + seconds(time) + silent + ".\n");
    }

    private static String seconds(Duration time) {
        long tenths = time.toMillis() / 100;
        return tenths < 600 ? tenths / 10 + "." + tenths % 10 + " s" : tenths / 600 + " min " + tenths / 10 % 60 + " s";
    }
}
