package dev.acp4j.cli;

import static java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.LauncherFixture.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisabledOnOs(OS.WINDOWS)
class LauncherTest {
    private final LauncherFixture launcher;
    private final Path jdk;

    LauncherTest(@TempDir Path folder) throws IOException {
        launcher = new LauncherFixture(folder);
        jdk = launcher.jdk("jvm/jdk-25", "25.0.3");
    }

    @BeforeEach
    void mavenWorks() throws IOException {
        launcher.maven(LauncherFixture.MAKE_JARS);
    }

    @Test
    void theHomeFolderIsThatOfTheVariable() throws Exception {
        launcher.environment.put("HOME", "/home/some body");

        assertThat(launcher.acp("--version").out()).contains("-Duser.home=/home/some body");
        launcher.environment.put("HOME", "elsewhere");
        assertThat(launcher.acp("--version").out()).noneMatch(option -> option.startsWith("-Duser.home"));
    }

    @Test
    void buildsOnTheFirstStartAndNotAgain() throws Exception {
        Run first = launcher.acp("--version");
        Run second = launcher.acp("--version");

        assertThat(first.err()).startsWith("acp: building");
        assertThat(second.err()).isEmpty();
        assertThat(first.out())
                .isEqualTo(second.out())
                .startsWith(jdk + "/bin/java")
                .endsWith("--version");
        assertThat(launcher.mavenCalls())
                .singleElement()
                .asString()
                .startsWith(jdk + " ")
                .contains("-pl cli -am package");
    }

    @Test
    void passesArgumentsAsTheyAre() throws Exception {
        launcher.environment.put("ACP_JAVA_OPTS", "-Xmx1g -Da=*");

        Run run = launcher.acp("prompt", "two  words", "*", "", "$HOME");

        assertThat(run.out()).endsWith("dev.acp4j.cli.Acp", "prompt", "two  words", "*", "", "$HOME");
        assertThat(run.out()).contains("-Xmx1g", "-Da=*");
        assertThat(run.out()).contains(launcher.target + "/acp.jar:" + launcher.target + "/lib/core.jar");
    }

    static Stream<List<String>> shells() {
        return Stream.of(
                        List.of("sh"),
                        List.of("dash"),
                        List.of("bash", "--posix"),
                        List.of("busybox", "sh"),
                        List.of("ksh"))
                .filter(shell -> LauncherFixture.find(shell.getFirst()).isPresent());
    }

    @ParameterizedTest
    @MethodSource("shells")
    void runsUnderTheShellsOfThisMachine(List<String> shell) throws Exception {
        launcher.shell = new ArrayList<>(shell);
        launcher.shell.set(0, LauncherFixture.which(shell.getFirst()).toString());

        Run run = launcher.acp("--version");

        assertThat(run.exit()).isZero();
        assertThat(run.out()).startsWith(jdk + "/bin/java").endsWith("--version");
    }

