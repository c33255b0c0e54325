package dev.acp4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class LauncherCacheTest {
    private final LauncherFixture launcher;
    private final Path cache;

    LauncherCacheTest(@TempDir Path folder) throws IOException {
        launcher = new LauncherFixture(folder);
        cache = launcher.target.resolve("cache");
    }

    @BeforeEach
    void build() throws Exception {
        launcher.maven(LauncherFixture.MAKE_JARS);
        launcher.jdk("jvm/jdk-25", "25.0.3");
        launcher.acp();
        launcher.environment.remove("ACP_NO_CACHE");
    }

    @Test
    void startsAfterTheFirstUseACache() throws Exception {
        var first = launcher.acpThatMakesACache(cache, "agent");
        var second = launcher.acp("agent");

        assertThat(first.out()).endsWith("agent").noneMatch(option -> option.startsWith("-XX:AOT"));
        assertThat(second.out()).contains("-XX:AOTCache=" + cache + "/agent-25.0.3+9.jvm");
        assertThat(first.err() + second.err()).isEmpty();
        assertThat(cache.resolve("agent-25.0.3+9.making")).doesNotExist();
    }

    @Test
    void theSessionThatFillsTheCachePrompts() throws Exception {
        launcher.acpThatMakesACache(cache, "agent");

        assertThat(launcher.session())
                .hasSize(3)
                .element(2)
                .asString()
                .contains("session/prompt", "\"sessionId\":\"s1\"");
    }

    @Test
    void aCacheOfOtherJarsIsNotUsedAndMadeAgain() throws Exception {
        launcher.acpThatMakesACache(cache, "agent");
        Files.writeString(launcher.target.resolve("lib/core.jar"), "another jar");

        var stale = launcher.acpThatMakesACache(cache, "agent");
        var fresh = launcher.acp("agent");

        assertThat(stale.out()).noneMatch(option -> option.startsWith("-XX:AOT"));
        assertThat(fresh.out()).anyMatch(option -> option.startsWith("-XX:AOTCache="));
    }

    @Test
    void aDamagedCacheIsNotUsedAndMadeAgain() throws Exception {
        launcher.acpThatMakesACache(cache, "agent");
        Path file = cache.resolve("agent-25.0.3+9.jvm");
        var sound = launcher.acp("agent");
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2]++;
        Files.write(file, bytes);
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plus(Duration.ofMinutes(1))));

        var damaged = launcher.acpThatMakesACache(cache, "agent");
        var fresh = launcher.acp("agent");

        assertThat(sound.out()).anyMatch(option -> option.startsWith("-XX:AOTCache="));
        assertThat(damaged.out()).endsWith("agent").noneMatch(option -> option.startsWith("-XX:AOT"));
        assertThat(fresh.out()).anyMatch(option -> option.startsWith("-XX:AOTCache="));
    }

    @Test
    void olderJdksUseAnArchive() throws Exception {
        launcher.environment.put(
                "JAVA_HOME", launcher.jdk("jvm/jdk-21", "21.0.8").toString());
        launcher.acpThatMakesACache(cache, "agent");

        var run = launcher.acp("agent");

        assertThat(run.out())
                .contains("-XX:SharedArchiveFile=" + cache + "/agent-21.0.8+9.jvm")
                .noneMatch(option -> option.contains("aot"));
    }

    @Test
    void whatCannotBeMadeIsTriedOnce() throws Exception {
        launcher.environment.put("NO_CACHE_CAN_BE_MADE", "1");
        launcher.acpThatMakesACache(cache, "agent");
        Files.delete(launcher.sessionFile());

        var run = launcher.acp("agent");

        assertThat(run.exit()).isZero();
        assertThat(run.out()).endsWith("agent").noneMatch(option -> option.startsWith("-XX:AOT"));
        assertThat(launcher.sessionFile()).doesNotExist();
    }

    @Test
    void whatCouldNotBeMadeIsTriedAgainAnHourLater() throws Exception {
        launcher.environment.put("NO_CACHE_CAN_BE_MADE", "1");
        launcher.acpThatMakesACache(cache, "agent");
        Path key = cache.resolve("agent-25.0.3+9.key");
        Files.setLastModifiedTime(key, FileTime.from(Instant.now().minus(Duration.ofMinutes(62))));
        launcher.environment.remove("NO_CACHE_CAN_BE_MADE");

        launcher.acpThatMakesACache(cache, "agent");

        assertThat(launcher.acp("agent").out()).anyMatch(option -> option.startsWith("-XX:AOTCache="));
    }

    @Test
    void theCacheOfACloneWithALineEndInItsNameIsUsed(@TempDir Path folder) throws Exception {
        var odd = new LauncherFixture(folder, "two\nlines");
        odd.maven(LauncherFixture.MAKE_JARS);
        odd.jdk("jvm/jdk-25", "25.0.3");
        odd.environment.remove("ACP_NO_CACHE");
        odd.acpThatMakesACache(odd.target.resolve("cache"), "agent");

        var run = odd.acp("agent");

        assertThat(run.out()).anyMatch(option -> option.startsWith("-XX:AOTCache="));
    }

    @Test
    void theCacheGoesHomeWhereTheTreeCannotBeWritten() throws Exception {
        Files.writeString(cache, "not a folder");
        Path atHome = launcher.home.resolve(".cache/acp4j");

        launcher.acpThatMakesACache(atHome, "agent");

        assertThat(launcher.acp("agent").out()).anyMatch(option -> option.startsWith("-XX:AOTCache=" + atHome));
    }

    @Test
    void noCacheIsUsedOrMadeWhenThatIsAskedFor() throws Exception {
        launcher.acpThatMakesACache(cache, "agent");
        launcher.environment.put("ACP_NO_CACHE", "1");

        var run = launcher.acp("agent");

        assertThat(run.out()).noneMatch(option -> option.startsWith("-XX:AOT"));
    }

    @Test
    void otherCommandsHaveACacheOfTheirOwn() throws Exception {
        launcher.acpThatMakesACache(cache, "chat");

        assertThat(launcher.acp("chat").out()).contains("-XX:AOTCache=" + cache + "/cli-25.0.3+9.jvm");
        try (Stream<Path> files = Files.list(cache)) {
            assertThat(files).noneMatch(file -> file.getFileName().toString().startsWith("agent"));
        }
    }
}
