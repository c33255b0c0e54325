package dev.acp4j.cli.conduct;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.process.Launch;
import dev.acp4j.tap.Poll;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A chain whose log is on a disk of 64 KiB, which exists for its processes only. */
@Timeout(120)
class FullDiskTest {
    private static final String MOUNT = "mount -t tmpfs -o size=64k acp4j \"$0\" && ";

    @TempDir
    private Path folder;

    private final LinkedBlockingQueue<String> said = new LinkedBlockingQueue<>();

    private static List<String> unshared(String script, Path disk) {
        return List.of("unshare", "--map-root-user", "--mount", "sh", "-c", MOUNT + script, disk.toString());
    }

    private static boolean canMount(Path disk) throws Exception {
        return new ProcessBuilder(unshared("true", disk))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    private Launch launch(Path disk) {
        List<String> command =
                new ArrayList<>(unshared("echo $$ >'" + folder.resolve("pid") + "' && exec \"$@\"", disk));
        command.addAll(AcpRun.java(Acp.class));
        command.addAll(List.of("conduct", "-p", "log:file='" + disk.resolve("log") + "'", "--"));
        command.addAll(AcpRun.java(ConductedProgram.class));
        command.add("echo");
        return Launch.of(command.getFirst(), command.subList(1, command.size())).onStderr(said::add);
    }

    @Test
    @Tag("RMP-18")
    void aDiskThatIsFullForAWhileCostsLinesWhichAreCounted() throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        Assumptions.assumeTrue(canMount(disk), "no file system can be mounted for a process alone");
        String written;
        try (ConnectedAgent agent = Client.builder("test", "1").connect(launch(disk))) {
            Session session = agent.newSession(folder);
            assertThat(session.prompt("One.").text()).isEqualTo("One.");
            // The disk as its processes see it.
            Path seen = Path.of("/proc", Files.readString(folder.resolve("pid")).strip(), "root", disk.toString());
            fill(seen.resolve("full"));
            assertThat(session.prompt("Two. " + "x".repeat(8192)).text()).startsWith("Two.");
            String line = said.take();
            while (!line.contains("cannot be written")) {
                line = said.take();
            }
            Files.delete(seen.resolve("full"));
            assertThat(session.prompt("Three.").text()).isEqualTo("Three.");
            assertThat(Poll.until(() -> text(seen).contains("\"text\":\"Three.\"")))
                    .isTrue();
            written = text(seen);
        }

        // The answer may have been written when there was room again, and the count before.
        int lost = Pattern.compile("\"lost\":(\\d+)")
                .matcher(written)
                .results()
                .mapToInt(count -> Integer.parseInt(count.group(1)))
                .sum();
        assertThat(written)
                .containsSubsequence("\"text\":\"One.\"", "\"lost\":", "\"text\":\"Three.\"")
                .doesNotContain("\"prompt\":[{\"type\":\"text\",\"text\":\"Two.");
        assertThat(lost + written.lines().filter(line -> line.contains("Two.")).count())
                .isEqualTo(2);
        assertThat(said).noneMatch(line -> line.contains("cannot be written"));
    }

    private static String text(Path disk) {
        try {
            return Files.readString(disk.resolve("log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Writes until there is no room for another block. */
    private static void fill(Path file) throws IOException {
        byte[] block = new byte[4096];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < 1000; i++) {
                out.write(block);
            }
            throw new AssertionError("the disk does not become full");
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
    }
}
