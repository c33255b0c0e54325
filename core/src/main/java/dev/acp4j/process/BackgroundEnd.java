package dev.acp4j.process;

import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Ends a process tree while this program exits: a shell of its own waits, terminates and kills, as
 * {@link ProcessTree#end} does. Linux only: elsewhere nothing shows which processes belong to the tree.
 *
 * <p>The shell holds none of this program's streams, so nobody waits for it, and it ignores the signals of a terminal.
 * It has an environment without the mark of the tree, so it does not count as part of it.
 */
final class BackgroundEnd {
    /**
     * The parameters: patience, time for leftovers, and mercy, in hundredths of a second; the mark; the session; then
     * the processes known, the root first, each with its start time, because numbers of processes are used again.
     */
    private static final String SCRIPT = """
            trap '' HUP INT QUIT TERM TSTP
            patience=$1 leftover=$2 mercy=$3 mark=$4 session=$5 root=$6
            shift 5
            known=$*

            stat() {
              read -r line <"/proc/$1/stat" || return 1
              set -- ${line##*) }
              state=$1 its_session=$4
              shift 19
              began=$1
            }
            runs() {
              stat "${1%:*}" && [ "$began" = "${1#*:}" ] && [ "$state" != Z ] && [ "$state" != X ]
            }
            look() {
              left=
              for process in $known; do
                ! runs "$process" || left="$left ${process%:*}"
              done
              [ -z "$left" ] || [ "$1" = all ] || return 0
              for environment in $(grep -Fls -e "$mark" /proc/[0-9]*/environ); do
                process=${environment#/proc/} process=${process%/environ}
                case "$left " in
                  *" $process "*) ;;
                  *) ! stat "$process" || [ "$its_session" != "$session" ] || left="$left $process" ;;
                esac
              done
              [ -n "$left" ]
            }
            now() {
              read -r up idle </proc/uptime
              now=${up%.*}${up#*.}
            }
            gone_within() {
              now
              end=$((now + $1)) rooted=1
              while look known; do
                now
                if [ "$rooted" ] && ! runs "$root"; then
                  rooted=
                  [ "$end" -le "$((now + leftover))" ] || end=$((now + leftover))
                fi
                [ "$now" -lt "$end" ] || return 1
                sleep 0.05 || sleep 1
              done
            }

            gone_within "$patience" && exit
            look all
            kill -s TERM $left
            gone_within "$mercy" && exit
            for try in 1 2 3 4; do
              look all
              kill -s KILL $left
              gone_within 50 && exit
            done
            """;

    private static final Duration LEFTOVER_TIME = Duration.ofSeconds(1);
    private static final String SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin";

    private BackgroundEnd() {}

    /**
     * Starts the shell.
     *
     * @param mark the variable's value that all processes of the tree inherit
     * @param processes the known processes, the root first
     * @return whether it was started
     */
    static boolean start(String mark, List<ProcessHandle> processes, Duration patience, Duration mercy) {
        if (!LinuxProcesses.AVAILABLE) {
            return false;
        }
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "acp4j-end"));
        command.add(hundredths(patience));
        command.add(hundredths(LEFTOVER_TIME));
        command.add(hundredths(mercy));
        command.add(mark);
        command.add(Long.toString(LinuxProcesses.ownSession()));
        for (ProcessHandle process : processes) {
            command.add(process.pid() + ":" + LinuxProcesses.startTime(process.pid()));
        }
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(new File("/"))
                .redirectInput(new File("/dev/null"))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.put("PATH", SEARCH_PATH);
        try {
            Process unused = builder.start();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static String hundredths(Duration time) {
        return Long.toString(time.toMillis() / 10);
    }
}
