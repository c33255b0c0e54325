package dev.acp4j.process;

import java.util.List;
import java.util.function.Predicate;

/**
 * The likely cause of a failure and the next step, derived from facts alone: how the process ended, which streams it
 * closed, what else it wrote. Messages of agents, runtimes and package managers are not interpreted.
 *
 * @param cause the likely cause, as a sentence
 * @param nextStep what to do, as a sentence
 */
record FailureCause(String cause, String nextStep) {
    /** One row of the table: a condition and its cause. */
    private record Row(Predicate<FailureReport> when, String cause, String nextStep) {}

    /** The first row that applies wins, so more certain causes come first. */
    private static final List<Row> TABLE = List.of(
            new Row(
                    report -> !report.withheld().isEmpty(),
                    "The agent asks for {withheld}, which is set here but is not passed on to agents.",
                    "Pass it on: Launch.inherit(\"{withheld}\")."),
            new Row(
                    exit(127),
                    "A program that the agent's launcher starts was not found.",
                    "Install the program named in its last lines, or add its directory to the PATH of the agent."),
            new Row(
                    exit(126),
                    "A program that the agent's launcher starts cannot be executed.",
                    "Check its permissions (chmod +x) and that it was built for this machine."),
            new Row(
                    problem(FailureReport.SILENCED),
                    "The agent closed its standard output, perhaps because of a start script or a partial crash.",
                    "Run the command in a terminal, and check the agent's log."),
            new Row(
                    problem(FailureReport.DEAFENED),
                    "The agent closed its standard input, perhaps because of a start script or a partial crash.",
                    "Run the command in a terminal, and check the agent's log."),
            new Row(
                    exit(137),
                    "The agent was killed from outside, most likely by the system because it was out of memory.",
                    "Search the system's log for \"oom\", and check the memory limit of the container."),
            new Row(
                    exit(143, 130, 129, -1073741510),
                    "The agent was ended from outside.",
                    "Find out whether a person or program stopped it; if not, start it again."),
            new Row(
                    exit(132, -1073741795),
                    "The agent was built for another processor.",
                    "Install the build for this machine."),
            new Row(
                    exit(-1073741515),
                    "A library that the agent needs is missing.",
                    "Reinstall the agent and its runtime."),
            new Row(
                    exit(134, 135, 136, 139, -1073741819, -1073740791),
                    "The agent crashed.",
                    "Update it, and report the crash to its authors."),
            new Row(
                    report -> report.stderr().isBlank() && hasBrokenMessage(report.noise()),
                    "The agent wrote a truncated or malformed message: it is not valid JSON, or not valid UTF-8.",
                    "Report it to the agent's authors, with the line that it wrote."),
            new Row(
                    report -> !report.noise().isEmpty() && !report.hasAnswered(),
                    "The command is not an agent, or not in ACP mode: its output is not ACP but \"{noise}\".",
                    "Check the argument that turns on ACP (often --acp or acp), and that no start file prints text."),
            new Row(
                    report -> report.exit() == null && !report.hasAnswered(),
                    "The command is running but has never responded: it is not an agent, not in ACP mode,"
                            + " or waits for something.",
                    "Run it in a terminal to see whether it asks for a login, an update or the network."),
            new Row(
                    report -> exit(0).test(report) && !report.hasAnswered(),
                    "The command ended normally without a response: it is not an agent, or not in ACP mode.",
                    "Check the argument that turns on ACP (often --acp or acp)."),
            new Row(
                    report -> report.exit() == null,
                    "The agent is running but no longer responds.",
                    "Start it again; if that does not help, check its log."),
            new Row(exit(0), "The agent ended by itself.", "Start it again; if it ends again, check its log."),
            new Row(
                    report -> !report.stderr().isBlank(),
                    "The agent ended with an error; its last line was \"{stderr}\".",
                    "See its last lines, and its log."),
            new Row(
                    report -> true,
                    "The agent ended with an error and gave no reason.",
                    "Run the command in a terminal, and check the agent's log."));

    static FailureCause of(FailureReport report) {
        if (report.isFailedStart()) {
            return ofStart(report.problemSentences());
        }
        for (Row row : TABLE) {
            if (row.when.test(report)) {
                return new FailureCause(fill(row.cause, report), fill(row.nextStep, report));
            }
        }
        throw new AssertionError("the last row always applies");
    }

    /** The reason for a failed start is known and given in sentences: the reason, details, the next step. */
    private static FailureCause ofStart(List<String> sentences) {
        int last = sentences.size() - 1;
        return new FailureCause(
                last > 1 ? String.join(" ", sentences.subList(1, last)) : "The program could not be started.",
                last > 0 ? sentences.get(last) : "Check the command, or give the full path of the program.");
    }

    private static boolean hasBrokenMessage(List<String> noise) {
        for (String line : noise) {
            if (line.startsWith("{\"jsonrpc\"")) {
                return true;
            }
        }
        return false;
    }

    private static String fill(String text, FailureReport report) {
        if (text.indexOf('{') < 0) {
            return text;
        }
        return text.replace("{withheld}", String.join("\", \"", report.withheld()))
                .replace(
                        "{noise}",
                        report.noise().isEmpty()
                                ? ""
                                : FailureReport.clean(report.noise().get(0)))
                .replace("{stderr}", FailureReport.lastLine(report.stderr()));
    }

    /** Tests whether the process ended with one of these codes. */
    private static Predicate<FailureReport> exit(int... codes) {
        return report -> {
            ExitStatus exit = report.exit();
            for (int code : codes) {
                if (exit != null && exit.code() == code) {
                    return true;
                }
            }
            return false;
        };
    }

    private static Predicate<FailureReport> problem(String... beginnings) {
        return report -> {
            String problem = report.problem();
            for (String beginning : beginnings) {
                if (problem != null && problem.startsWith(beginning)) {
                    return true;
                }
            }
            return false;
        };
    }
}
