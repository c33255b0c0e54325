package dev.acp4j.cli.command;

/** The exit codes of the process. The numbers are documented and stable. */
public enum ExitCode {
    /** The agent ended its turn, or the user quit the chat. */
    END_OF_TURN(0, "the agent ended its turn"),
    /** The agent could not be started, died, did not respond, or responded with an error. */
    AGENT_FAILED(1, "the agent could not be started, died, did not respond, or responded with an error"),
    /** The command line is wrong, or names a missing file or folder. */
    USAGE(2, "wrong command line, or a missing file or folder"),
    /** The agent refused to continue. */
    REFUSED(3, "the agent refused to continue"),
    /** The agent stopped at its limit of tokens or of model requests. */
    LIMIT_REACHED(4, "the agent reached its limit of tokens or of model requests"),
    /** The agent asked for a permission in an unattended run. */
    PERMISSION_REFUSED(5, "the agent asked for a permission, but the run was unattended"),
    /** Standard output could not be written: a full disk, or no standard output at all. */
    OUTPUT_LOST(6, "standard output could not be written"),
    /** {@code acp doctor} found problems, or some messages of a turn could not be read. */
    PROBLEMS_FOUND(7, "problems were found"),
    /** The agent does not offer what the command line asks for. */
    NOT_OFFERED(8, "the agent does not offer what the command line asks for"),
    /** The server of a remote agent refused the credential, or the right to do this. */
    NOT_ALLOWED(9, "the server refused the credential"),
    /** The connection to a remote agent was lost, and could not be made again. */
    LOST(10, "the connection to the agent was lost for good"),
    /** The run exceeded {@code --timeout}. */
    TIMED_OUT(124, "the run exceeded --timeout"),
    /**
     * The run was ended by SIGHUP, such as when its terminal was closed; the code of a process that this signal ends.
     */
    HUNG_UP(129, "ended by SIGHUP"),
    /** The turn was cancelled, by Ctrl-C or by the agent. */
    CANCELLED(130, "the turn was cancelled"),
    /** Standard output was closed by its reader; the code of a process ended by SIGPIPE. */
    OUTPUT_UNREAD(141, "standard output was closed by its reader"),
    /** The run was ended by SIGTERM; the code of a process that this signal ends. */
    TERMINATED(143, "ended by SIGTERM");

    private final int number;
    private final String meaning;

    ExitCode(int number, String meaning) {
        this.number = number;
        this.meaning = meaning;
    }

    public int number() {
        return number;
    }

    public String meaning() {
        return meaning;
    }
}
