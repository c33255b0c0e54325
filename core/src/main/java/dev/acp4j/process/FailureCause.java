package dev.acp4j.process;

import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * What a failure most likely means and what to do about it.
 *
 * @param cause the likely cause, as a sentence
 * @param nextStep what to do, as a sentence
 */
record FailureCause(String cause, String nextStep) {
    private static final int TEXT_READ = 16 * 1024;

    /** One line of the table: when this is so, that is the cause. */
    private record Row(Predicate<FailureReport> when, String cause, String nextStep) {}

    /** The first row that applies wins, so what is more certain stands further up. */
    private static final List<Row> TABLE = List.of(
            new Row(
                    report -> !report.withheld().isEmpty(),
                    "The agent asks for {withheld}, which is set here but is not handed on to agents.",
                    "Hand it on: Launch.inherit(\"{withheld}\")."),
            new Row(
                    says(
                            "heap out of memory",
                            "outofmemoryerror",
                            "cannot allocate memory",
                            "memoryerror",
                            "out of memory"),
                    "The agent ran out of memory.",
                    "Give it more memory (for Node.js: NODE_OPTIONS=--max-old-space-size=8192) or a smaller task."),
            new Row(
                    says("enospc", "no space left on device"),
                    "The disk is full.",
                    "Make room on the disk of the agent's home and temporary directories."),
            new Row(
                    says(
                            "unsupported engine",
                            "ebadengine",
                            "requires node",
                            "node.js version",
                            "unsupportedclassversionerror",
                            "requires python",
                            "glibc_"),
                    "The agent needs another version of its runtime than the one installed.",
                    "Update Node.js, Java, Python or the system as its last lines say."),
            new Row(
                    says(
                            "cannot find module",
                            "err_module_not_found",
                            "modulenotfounderror",
                            "no module named",
                            "could not find or load main class",
                            "noclassdeffounderror",
                            "unable to access jarfile",
                            "error while loading shared libraries",
                            "enotempty"),
                    "The agent's installation is incomplete or broken.",
                    "Reinstall the agent; with npx, remove the folder _npx of the npm cache first."),
            new Row(
                    says(
                            "e404",
                            "404 not found - get",
                            "no matching version found",
                            "no solution found when resolving"),
                    "The package of the agent does not exist under this name or version.",
                    "Check its name and version."),
            new Row(
                    says(
                            "enotfound",
                            "eai_again",
                            "etimedout",
                            "econnrefused",
                            "econnreset",
                            "could not resolve host",
                            "unable to get local issuer certificate",
                            "self-signed certificate"),
                    "The agent could not reach the network.",
                    "Check the connection, HTTPS_PROXY, and for certificates of your own NODE_EXTRA_CA_CERTS."),
            new Row(
                    says(
                            "not logged in",
                            "please log in",
                            "please login",
                            "please sign in",
                            "login required",
                            "authentication required",
                            "not authenticated",
                            "auth_required",
                            "unauthorized",
                            "invalid api key",
                            "api key not",
                            "no api key",
                            "missing api key",
                            "api_key"),
                    "The agent needs a login or an API key.",
                    "Log in with the agent's own command in a terminal, or set its API key."),
            new Row(
                    says("quota", "rate limit", "too many requests", "insufficient credit", "credit balance"),
                    "The account of the agent's model has reached a limit.",
                    "Wait, or check the plan and the credit of the account."),
            new Row(
                    either(
                            exit(127),
                            says("is not recognized as an internal or external command", ": command not found")),
                    "A program that the agent's launcher wants to run was not found.",
                    "Install what its last lines name, or put its directory into the PATH that the agent gets."),
            new Row(
                    exit(126),
                    "A program that the agent's launcher wants to run cannot be executed.",
                    "Check its permissions (chmod +x) and that it was built for this machine."),
            new Row(
                    says("eacces", "permission denied", "eperm", "operation not permitted", "read-only file system"),
                    "The agent was not allowed to do something it needs.",
                    "Check the permissions of what its last lines name."),
            new Row(
                    says(
                            "unknown option",
                            "unknown argument",
                            "unknown command",
                            "unrecognized option",
                            "unrecognized argument",
                            "unexpected argument",
                            "invalid option",
                            "no such option",
                            "usage:"),
                    "The agent does not understand its arguments; this version may have no ACP mode.",
                    "Check the argument that turns on ACP (often --acp or acp), and update the agent."),
            new Row(
                    says("eaddrinuse", "address already in use"),
                    "A port that the agent wants to use is taken.",
                    "End the other program, perhaps an older one of the same agent."),
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

    /** The agent has said one of these, on standard error or beside the protocol. Phrases are in lower case. */
    private static Predicate<FailureReport> says(String... phrases) {
        return report -> {
            String stderr = report.stderr();
            String all = stderr.substring(Math.max(0, stderr.length() - TEXT_READ))
                    + '\n'
                    + String.join("\n", report.noise())
                    + '\n'
                    + (report.problem() == null ? "" : report.problem());
            return containsAny(all, phrases);
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

    private static Predicate<FailureReport> either(Predicate<FailureReport> one, Predicate<FailureReport> other) {
        return one.or(other);
    }

    private static boolean containsAny(String text, String... phrases) {
        String lower = text.toLowerCase(Locale.ROOT);
        for (String phrase : phrases) {
            if (lower.contains(phrase)) {
                return true;
            }
        }
        return false;
    }
}
