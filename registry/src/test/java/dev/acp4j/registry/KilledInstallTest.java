package dev.acp4j.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that are killed while they add, update and remove agents. {@code -Dacp4j.registry.kills=200} has a long
 * run, {@code -Dacp4j.registry.seed} repeats one.
 */
@Timeout(600)
class KilledInstallTest {
    private static final int KILLS = Integer.getInteger("acp4j.registry.kills", 12);

    @TempDir
    private Path folder;

    /** Adds, updates and removes for ever: ARGUMENTS are the data folder, the index, and a seed. */
    static final class Busy {
        private Busy() {}

        public static void main(String[] args) throws Exception {
            RegistrySettings settings = RegistrySettings.of(Path.of(args[0]), Path.of(args[0], ".cache"))
                    .indexes(List.of(args[1]))
                    .platform(Platform.LINUX_X86_64);
            Random random = new Random(Long.parseLong(args[2]));
            try (Agents agents = Agents.of(settings, Path.of(args[0]))) {
                System.out.println("ready");
                while (true) {
                    step(agents, random);
                }
            }
        }

        private static void step(Agents agents, Random random) throws Exception {
            try {
                switch (random.nextInt(4)) {
                    case 0 -> {
                        long unused = agents.remove("alpha");
                    }
                    case 1 -> {
                        Installation unused = agents.rollback("alpha");
                    }
                    default -> {
                        String version = random.nextBoolean() ? "1.0.0" : "2.0.0";
                        try (Agents one = Agents.of(
                                agents.settings()
                                        .indexes(List.of(
                                                agents.settings().indexes().getFirst() + version)),
                                agents.settings().data())) {
                            Installation unused = one.install(
                                    one.propose("alpha", null, true),
                                    Agents.Consent.VERIFIED,
                                    one.lockFile(),
                                    false,
                                    Progress.NONE);
                        }
                    }
                }
            } catch (RegistryException e) {
                // Nothing to remove, or nowhere to go back to.
            }
        }
    }

    @Test
    @Tag("REG-24")
    void whateverMomentItIsThereIsAGoodVersionOrNone() throws Exception {
        long seed = Long.getLong("acp4j.registry.seed", System.nanoTime());
        Random random = new Random(seed);
        Path data = folder.resolve("data");
        try (Host host = new Host()) {
            for (String version : List.of("1.0.0", "2.0.0")) {
                Packed packed = Packed.of().program("bin/agent", Fixture.AGENT);
                for (int i = 0; i < 60; i++) {
                    packed.file("lib/" + i, ("line " + i + "\n").repeat(200));
                }
                byte[] archive = packed.file("version", version).tarGz();
                host.file("/alpha-" + version, archive);
                host.file(
                        "/index-" + version,
                        Fixture.index(List.of(Fixture.entryText(
                                "alpha",
                                version,
                                "{\"binary\":{\"linux-x86_64\":{\"archive\":\"" + host.url("/alpha-" + version)
                                        + "\",\"cmd\":\"bin/agent\",\"sha256\":\"" + Fixture.sha256(archive)
                                        + "\"}}}"))));
            }
            for (int i = 0; i < KILLS; i++) {
                // Two at once, one of which is killed at a time.
                Process first = start(data, host.url("/index-"), random.nextLong());
                Process second = start(data, host.url("/index-"), random.nextLong());
                assertThat(first.waitFor(random.nextInt(150), TimeUnit.MILLISECONDS))
                        .as("seed %d", seed)
                        .isFalse();
                first.destroyForcibly();
                assertThat(second.waitFor(random.nextInt(100), TimeUnit.MILLISECONDS))
                        .as("seed %d", seed)
                        .isFalse();
                second.destroyForcibly();
                assertThat(first.waitFor() + second.waitFor()).isPositive();

                check(data, "seed " + seed + ", kill " + i);
            }
        }
    }

    private static Process start(Path data, String index, long seed) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                Busy.class.getName()));
        command.addAll(List.of(data.toString(), index, Long.toString(seed)));
        Process process =
                new ProcessBuilder(command).redirectError(new File("/dev/null")).start();
        assertThat(process.inputReader().readLine()).isEqualTo("ready");
        return process;
    }

    /** The next run of anybody finds good versions, and clears up what is left. */
    private static void check(Path data, String when) throws Exception {
        RegistrySettings settings =
                RegistrySettings.of(data, data.resolve(".cache")).platform(Platform.LINUX_X86_64);
        try (Agents agents = Agents.of(settings, data)) {
            assertThat(agents.prune(9)).as(when).isEmpty();
            for (Installation installation : agents.installations()) {
                assertThat(installation.verify()).as(when).isEmpty();
            }
            if (agents.pin("alpha").isPresent()) {
                assertThat(agents.isPinned(agents.installation("alpha")))
                        .as(when)
                        .isTrue();
            }
            long unused = new Store(data).locked("alpha", () -> 0L);
        }
        try (Stream<Path> left = Files.list(data.resolve(".work"))) {
            assertThat(left).as(when).isEmpty();
        }
    }
}
