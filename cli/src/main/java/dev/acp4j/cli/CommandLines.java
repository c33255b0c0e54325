package dev.acp4j.cli;

import dev.acp4j.cli.agent.AgentCommand;
import dev.acp4j.cli.agent.TestAgentCommand;
import dev.acp4j.cli.agents.AgentsCommand;
import dev.acp4j.cli.agents.RunCommand;
import dev.acp4j.cli.chat.ChatCommand;
import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.AgentWord;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.NearestName;
import dev.acp4j.cli.command.Subcommands;
import dev.acp4j.cli.conduct.ConductCommand;
import dev.acp4j.cli.conduct.StatusCommand;
import dev.acp4j.cli.conduct.TrustCommand;
import dev.acp4j.cli.connect.ConnectCommand;
import dev.acp4j.cli.doctor.DoctorCommand;
import dev.acp4j.cli.editors.InstallCommand;
import dev.acp4j.cli.editors.UninstallCommand;
import dev.acp4j.cli.login.LoginCommand;
import dev.acp4j.cli.login.LogoutCommand;
import dev.acp4j.cli.prompt.PromptCommand;
import dev.acp4j.cli.proxy.ProxyCommand;
import dev.acp4j.cli.proxy.TrustFilesCommand;
import dev.acp4j.cli.serve.ServeCommand;
import dev.acp4j.cli.sessions.ModelsCommand;
import dev.acp4j.cli.sessions.SessionsCommand;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.cli.trace.ShowCommand;
import dev.acp4j.cli.trace.TraceCommand;
import dev.acp4j.cli.translate.TranslateCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Finds and runs the command for a command line, and reports invalid command lines. */
final class CommandLines {
    private static final int NARROWEST_HELP = 60;
    private static final int WIDEST_HELP = 120;

    private CommandLines() {}

    /** Runs a command line; returns the exit code. */
    static int run(String[] args) {
        int end = Arrays.asList(args).indexOf("--");
        List<String> agent = end < 0 ? List.of() : List.of(args).subList(end + 1, args.length);
        String[] own = end < 0 ? args : Arrays.copyOf(args, end);
        Streams streams = Streams.system();
        CommandLine line = commandLine(streams, new AgentChoice(agent, end >= 0), List.of(own));
        int code = line.execute(own);
        IOException failure = streams.out().failure();
        if (failure == null) {
            return code;
        }
        Failure lost = Failure.ofOutput(failure);
        // A reader that stopped, such as head, needs no message; programs ended by SIGPIPE print none either.
        if (lost.code() != ExitCode.OUTPUT_UNREAD) {
            lost.tell(streams);
        }
        return lost.code().number();
    }

    static CommandLine commandLine(Streams streams, AgentChoice agent, List<String> args) {
        CommandLine line = new Subcommands()
                .add("chat", () -> named(new ChatCommand(streams, agent), agent))
                .add("prompt", () -> new PromptCommand(streams, agent))
                .add("sessions", () -> new SessionsCommand(streams, agent))
                .add("models", () -> named(new ModelsCommand(streams, agent), agent))
                .add("login", () -> new LoginCommand(streams, agent))
                .add("logout", () -> new LogoutCommand(streams, agent))
                .add("doctor", () -> new DoctorCommand(streams, agent))
                .add("agent", () -> new AgentCommand(streams))
                .add(
                        "trace",
                        () -> named(new TraceCommand(streams, agent), agent)
                                .addSubcommand(new ShowCommand(streams, agent)))
                .add("connect", () -> new ConnectCommand(streams))
                .add("serve", () -> named(new ServeCommand(streams, agent), agent))
                .add("translate", () -> named(new TranslateCommand(streams, agent), agent))
                .add(
                        "conduct",
                        () -> named(new ConductCommand(streams, agent), agent)
                                .addSubcommand(new StatusCommand(streams))
                                .addSubcommand(new TrustCommand(streams)))
                .add(
                        "proxy",
                        () -> new CommandLine(new ProxyCommand(streams)).addSubcommand(new TrustFilesCommand(streams)))
                .add("agents", () -> AgentsCommand.create(streams, agent, args))
                .add("run", () -> new RunCommand(streams, agent))
                .add("install-into", () -> new InstallCommand(streams, agent))
                .add("uninstall-from", () -> new UninstallCommand(streams))
                .add("test-agent", () -> new TestAgentCommand(streams))
                .below(new CommandLine(new RootCommand()), args, 0);
        Ansi ansi = streams.outDisplay().colour() ? Ansi.ON : Ansi.OFF;
        int width = streams.outDisplay().width();
        line.setColorScheme(CommandLine.Help.defaultColorScheme(ansi))
                .setUsageHelpWidth(width == 0 ? 100 : Math.clamp(width, NARROWEST_HELP, WIDEST_HELP))
                .setUsageHelpAutoWidth(false)
                .setUsageHelpLongOptionsMaxWidth(28)
                .setAbbreviatedSubcommandsAllowed(false)
                .setOut(streams.out().writer())
                .setErr(streams.err().writer())
                .setParameterExceptionHandler(CommandLines::misused)
                .setExecutionExceptionHandler((e, command, result) -> failed(e, streams));
        return line;
    }

    /** Returns a command in which a plain word is the name of the agent. */
    private static CommandLine named(Object command, AgentChoice agent) {
        CommandLine line = new CommandLine(command);
        return line.addMixin("name", new AgentWord(agent, line.getCommandSpec()));
    }

    /** Reports an invalid command line in one line, followed by a line that refers to the help. */
    private static int misused(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("acp: " + SafeText.line(message(e)));
        err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return ExitCode.USAGE.number();
    }

    private static int failed(Exception e, Streams streams) {
        Failure failure = Failure.of(e);
        failure.tell(streams);
        return failure.code().number();
    }

    private static String message(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()) {
            String argument = unmatched.getUnmatched().get(0);
            return switch (e.getCommandLine().getCommandName()) {
                case "acp" ->
                    "there is no command '" + argument + "'; the commands are " + names(e.getCommandLine()) + "."
                            + NearestName.suggestion(
                                    argument,
                                    e.getCommandLine().getSubcommands().keySet());
                case "login", "logout", "sessions" ->
                    "unexpected argument '" + argument
                            + "'; the command of an agent goes after --, its name after --agent";
                case "chat", "conduct", "doctor", "install-into", "models", "serve", "trace", "translate" ->
                    "unexpected argument '" + argument + "'; the command of an agent goes after --";
                default -> "unexpected argument '" + argument + "'";
            };
        }
        return lowerFirst(String.valueOf(e.getMessage()));
    }

    /** Returns the names of the commands, formatted for a sentence. */
    static String names(CommandLine line) {
        List<String> names = List.copyOf(line.getSubcommands().keySet());
        return String.join(", ", names.subList(0, names.size() - 1)) + " and " + names.getLast();
    }

    private static String lowerFirst(String text) {
        return text.isEmpty() ? text : Character.toLowerCase(text.charAt(0)) + text.substring(1);
    }
}
