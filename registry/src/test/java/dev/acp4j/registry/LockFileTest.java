package dev.acp4j.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The text of lock files, and where they are. */
@Timeout(60)
class LockFileTest {
    @TempDir
    private Path folder;

    private static Pin pin(String id) throws Exception {
        Index index = Index.parse(
                Fixture.index(List.of(
                                Fixture.entryText(id, "1.0.0", "{\"npx\":{\"package\":\"p\",\"args\":[\"--acp\"]}}")))
                        .getBytes(StandardCharsets.UTF_8),
                "https://agents.example/registry.json",
                java.time.Instant.EPOCH);
        AgentEntry entry = index.agents().getFirst();
        return Pin.of(entry, index.origin(), entry.distributions().getFirst());
    }

    private static Pin binary(String... platformsAndDigests) throws Exception {
        StringBuilder archives = new StringBuilder();
        for (int i = 0; i < platformsAndDigests.length; i += 2) {
            archives.append(i == 0 ? "" : ",")
                    .append('"')
                    .append(platformsAndDigests[i])
                    .append("\":{\"archive\":\"https://h.example/")
                    .append(platformsAndDigests[i])
                    .append(".tgz\",\"cmd\":\"./a\",\"sha256\":\"")
                    .append(platformsAndDigests[i + 1].repeat(64))
                    .append("\"}");
        }
        Index index = Index.parse(
                Fixture.index(List.of(Fixture.entryText("a", "1.0.0", "{\"binary\":{" + archives + "}}")))
                        .getBytes(StandardCharsets.UTF_8),
                "https://agents.example/registry.json",
                java.time.Instant.EPOCH);
        AgentEntry entry = index.agents().getFirst();
        return Pin.of(entry, index.origin(), entry.distributions().getFirst());
    }

    @Test
    @Tag("REG-37")
    void aPinIsCompletedAndItsDigestsAreNotReplaced() throws Exception {
        Pin pinned = binary("linux-x86_64", "1");

        assertThat(pinned.completedBy(binary("linux-x86_64", "1", "darwin-aarch64", "2"))
                        .json()
                        .toString())
                .contains("1".repeat(64), "2".repeat(64));
        assertThatThrownBy(() -> pinned.completedBy(binary("linux-x86_64", "3")))
                .isInstanceOf(RegistryException.class)
                .hasMessageContaining("1".repeat(64))
                .hasMessageContaining("3".repeat(64));
    }

    private LockFile lock(String name) {
        return new LockFile(folder.resolve(name), folder.resolve("locks"), true);
    }

    private static void put(LockFile lock, String id) throws Exception {
        Pin pin = pin(id);
        lock.change(pins -> pins.put(id, pin));
    }

    @Test
    @Tag("REG-36")
    void theTextDependsOnThePinsOnly() throws Exception {
        LockFile one = lock("one");
        LockFile other = lock("other");

        for (String id : List.of("a", "b", "c")) {
            put(one, id);
        }
        for (String id : List.of("c", "a", "b", "a")) {
            put(other, id);
        }

        assertThat(one.path()).hasSameTextualContentAs(other.path()).content().isEqualTo("""
                {
                  "agents": {
                    "a": {
                      "distribution": {
                        "npx": {
                          "args": ["--acp"],
                          "package": "p@1.0.0"
                        }
                      },
                      "license": "MIT",
                      "source": "https://agents.example/registry.json",
                      "version": "1.0.0"
                    },
                    "b": {
                      "distribution": {
                        "npx": {
                          "args": ["--acp"],
                          "package": "p@1.0.0"
                        }
                      },
                      "license": "MIT",
                      "source": "https://agents.example/registry.json",
                      "version": "1.0.0"
                    },
                    "c": {
                      "distribution": {
                        "npx": {
                          "args": ["--acp"],
                          "package": "p@1.0.0"
                        }
                      },
                      "license": "MIT",
                      "source": "https://agents.example/registry.json",
                      "version": "1.0.0"
                    }
                  },
                  "lockVersion": 1
                }
                """);
        assertThat(one.pins()).containsKeys("a", "b", "c").isEqualTo(other.pins());
    }

    @Test
    @Tag("REG-36")
    void agentsThatTwoBranchesAddAreMergedAsText() throws Exception {
        put(lock("base"), "m");
        for (String branch : List.of("ours", "theirs")) {
            Files.copy(folder.resolve("base"), folder.resolve(branch));
        }
        put(lock("ours"), "a");
        put(lock("theirs"), "z");

        Process merge = new ProcessBuilder("git", "merge-file", "ours", "base", "theirs")
                .directory(folder.toFile())
                .inheritIO()
                .start();

        assertThat(merge.waitFor()).isZero();
        assertThat(lock("ours").pins()).containsOnlyKeys("a", "m", "z");
    }

    @Test
    @Tag("REG-36")
    void theFileIsFoundUpToTheRootOfTheCheckout() throws Exception {
        Path deep = Files.createDirectories(folder.resolve("checkout/a/b"));
        Path above = Files.writeString(folder.resolve(LockFile.NAME), "");
        Files.createDirectory(folder.resolve("checkout/.git"));
        assertThat(LockFile.find(deep)).isNull();

        Path file = Files.writeString(folder.resolve("checkout").resolve(LockFile.NAME), "");
        assertThat(LockFile.find(deep)).isEqualTo(file);
        assertThat(LockFile.find(folder)).isEqualTo(above);

        Path alone = Files.createDirectories(folder.resolve("plain/folder"));
        assertThat(LockFile.find(alone)).isNull();
    }

    @Test
    @Tag("REG-36")
    void aFileWithConflictsIsNotUsed() throws Exception {
        LockFile lock = lock("lock");
        put(lock, "a");
        Files.writeString(lock.path(), "<<<<<<< ours\n" + Files.readString(lock.path()));

        assertThatThrownBy(lock::pins)
                .isInstanceOf(RegistryException.class)
                .hasMessageContaining("conflicts of a merge")
                .hasMessageContaining(lock.path().toString());
    }

    @Test
    @Tag("REG-36")
    void nothingIsLostWhenManyWrite() throws Exception {
        LockFile lock = lock("lock");
        List<Callable<Void>> all = new java.util.ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String id = "a" + i;
            all.add(() -> {
                put(lock, id);
                return null;
            });
        }

        try (var threads = Executors.newFixedThreadPool(8)) {
            for (var done : threads.invokeAll(all)) {
                assertThat(done.get()).isNull();
            }
        }

        assertThat(lock.pins()).hasSize(20);
    }
}
