package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LeaksTest {
    @Test
    @Tag("TST-07")
    @EnabledOnOs(OS.LINUX)
    void threadsProcessesSocketsAndFilesThatStayAreFound(@TempDir Path folder) throws Exception {
        Path file = Files.createFile(folder.resolve("left-open.txt"));
        CountDownLatch end = new CountDownLatch(1);
        Leaks leaks = Leaks.watch();
        Thread thread = Thread.ofPlatform().name("left-running").start(() -> await(end));
        Process process = new ProcessBuilder("sleep", "1000").start();

        List<String> found;
        try (InputStream reading = Files.newInputStream(file);
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(socket.isBound() && reading.available() == 0).isTrue();
            found = leaks.found();
        }

        assertThat(found)
                .anyMatch(leak -> leak.equals("a thread: left-running"))
                .anyMatch(leak -> leak.matches("a process: " + process.pid() + " .*sleep 1000"))
                .anyMatch(leak -> leak.startsWith("an open file: socket:"))
                .anyMatch(leak -> leak.startsWith("an open file: pipe:"))
                .anyMatch(leak -> leak.startsWith("an open file: ") && leak.contains("left-open.txt"));

        end.countDown();
        process.destroyForcibly();
        process.waitFor();
        process.getInputStream().close();
        process.getErrorStream().close();
        process.getOutputStream().close();
        thread.join();
        assertThat(leaks.found()).isEmpty();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
