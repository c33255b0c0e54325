package dev.acp4j.process;

import java.util.List;
import java.util.function.Predicate;

/**
 * What a failure most likely means and what to do about it, from facts alone: how the process ended, which streams it
 * closed, what else it wrote. What agents, runtimes and package managers say in their own words is not read here.
 *
 * @param cause the likely cause, as a sentence
 * @param nextStep what to do, as a sentence
 */
record FailureCause(String cause, String nextStep) {
    /** One line of the table: when this is so, that is the cause. */
    private record Row(Predicate<FailureReport> when, String cause, String nextStep) {}

    /** The first row that applies wins, so what is more certain stands further up. */
    private static final List<Row> TABLE = List.of(
            new Row(
                    report -> !report.withheld().isEmpty(),
                    "The agent asks for {withheld}, which is set here but is not handed on to agents.",
                    "Hand it on: Launch.inherit(\"{withheld}\")."),
            new Row(
                    exit(127),
                    "A program that the agent's launcher wants to run was not found.",
                    "Install what its last lines name, or put its directory into the PATH that the agent gets."),
            new Row(
                    exit(126),
                    "A program that the agent's launcher wants to run cannot be executed.",
                    "Check its permissions (chmod +x) and that it was built for this machine."),
            new Row(
                    problem(FailureReport.SILENCED),
                    "The agent closed its standard output, perhaps by a start script or a crash of a part of it.",
                    "Run the command in a terminal, and look for the agent's log."),
            new Row(
                    problem(FailureReport.DEAFENED),
                    "The agent closed its standard input, perhaps by a start script or a crash of a part of it.",
                    "Run the command in a terminal, and look for the agent's log."),
            new Row(
                    exit(137),
                    "The agent was killed from outside, most often by the system for want of memory.",
                    "Look for \"oom\" in the system's log, and at the memory limit of the container."),
            new Row(
                    exit(143, 130, 129, -1073741510),
                    "The agent was ended from outside.",
                    "Find out who stopped it; if nobody did, start it again."),
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
                    "The agent wrote a message that is cut off or broken: it is not valid JSON, or not valid UTF-8.",
                    "Report it to the agent's authors, with the line that it wrote."),
            new Row(
                    report -> !report.noise().isEmpty() && !report.hasAnswered(),
                    "The command is no agent, or not in ACP mode: its output is not ACP but \"{noise}\".",
                    "Check the argument that turns on ACP (often --acp or acp), and that no start file prints text."),
            new Row(
                    report -> report.exit() == null && !report.hasAnswered(),
                    "The command is running but has never answered: it is no agent, not in ACP mode, or waits for something.",
                    "Run it in a terminal to see whether it asks for a login, an update or the network."),
            new Row(
                    report -> exit(0).test(report) && !report.hasAnswered(),
                    "The command ended normally without an answer: it is no agent, or not in ACP mode.",
                    "Check the argument that turns on ACP (often --acp or acp)."),
            new Row(
                    report -> report.exit() == null,
                    "The agent is running but does not answer any more.",
                    "Start it again; if that does not help, look for its log."),
            new Row(exit(0), "The agent ended by itself.", "Start it again; if it ends again, look for its log."),
            new Row(
                    report -> !report.stderr().isBlank(),
                    "The agent ended with an error; it last said \"{stderr}\".",
                    "See its last lines, and its log."),
            new Row(
                    report -> true,
                    "The agent ended with an error and did not say why.",
                    "Run the command in a terminal, and look for the agent's log."));

    static FailureCause of(FailureReport report) {
        if (report.isFailedStart()) {
            return ofStart(report.problemSentences());
        }
        for (Row row : TABLE) {
            if (row.when.test(report)) {
                return new FailureCause(fill(row.cause, report), fill(row.nextStep, report));
            }
        }
        throw new AssertionError("the last row applies always");
    }

    /** What kept an agent from starting is known, and told in sentences: what it was, more about it, what to do. */
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

    /** The process ended with one of these codes. */
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