    @ParameterizedTest
    @MethodSource("shells")
    void opensStandardStreamsThatAreMissing(List<String> shell) throws Exception {
        launcher.acp();
        LauncherFixture.script(jdk.resolve("bin/java"), """
                #!/bin/sh
                streams=$(for stream in 0 1 2; do readlink /proc/$$/fd/$stream; done)
                echo written 2>/dev/null || streams="$streams not-written"
                echo $streams >"$HOME/streams"
                """);
        launcher.shell = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh"));
        launcher.shell.add(LauncherFixture.which(shell.getFirst()).toString());
        launcher.shell.addAll(shell.subList(1, shell.size()));

        launcher.acp("chat");

        assertThat(launcher.home.resolve("streams")).hasContent("/dev/null /dev/null /dev/null not-written");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:tree", "a \\360\\237\\230\\200 tree", "\\377"})
    void saysWhatIsWrongWithTheNameOfItsFolder(String name) throws Exception {
        LauncherFixture.script(launcher.home.resolve("move"), """
                #!/bin/sh
                cd "$HOME" && mkdir moved && cd moved && to=$(printf '%s') && mv "%s" "$to" && exec "./$to/acp" --version
                """.formatted(name, launcher.tree));

        Run run = launcher.run(launcher.home.resolve("move"));

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("acp: cannot run in a folder with")
                .contains("please move it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"LC_ALL=C", "LC_ALL=POSIX", "LANG=xx_YY.UTF-8", "LANG=C.UTF-8 LC_TIME=xx_YY.UTF-8", ""})
    void choosesUtf8WhereTheLocaleHasNone(String variables) throws Exception {
        assertThat(localeOfJava(variables)).isEqualTo("C.UTF-8");
    }

    @Test
    void leavesALocaleOfUtf8AsItIs() throws Exception {
        assertThat(localeOfJava("LANG=C.UTF-8")).isEmpty();
    }

    private String localeOfJava(String variables) throws Exception {
        LauncherFixture.script(jdk.resolve("bin/java"), "#!/bin/sh\necho \"${LC_ALL:-}\"\n");
        launcher.shell = List.of("sh", "-c", variables + " \"$0\" \"$@\"");
        return launcher.acp().out().getFirst();
    }

    @Test
    void startsThroughALinkToALink() throws Exception {
        Path link = Files.createSymbolicLink(launcher.home.resolve("one"), launcher.tree.resolve("acp"));
        Path second = Files.createSymbolicLink(launcher.home.resolve("two"), link.getFileName());

        Run run = launcher.run(second, "--version");

        assertThat(run.out()).endsWith("--version");
    }

    /** The files that the manual names for a machine without sources. */
    @Test
    void theJarsAndThreeScriptsAreAnInstallation() throws Exception {
        launcher.acp();
        Files.delete(launcher.tools.resolve("mvn"));
        Path installed = launcher.home.resolve("opt/acp4j");
        for (String file : List.of(
                "acp", "bin/find-jdk.sh", "bin/make-cache.sh", "cli/target/acp.jar", "cli/target/lib/core.jar")) {
            Files.createDirectories(installed.resolve(file).resolveSibling(""));
            Files.copy(launcher.tree.resolve(file), installed.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
        }
        Path link = Files.createSymbolicLink(launcher.home.resolve("acp"), installed.resolve("acp"));

        Run run = launcher.run(link, "--version");

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out())
                .contains(installed.toRealPath() + "/cli/target/acp.jar:" + installed.toRealPath()
                        + "/cli/target/lib/core.jar");
    }

    @Test
    void buildsACloneAgainWhenASourceIsNewer() throws Exception {
        Path source = Files.createDirectories(launcher.tree.resolve("core/src/main/java"))
                .resolve("A.java");
        Files.createDirectory(launcher.tree.resolve(".git"));
        launcher.acp();
        Files.writeString(source, "class A {}");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(2)));

        Run run = launcher.acp();

        assertThat(run.err()).startsWith("acp: building");
        assertThat(launcher.mavenCalls()).hasSize(2);
    }

    @Test
    void showsTheEndOfABuildThatFailed() throws Exception {
        launcher.maven("echo '[ERROR] A.java:[1,1] not a statement'; exit 1");

        Run run = launcher.acp("--version");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("not a statement", launcher.target + "/build.log");
        assertThat(launcher.target.resolve("build.lock")).doesNotExist();
    }

    @Test
    void firstStartsAtTheSameTimeBuildOnce() throws Exception {
        Callable<Run> start = () -> launcher.acp("--version");

        List<Run> runs;
        try (var threads = newVirtualThreadPerTaskExecutor()) {
            runs = threads.invokeAll(List.of(start, start, start)).stream()
                    .map(f -> f.resultNow())
                    .toList();
        }

        assertThat(runs).allSatisfy(run -> assertThat(run.out()).endsWith("--version"));
        assertThat(launcher.mavenCalls()).hasSize(1);
    }

    @Test
    void takesTheLockOfABuildThatDied() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        Path lock = Files.createDirectories(launcher.target.resolve("build.lock"));
        Files.writeString(lock.resolve("pid"), ended.pid() + "\n");

        Run run = launcher.acp("--version");

        assertThat(run.exit()).isZero();
        assertThat(launcher.mavenCalls()).hasSize(1);
    }

