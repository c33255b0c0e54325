package dev.acp4j.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher with the Java that runs the tests, and jars of the classes on their class path. */
@DisabledOnOs(OS.WINDOWS)
class LauncherProcessTest {
    private static final String INITIALIZE = """
            {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}
            """;

    /** Makes a folder beyond ASCII, whose name is written in bytes: the tests may run in the locale C. */
    private static final String IN_SUCH_A_FOLDER = """
            #!/bin/sh
            folder=$HOME/$(printf 'gr\\303\\266\\303\\237e')
            mkdir "$folder" && cd "$folder" || exit
            export LC_ALL="$1"
            """;

    @TempDir
    private static Path built;

    private final LauncherFixture launcher;

    LauncherProcessTest(@TempDir Path folder) throws IOException {
        launcher = new LauncherFixture(folder);
        launcher.environment.put("JAVA_HOME", System.getProperty("java.home"));
        Files.createDirectories(launcher.target.resolve("lib"));
        for (Path jar : files(built.resolve("lib"))) {
            Files.createLink(launcher.target.resolve("lib").resolve(jar.getFileName()), jar);
        }
        Files.createLink(launcher.target.resolve("acp.jar"), built.resolve("acp.jar"));
    }

    @BeforeAll
    static void makeJars() throws IOException {
        ToolProvider jar = ToolProvider.findFirst("jar").orElseThrow();
        Path lib = Files.createDirectory(built.resolve("lib"));
        int number = 0;
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path made = entry.endsWith("cli/target/classes")
                    ? built.resolve("acp.jar")
                    : lib.resolve("library" + number++ + ".jar");
            if (Files.isDirectory(Path.of(entry))) {
                jar.run(System.out, System.err, "cMf", made.toString(), "-C", entry, ".");
            } else {
                Files.copy(Path.of(entry), made);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"C", "xx_YY.UTF-8"})
    void aCloneInAFolderBeyondAsciiStartsInAnyLocale(String locale) throws Exception {
        Path script = launcher.home.resolve("script");
        LauncherFixture.script(script, IN_SUCH_A_FOLDER + "mv \"$2\" tree && exec tree/acp --version\n");

        var run = launcher.run(script, locale, launcher.tree.toString());

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).singleElement().asString().startsWith("acp ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"C", "xx_YY.UTF-8"})
    void theNameOfAFolderBeyondAsciiIsUnderstoodInAnyLocale(String locale) throws Exception {
        Path script = launcher.home.resolve("script");
        LauncherFixture.script(script, IN_SUCH_A_FOLDER + "exec \"$2/acp\" prompt --cwd \"$folder\" hello\n");

        var run = launcher.run(script, locale, launcher.tree.toString());

        assertThat(run.err()).doesNotContain("not the name of a folder");
        assertThat(run.out()).first().asString().startsWith("Hello!");
    }

    @Test
    void aDumpOfThreadsStaysOutOfTheProtocol() throws Exception {
        Process agent = launcher.process(launcher.tree.resolve("acp"), "agent").start();
        BufferedReader out = agent.inputReader(UTF_8);
        CompletableFuture<Boolean> dump = CompletableFuture.supplyAsync(() -> isDump(agent.errorReader(UTF_8)));
        ask(agent, INITIALIZE);
        String first = out.readLine();

        signal(agent, "QUIT");
        assertThat(dump).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
        ask(agent, INITIALIZE);
        String second = out.readLine();
        agent.getOutputStream().close();

        assertThat(List.of(first, second)).allSatisfy(line -> assertThat(line).startsWith("{\"jsonrpc\""));
        assertThat(out.lines()).isEmpty();
    }

    private static boolean isDump(BufferedReader err) {
        return err.lines().anyMatch(line -> line.contains("Full thread dump"));
    }

    @Test
    void aCrashLeavesNothingInTheWorkingFolder() throws Exception {
        Path reports = Files.createDirectory(launcher.home.resolve("reports"));
        launcher.environment.put("TMPDIR", reports.toString());
        List<Path> before = files(launcher.home);
        Process agent = launcher.process(launcher.tree.resolve("acp"), "agent").start();
        ask(agent, INITIALIZE);
        agent.inputReader(UTF_8).readLine();

        signal(agent, "SEGV");

        assertThat(agent.waitFor()).isNotZero();
        assertThat(files(launcher.home)).isEqualTo(before);
        assertThat(files(reports)).singleElement().asString().contains("hs_err_pid");
    }

    @Test
    void aDamagedCacheIsReplacedBeforeItCrashesJava() throws Exception {
        Path folder = launcher.target.resolve("cache");
        launcher.environment.remove("ACP_NO_CACHE");
        launcher.acpThatMakesACache(folder, "--version");
        damage(folder);

        var plain = launcher.acpThatMakesACache(folder, "--version");
        var fast = launcher.acp("--version");

        assertThat(List.of(plain.exit(), fast.exit())).containsOnly(0);
        assertThat(plain.err()).doesNotContain("Java has crashed");
        assertThat(plain.out()).isEqualTo(fast.out());
    }

    /** Zeroes the second half of the cache, as when the power fails before all of it has been written. */
    private static void damage(Path folder) throws IOException {
        Path cache = files(folder).stream()
                .filter(file -> file.toString().endsWith(".jvm"))
                .findFirst()
                .orElseThrow();
        int half = (int) Files.size(cache) / 2;
        try (FileChannel channel = FileChannel.open(cache, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(half), half);
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static void ask(Process agent, String request) throws IOException {
        agent.getOutputStream().write(request.getBytes(UTF_8));
        agent.getOutputStream().flush();
    }

    private static void signal(Process process, String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start();
        assertThat(kill.waitFor()).isZero();
    }
}
