package dev.acp4j.process;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Ends the commands of this program when it is killed, so that no {@link ExitHook} runs: a shell that reads from a
 * named pipe, of which only this program has the writing end. When the pipe ends, the shell terminates, then kills all
 * processes whose environment has the mark of this program. One serves all commands; it starts with the first. Linux
 * only: elsewhere nothing shows the environments.
 *
 * <p>The shell is no child of this program, which therefore has no children once its commands have ended; so it cannot
 * read from a pipe of {@link Process}, which is closed when the child ends. It ignores the signals of a terminal.
 *
 * <p>The lock is held while the shell starts.
 */
final class Watchdog {
    /** The parameters: the folder of the named pipe, and the mark. */
    private static final String SCRIPT = """
            trap '' HUP INT QUIT TERM TSTP
            mkfifo "$1/alive" && exec 3<>"$1/alive" && echo && read -r opened && exec 4<"$1/alive" 3<&- || exit 1
            rm -r "$1"
            {
              ! read -r over || exit
              for signal in TERM KILL KILL KILL; do
                left=$(grep -Fls -e "$2" /proc/[0-9]*/environ)
                [ -n "$left" ] || exit
                for process in $left; do
                  process=${process#/proc/}
                  kill -s "$signal" "${process%/environ}"
                done
                sleep 1
              done
            } <&4 >/dev/null 2>&1 4<&- &
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
        Path folder = Files.createTempDirectory("acp4j-");
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", SCRIPT, "acp4j-watchdog", folder.toString(), mark);
        builder.directory(new File("/")).redirectError(ProcessBuilder.Redirect.DISCARD);
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.put("PATH", SEARCH_PATH);
        try {
            Process process = ProcessTree.startAlone(builder);
            try (OutputStream go = process.getOutputStream()) {
                if (process.getInputStream().read() < 0) {
                    throw new IOException("no named pipe in " + folder);
                }
                // Reading, too: to open a named pipe for writing only waits for its reader.
                RandomAccessFile pipe =
                        new RandomAccessFile(folder.resolve("alive").toFile(), "rw");
                go.write('\n');
                return pipe;
            }
        } catch (IOException e) {
            Files.deleteIfExists(folder.resolve("alive"));
            Files.deleteIfExists(folder);
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