    @Test
    void saysThatMavenIsMissing() throws Exception {
        Files.delete(launcher.tools.resolve("mvn"));

        Run run = launcher.acp();

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err().lines()).singleElement().asString().contains("no mvn on the PATH");
    }

    @Test
    void saysThatTheJdkToBuildIsMissing() throws Exception {
        Files.move(jdk, launcher.home.resolve("hidden"));
        launcher.jdk("jvm/jdk-21", "21.0.8");

        Run run = launcher.acp();

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err().lines()).singleElement().asString().contains("JDK 25");
    }

    @Test
    void saysThatAJdkIsMissing() throws Exception {
        launcher.acp();
        Files.move(jdk, launcher.home.resolve("hidden"));
        launcher.environment.put("JAVA_HOME", launcher.jdk("old", "17.0.15").toString());

        Run run = launcher.acp();

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err().lines()).singleElement().asString().contains("JDK 21 or newer");
    }

    @Test
    void takesTheNewestJdkThatIsInstalled() throws Exception {
        launcher.jdk(".jdks/temurin-21.0.8", "21.0.8");
        launcher.jdk("jvm/jdk-8", "1.8.0_402");
        Path newest = launcher.jdk(".sdkman/candidates/java/26.0.1-tem", "26.0.1");

        assertThat(launcher.acp().out()).startsWith(newest + "/bin/java");
    }

    @Test
    void takesJavaHomeAndThenTheJavaOnThePathBeforeANewerOne() throws Exception {
        Path onPath = launcher.jdk("somewhere/jdk-21", "21.0.8");
        Path javaHome = launcher.jdk("jvm/jdk-22", "22.0.1");
        Files.createSymbolicLink(launcher.tools.resolve("java"), onPath.resolve("bin/java"));

        Run withoutJavaHome = launcher.acp();
        launcher.environment.put("JAVA_HOME", javaHome.toString());
        Run withJavaHome = launcher.acp();

        assertThat(withoutJavaHome.out()).startsWith(onPath + "/bin/java");
        assertThat(withJavaHome.out()).startsWith(javaHome + "/bin/java");
    }

    @Test
    void anOptionForACollectorReplacesOurs() throws Exception {
        launcher.environment.put("ACP_JAVA_OPTS", "-XX:+UseZGC");

        assertThat(launcher.acp().out()).contains("-XX:+UseZGC").doesNotContain("-XX:+UseSerialGC", "-Xmn");
    }

    @Test
    void anOptionForTheHeapReplacesOurs() throws Exception {
        launcher.environment.put("ACP_JAVA_OPTS", "-Xmx20m");

        assertThat(launcher.acp().out()).contains("-Xmx20m", "-XX:+UseSerialGC").doesNotContain("-Xms", "-Xmn");
    }

    @Test
    void aServerHasTheCompilersTheCollectorAndTheHeapThatTheJvmChooses() throws Exception {
        launcher.environment.remove("ACP_NO_CACHE");

        assertThat(launcher.acp("serve", "--port", "0").out())
                .contains("-Xlog:all=warning:stderr", "-XX:-UsePerfData")
                .noneMatch(option -> option.matches("-Xm.*|-XX:(Tiered|\\+Use|Max|Pretenure|AOT|Shared).*"));
        assertThat(launcher.target.resolve("cache")).doesNotExist();
        launcher.environment.put("ACP_JAVA_OPTS", "-Xmx1g -XX:+UseZGC");
        assertThat(launcher.acp("serve").out()).contains("-Xmx1g", "-XX:+UseZGC");
        launcher.environment.put("ACP_NO_CACHE", "1");
        launcher.environment.remove("ACP_JAVA_OPTS");
        assertThat(launcher.acp("serve", "--attach", "--", "agent").out()).contains("-XX:TieredStopAtLevel=1");
    }

    @Test
    void anOptionForDumpsOfTheHeapLeavesOursAsTheyAre() throws Exception {
        launcher.environment.put("ACP_JAVA_OPTS", "-XX:+HeapDumpOnOutOfMemoryError");

        assertThat(launcher.acp().out()).contains("-XX:+HeapDumpOnOutOfMemoryError", "-Xms24m", "-Xmn8m");
    }
}
