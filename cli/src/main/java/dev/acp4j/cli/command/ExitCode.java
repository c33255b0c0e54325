package dev.acp4j.cli.command;

/** What the process tells its caller. The numbers are documented and do not change. */
public enum ExitCode {
    /** The agent ended its turn; a chat was left. */
    END_OF_TURN(0, "the agent ended its turn"),
    /** The agent could not be started, died, did not answer, or answered with an error. */
    AGENT_FAILED(1, "the agent could not be started, died, did not answer, or answered with an error"),
    /** The command line is wrong, or names a file or folder that is not there. */
    USAGE(2, "wrong command line, or a file or folder that is not there"),
    /** The agent refused to go on. */
    REFUSED(3, "the agent refused to go on"),
    /** The agent stopped at its limit of tokens or of model requests. */
    LIMIT_REACHED(4, "the agent reached its limit of tokens or of model requests"),
    /** The agent asked for a permission, and nobody was there to give it. */
    PERMISSION_REFUSED(5, "the agent asked for a permission that nobody was there to give"),
    /** Standard output could not be written: a full disk, or no standard output at all. */
    OUTPUT_LOST(6, "standard output could not be written"),
    /** {@code acp doctor} found that the agent is ill. */
    PROBLEMS_FOUND(7, "problems were found"),
    /** The time given by {@code --timeout} is over. */
    TIMED_OUT(124, "the time of --timeout was over"),
    /** The turn was cancelled, by Ctrl-C or by the agent. */
    CANCELLED(130, "the turn was cancelled"),
    /** Nobody reads standard output any more; the code of a process that SIGPIPE has ended. */
    OUTPUT_UNREAD(141, "nobody read standard output any more");

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
