package dev.acp4j.process;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a process ended.
 *
 * @param code its exit code. On Unix a process ended by a signal shows as 128 plus the number of the signal, as in a
 *     shell; a process may also choose such a code by itself.
 */
public record ExitStatus(int code) {
    private static final int FIRST_SIGNAL = 128;

    /** Returns whether the process says that all went well. */
    public boolean isSuccess() {
        return code == 0;
    }

    /** Returns the name of the signal that the code stands for, such as {@code SIGKILL}. */
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
