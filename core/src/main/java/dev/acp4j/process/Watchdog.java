package dev.acp4j.process;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Ends the commands of this program when it is killed, so that no {@link ExitHook} runs: a shell that reads from a
 * pipe, of which only this program has the writing end. When the pipe ends, the shell terminates, then kills all
 * processes whose environment has the mark of this program. One serves all commands; it starts with the first. Linux
 * only: elsewhere nothing shows the environments.
 *
 * <p>The shell exists before the first command does, and reads from then on, so there is no moment in which a command
 * would outlive this program. Nothing is waited for but that start, which takes about as long as that of any program;
 * what the shell does afterwards goes on beside the command. A command that is just being started when this program is
 * killed has the mark a moment later, so the shell looks several times.
 *
 * <p>The shell is no child of this program, which therefore has no children once its commands have ended: its parent
 * ends. {@link Process} then closes its end of the pipe, so this program opens another one before.
 *
 * <p>The shell ignores the signals of a terminal. The lock is held while it starts.
 */
final class Watchdog {
    /** The parameter: the mark. */
    private static final String SCRIPT = """
            trap '' HUP INT QUIT TERM TSTP
            exec 3<&0
            read -r opened
            {
              ! read -r over || exit
              for signal in TERM KILL KILL KILL; do
                for process in $(grep -Fls -e "$1" /proc/[0-9]*/environ); do
                  process=${process#/proc/}
                  kill -s "$signal" "${process%/environ}"
                done
                sleep 1
              done
            } <&3 3<&- &
            """;

    private static final String SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin";

    private static final ReentrantLock LOCK = new ReentrantLock();

    private static boolean begun;

    private static volatile @Nullable RandomAccessFile alive;

    private Watchdog() {}

    /**
     * Starts the shell unless that was done before. Without one the commands start all the same: this is for a program
     * that is killed, and a machine without a shell has no commands that need it.
     *
     * @param mark the beginning of the marks of all commands of this program
     */
    static void watch(String mark) {
        if (!LinuxProcesses.AVAILABLE) {
            return;
        }
        LOCK.lock();
        try {
            if (!begun) {
                begun = true;
                alive = start(mark);
            }
        } catch (IOException e) {
            System.getLogger(Watchdog.class.getName())
                    .log(System.Logger.Level.DEBUG, "commands would outlive this program if it were killed", e);
        } finally {
            LOCK.unlock();
        }
    }

    private static RandomAccessFile start(String mark) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", SCRIPT, "acp4j-watchdog", mark);
        builder.directory(new File("/"))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.put("PATH", SEARCH_PATH);
        Process process = ProcessTree.startAlone(builder);
        try {
            RandomAccessFile pipe = new RandomAccessFile("/proc/" + process.pid() + "/fd/0", "rw");
            OutputStream opened = process.getOutputStream();
            opened.write('\n');
            opened.flush();
            return pipe;
        } catch (IOException e) {
            // Before the end of its pipe, which would have it end the commands.
            process.destroyForcibly();
            throw e;
        }
    }

    /** All commands have ended, and no more can start: the shell has nothing to do. */
    static void dismiss() {
        RandomAccessFile pipe = alive;
        if (pipe != null) {
            try {
                pipe.write('\n');
            } catch (IOException e) {
                // The shell has been killed.
            }
        }
    }
}
