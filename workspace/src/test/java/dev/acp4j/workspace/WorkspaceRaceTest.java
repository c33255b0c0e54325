package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Somebody inside the root exchanges a folder for a link outside, again and again, while files in it are used. */
@Tag("CBK-15")
@Tag("SEC-05")
@Timeout(120)
@DisabledOnOs(OS.WINDOWS)
class WorkspaceRaceTest {
    private static final int ATTEMPTS = 3_000;
    private static final int EXCHANGES = 100;

    @TempDir
    Path temp;

    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicLong exchanges = new AtomicLong();
    private Path folder;
    private Path outside;
    private Workspace workspace;
    private Thread attacker;

    @BeforeEach
    void attack() throws IOException {
        Path root = Files.createDirectory(temp.resolve("root"));
        folder = Files.createDirectory(root.resolve("folder"));
        Files.writeString(folder.resolve("a.txt"), "inside");
        outside = Files.createDirectory(temp.resolve("outside"));
        Files.writeString(outside.resolve("a.txt"), "secret");
        workspace = Workspace.of(root);
        Path aside = root.resolve("aside");
        attacker = Thread.ofPlatform().start(() -> {
            while (!stop.get()) {
                exchange(aside);
            }
        });
    }

    private void exchange(Path aside) {
        try {
            Files.move(folder, aside);
            Files.createSymbolicLink(folder, outside);
            linger();
            Files.delete(folder);
            Files.move(aside, folder);
            linger();
            exchanges.incrementAndGet();
        } catch (IOException e) {
            // A folder was created at the name in between: the attacker gives up this one.
            deleteTree(folder);
            if (Files.exists(aside, LinkOption.NOFOLLOW_LINKS)) {
                aside.toFile().renameTo(folder.toFile());
            }
        }
    }

    /** Lets each state last about as long as one access, so that accesses fall on the changes. */
    private void linger() {
        for (int i = 0; i < 10; i++) {
            Files.exists(folder.resolve("a.txt"));
        }
    }

    private static void deleteTree(Path path) {
        try (Stream<Path> all = Files.walk(path)) {
            all.sorted((a, b) -> b.compareTo(a)).forEach(one -> one.toFile().delete());
        } catch (IOException | UncheckedIOException e) {
            // The next attempt tries again.
        }
    }

    @AfterEach
    void end() throws InterruptedException {
        stop.set(true);
        attacker.join();
    }

    @Test
    void nothingOutsideIsRead() throws Exception {
        int read = 0;
        for (int i = 0; i < ATTEMPTS || exchanges.get() < EXCHANGES || read == 0; i++) {
            try {
                assertThat(workspace.readText(folder.resolve("a.txt"))).isEqualTo("inside");
                read++;
            } catch (WorkspaceException e) {
                // Refused or not there for the moment: both are right.
            }
        }

        assertThat(exchanges).hasValueGreaterThanOrEqualTo(EXCHANGES);
    }

    @Test
    void nothingOutsideIsWritten() throws Exception {
        int written = 0;
        for (int i = 0; i < ATTEMPTS || exchanges.get() < EXCHANGES || written == 0; i++) {
            try {
                workspace.writeText(folder.resolve("a.txt"), "inside");
                written++;
                workspace.writeText(folder.resolve("new" + i).resolve("deeper").resolve("b.txt"), "inside");
            } catch (WorkspaceException e) {
                // As above.
            }
        }

        try (Stream<Path> all = Files.list(outside)) {
            assertThat(all).containsExactly(outside.resolve("a.txt"));
        }
        assertThat(outside.resolve("a.txt")).hasContent("secret");
    }
}
