package dev.acp4j.process;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The exit status of a process.
 *
 * @param code the exit code. On Unix, 128 plus the number of the signal if a signal ended the process, as in a shell; a
 *     process can also exit with such a code by itself
 */
public record ExitStatus(int code) {
    private static final int FIRST_SIGNAL = 128;

    /** Returns whether the exit code reports success. */
    public boolean isSuccess() {
        return code == 0;
    }

    /** Returns the name of the signal for the code, such as {@code SIGKILL}. */
    public Optional<String> signal() {
        return Optional.ofNullable(signalName(code - FIRST_SIGNAL));
    }

    private static @Nullable String signalName(int number) {
        return switch (number) {
            case 1 -> "SIGHUP";
            case 2 -> "SIGINT";
            case 3 -> "SIGQUIT";
            case 4 -> "SIGILL";
            case 6 -> "SIGABRT";
            case 7 -> "SIGBUS";
            case 8 -> "SIGFPE";
            case 9 -> "SIGKILL";
            case 11 -> "SIGSEGV";
            case 13 -> "SIGPIPE";
            case 14 -> "SIGALRM";
            case 15 -> "SIGTERM";
            case 24 -> "SIGXCPU";
            case 25 -> "SIGXFSZ";
            case 31 -> "SIGSYS";
            default -> null;
        };
    }

    /** Returns for example {@code exit code 1} or {@code exit code 137 (SIGKILL)}. */
    @Override
    public String toString() {
        String signal = signalName(code - FIRST_SIGNAL);
        return "exit code " + code + (signal == null ? "" : " (" + signal + ")");
    }
}
