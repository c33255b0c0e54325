package dev.acp4j.cli.serve;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.tap.Poll;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What a server leaves behind that has no moment to clean up. */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
class KilledServerTest {
    private static final int PROCESSES = 5;

    @TempDir
    private Path folder;

    /** A wrapper, the agent, its helper, what that has started, and an orphan in a session of its own. */
    private String wrapper() throws Exception {
        Path pids = folder.resolve("pids");
        Path script = folder.resolve("tree");
        Files.writeString(script, """
                note() { echo $$ >>%1$s; }
                case $1 in
                  wrapper) note; sh %2$s agent; exit ;;
                  agent) note; sh %2$s helper & (setsid sh %2$s sleeps &) ; wait ;;
                  helper) note; sh %2$s sleeps & wait ;;
                  sleeps) note; trap '' HUP; exec sleep 1000 ;;
                esac
                """.formatted(pids, script));
        return script.toString();
    }

    private List<ProcessHandle> tree() throws Exception {
        List<ProcessHandle> processes = new ArrayList<>();
        for (String pid : Files.readAllLines(folder.resolve("pids"))) {
            ProcessHandle.of(Long.parseLong(pid)).ifPresent(processes::add);
        }
        return processes;
    }

    private boolean isComplete() {
        try {
            return tree().size() == PROCESSES;
        } catch (Exception e) {
            return false; // There is no file yet.
        }
    }

    @Test
    @Tag("HST-06")
    void theWholeTreeOfAnAgentEndsWithinFiveSecondsOfAServerThatIsKilled() throws Exception {
        Process server = acp("serve", "--port", "0", "--prestart", "1")
                .env("XDG_STATE_HOME", folder.resolve("state").toString())
                .agent("sh", wrapper(), "wrapper")
                .redirected("2>" + folder.resolve("log"))
                .start();
        assertThat(Poll.until(this::isComplete)).isTrue();
        List<ProcessHandle> tree = tree();
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);

        server.destroyForcibly();

        for (ProcessHandle each : tree) {
            ProcessHandle ended = each.onExit().get(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            assertThat(ended.isAlive()).isFalse();
        }
    }
}
