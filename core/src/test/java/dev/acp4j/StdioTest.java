package dev.acp4j;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.process.ExitStatus;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.process.TestPrograms;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
class StdioTest {
    /** Sends back what it reads, with stray prints in between. */
    static final class Echo {
        private Echo() {}

        public static void main(String[] arguments) throws Exception {
            System.out.print("");
            Transport transport = Stdio.system();
            System.out.println("stray print");
            System.err.println("read from System.in: " + System.in.read());
            try {
                Stdio.system();
            } catch (IllegalStateException e) {
                System.err.println(e.getMessage());
            }
            @Nullable Message message = transport.reader().read();
            while (message != null) {
                System.out.println("another one");
                transport.writer().write(message);
                transport.writer().flush();
                message = transport.reader().read();
            }
            transport.close();
        }
    }

    /** Answers three messages and closes while the fourth is waited for and another one is being written. */
    static final class Closing {
        private Closing() {}

        public static void main(String[] arguments) throws Exception {
            Transport transport = Stdio.system();
            for (int i = 0; i < 3; i++) {
                Message message = transport.reader().read();
                if (message == null) {
                    throw new IllegalStateException("the end came early");
                }
                transport.writer().write(message);
                transport.writer().flush();
            }
            CountDownLatch started = new CountDownLatch(2);
            Thread reader = start(() -> {
                started.countDown();
                System.err.println("read: " + transport.reader().read());
            });
            Thread writer = start(() -> {
                started.countDown();
                transport.writer().write(Message.parse(RawJson.string("x".repeat(1_000_000))));
            });
            started.await();
            transport.close();
            reader.join();
            writer.join();
            System.err.println("closed");
        }

        /** Something that may fail. */
        interface Task {
            void run() throws Exception;
        }

        private static Thread start(Task task) {
            return Thread.ofPlatform().start(() -> {
                try {
                    task.run();
                } catch (IOException e) {
                    System.err.println("failed: " + e.getClass().getSimpleName());
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        }
    }

    @Test
    @Tag("FRM-28")
    void strayPrintsGoToStandardErrorAndOnlyMessagesToStandardOutput() throws Exception {
        LaunchedProcess agent = TestPrograms.launch(Echo.class).start();
        Transport transport = agent.transport();

        for (int i = 0; i < 10; i++) {
            transport.writer().write(Message.parse(RawJson.string("message €" + i)));
            transport.writer().flush();
            assertThat(transport.reader().read()).hasToString("\"message €" + i + "\"");
        }
        transport.writer().close();
        assertThat(transport.reader().read()).isNull();
        agent.close();

        assertThat(agent.exit()).contains(new ExitStatus(0));
        assertThat(agent.stderr())
                .startsWith("stray print\nread from System.in: -1\nstandard input and output are taken already: ")
                .contains("another one\nanother one\n");
    }

    @Test
    @Tag("CLS-28")
    void theLastLineAndTheEndOfAFileAreReadToo(@TempDir Path directory) throws Exception {
        Path input = Files.writeString(directory.resolve("in"), "1\n2");
        Path output = directory.resolve("out");
        ProcessBuilder builder = new ProcessBuilder();
        Launch launch = TestPrograms.launch(Echo.class);
        builder.command().add(launch.command());
        builder.command().addAll(launch.arguments());
        Process process = builder.redirectInput(input.toFile())
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();

        assertThat(process.waitFor()).isZero();

        try (InputStream in = Files.newInputStream(output)) {
            assertThat(new String(in.readAllBytes(), UTF_8)).isEqualTo("1\n2\n");
        }
    }

    @Test
    @Tag("FRM-30")
    void closingEndsABlockedReadAndABlockedWrite() throws Exception {
        LaunchedProcess agent = TestPrograms.launch(Closing.class).start();
        for (int i = 0; i < 3; i++) {
            agent.transport().writer().write(Message.parse(RawJson.number(i)));
            agent.transport().writer().flush();
            agent.transport().reader().read();
        }

        // Not reading on is what blocks the other side's write.
        assertThat(ProcessHandle.of(agent.pid()).orElseThrow().onExit().get()).isNotNull();

        assertThat(agent.stderr()).contains("read: null\n", "failed: ").endsWith("closed\n");
        agent.close();
    }

    @Test
    @Tag("FRM-13")
    void theLimitMustBePositive() {
        assertThatThrownBy(() -> Stdio.system(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
