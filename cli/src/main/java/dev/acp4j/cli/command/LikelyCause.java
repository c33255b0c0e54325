package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.process.ExitStatus;
import dev.acp4j.process.FailureReport;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The likely cause of a failure of an agent and the next step: those of the report, or more specific ones if the agent
 * printed a known message of runtimes, package managers or agents.
 *
 * @param cause the likely cause, as a sentence
 * @param nextStep what to do, as a sentence
 */
public record LikelyCause(String cause, String nextStep) {
    private static final int TEXT_READ = 16 * 1024;
    private static final int NOT_EXECUTABLE = 126;
    private static final int NOT_FOUND = 127;

    /** A cause and the phrases that indicate it. Phrases are in lower case; the case of the output is ignored. */
    private record Row(List<String> phrases, String cause, String nextStep) {
        boolean applies(String said) {
            for (String phrase : phrases) {
                if (said.contains(phrase)) {
                    return true;
                }
            }
            return false;
        }

        LikelyCause toCause() {
            return new LikelyCause(cause, nextStep);
        }
    }

    /** The first row that applies wins, so more certain causes come first. */
    private static final List<Row> TABLE = List.of(
            new Row(
                    List.of(
                            "heap out of memory",
                            "outofmemoryerror",
                            "cannot allocate memory",
                            "memoryerror",
                            "out of memory"),
                    "The agent ran out of memory.",
                    "Give it more memory (for Node.js: NODE_OPTIONS=--max-old-space-size=8192) or a smaller task."),
            new Row(
                    List.of("enospc", "no space left on device"),
                    "The disk is full.",
                    "Free space on the disk of the agent's home and temporary directories."),
            new Row(
                    List.of(
                            "unsupported engine",
                            "ebadengine",
                            "requires node",
                            "node.js version",
                            "unsupportedclassversionerror",
                            "requires python",
                            "glibc_"),
                    "The agent needs another version of its runtime than the one installed.",
                    "Update Node.js, Java, Python or the system according to its last lines."),
            new Row(
                    List.of(
                            "could not find or load main class",
                            "classnotfoundexception",
                            "noclassdeffounderror",
                            "unable to access jarfile",
                            "java.lang.module.findexception"),
                    "The Java class path of the agent is wrong: a class, a jar or a module is missing.",
                    "Check -cp, -p and -jar in the command of the agent, and that the agent was built."),
            new Row(
                    List.of(
                            "cannot find module",
                            "err_module_not_found",
                            "modulenotfounderror",
                            "no module named",
                            "error while loading shared libraries",
                            "enotempty"),
                    "The agent's installation is incomplete or broken.",
                    "Reinstall the agent; with npx, remove the folder _npx of the npm cache first."),
            new Row(
                    List.of(
                            "e404",
                            "404 not found - get",
                            "no matching version found",
                            "no solution found when resolving"),
                    "The package of the agent does not exist under this name or version.",
                    "Check its name and version."),
            new Row(
                    List.of(
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
                    List.of(
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
                    List.of("quota", "rate limit", "too many requests", "insufficient credit", "credit balance"),
                    "The account of the agent's model has reached a limit.",
                    "Wait, or check the plan and the credit of the account."),
            new Row(
                    List.of("is not recognized as an internal or external command", ": command not found"),
                    "A program that the agent's launcher starts was not found.",
                    "Install the program named in its last lines, or add its directory to the PATH of the agent."));

    /** Causes for which an exit code of the shell is more specific. */
    private static final List<Row> LESS_CERTAIN = List.of(
            new Row(
                    List.of("eacces", "permission denied", "eperm", "operation not permitted", "read-only file system"),
                    "The agent was not allowed to do something it needs.",
                    "Check the permissions of the files named in its last lines."),
            new Row(
                    List.of(
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
                    List.of("eaddrinuse", "address already in use"),
                    "A port that the agent needs is already in use.",
                    "End the other program, perhaps an older one of the same agent."));

    public static LikelyCause of(FailureReport report) {
        LikelyCause own = new LikelyCause(SafeText.line(report.likelyCause()), SafeText.line(report.nextStep()));
        if (!report.withheld().isEmpty()) {
            return new LikelyCause(own.cause, "Pass it on: " + Failure.passOn(report.withheld()));
        }
        if (report.isFailedStart()) {
            return own;
        }
        String said = said(report);
        LikelyCause known = find(TABLE, said);
        if (known == null && !isOfShell(report.exit())) {
            known = find(LESS_CERTAIN, said);
        }
        return known == null ? own : known;
    }

    private static @Nullable LikelyCause find(List<Row> rows, String said) {
        for (Row row : rows) {
            if (row.applies(said)) {
                return row.toCause();
            }
        }
        return null;
    }

    private static boolean isOfShell(@Nullable ExitStatus exit) {
        return exit != null && (exit.code() == NOT_EXECUTABLE || exit.code() == NOT_FOUND);
    }

    /** Returns the output of the agent, on standard error or outside the protocol, in lower case. */
    private static String said(FailureReport report) {
        String stderr = report.stderr();
        String problem = report.problem();
        String all = stderr.substring(Math.max(0, stderr.length() - TEXT_READ))
                + '\n'
                + String.join("\n", report.noise())
                + '\n'
                + (problem == null ? "" : problem);
        return all.toLowerCase(Locale.ROOT);
    }
}
