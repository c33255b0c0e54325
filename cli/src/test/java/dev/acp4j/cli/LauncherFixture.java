package dev.acp4j.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.attribute.PosixFilePermissions.fromString;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A copy of the launcher in a folder with a space in its name, with scripts in place of Java and Maven, and no other
 * way to find them on this machine. The Java prints its arguments, one a line; the Maven makes the jars.
 */
final class LauncherFixture {
    private static final List<String> TOOLS = List.of(
            "sh",
            "cat",
            "cksum",
            "dirname",
            "find",
            "grep",
            "head",
            "mkdir",
            "mv",
            "readlink",
            "rm",
            "sed",
            "sleep",
            "stat",
            "tail");

    /** Those that some systems lack. */
    private static final List<String> MORE_TOOLS = List.of("iconv", "locale");

    final Path home;
    final Path tree;
    final Path target;
    final Path tools;
    final Map<String, String> environment = new HashMap<>();
    List<String> shell = List.of();

    LauncherFixture(Path folder) throws IOException {
        this(folder, "a tree");
    }

    LauncherFixture(Path folder, String name) throws IOException {
        home = Files.createDirectories(folder.resolve("home"));
        tree = Files.createDirectories(folder.resolve(name));
        target = tree.resolve("cli/target");
        tools = Files.createDirectories(folder.resolve("tools"));
        for (String tool : TOOLS) {
            tool(tool, which(tool));
        }
        for (String tool : MORE_TOOLS) {
            Optional<Path> found = find(tool);
            if (found.isPresent()) {
                tool(tool, found.get());
            }
        }
        Path repository = Path.of("").toAbsolutePath().resolveSibling("");
        script(tree.resolve("acp"), Files.readString(repository.resolve("acp")));
        script(tree.resolve("bin/make-cache.sh"), Files.readString(repository.resolve("bin/make-cache.sh")));
        String search = Files.readString(repository.resolve("bin/find-jdk.sh"));
        script(
                tree.resolve("bin/find-jdk.sh"),
                search.replace("/usr/lib/jvm/*", home + "/jvm/*").replace(" /opt/*", ""));
        environment.put("PATH", tools.toString());
        environment.put("HOME", home.toString());
        environment.put("ACP_NO_CACHE", "1");
    }

    void tool(String name, Path program) throws IOException {
        script(tools.resolve(name), "#!/bin/sh\nexec " + program + " \"$@\"\n");
    }

    /** Puts a stand-in for a JDK at a folder of the home folder. */
    Path jdk(String at, String version) throws IOException {
        Path jdk = home.resolve(at);
        script(jdk.resolve("bin/java"), """
                #!/bin/sh
                made=
                for option; do
                  case $option in -XX:AOTCacheOutput=* | -XX:ArchiveClassesAtExit=*) made=${option#*=} ;; esac
                done
                if [ -z "$made" ]; then
                  printf '%%s\\n' "$0" "$@"
                else
                  echo '{"result":{"sessionId":"s1","stopReason":"end_turn"}}'
                  cat >"%s"
                  [ -n "${NO_CACHE_CAN_BE_MADE:-}" ] || echo archive >"$made"
                fi
                """.formatted(sessionFile()));
        script(jdk.resolve("bin/javac"), "");
        Files.createDirectories(jdk.resolve("lib"));
        Files.writeString(jdk.resolve("lib/modules"), version);
        Files.writeString(
                jdk.resolve("release"),
                "IMPLEMENTOR=\"Somebody\"\nJAVA_RUNTIME_VERSION=\"" + version + "+9\"\nJAVA_VERSION=\"" + version
                        + "\"\n");
        return jdk;
    }

    /** Puts a stand-in for Maven on the path, which notes its calls before it does what is given. */
    void maven(String does) throws IOException {
        script(tools.resolve("mvn"), """
                #!/bin/sh
                echo "$JAVA_HOME $*" >>"$HOME/maven-calls"
                cd "%s" || exit
                """.formatted(tree) + does);
    }

    static final String MAKE_JARS = """
            mkdir -p cli/target/lib
            echo jar >cli/target/acp.jar
            echo jar >cli/target/lib/core.jar
            """;

    List<String> mavenCalls() throws IOException {
        Path calls = home.resolve("maven-calls");
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    /** What the session that fills a cache has sent. */
    List<String> session() throws IOException {
        return Files.readAllLines(sessionFile());
    }

    Path sessionFile() {
        return home.resolve("session");
    }

    /** What a start of acp gave: the exit code, the lines of standard output, and standard error. */
    record Run(int exit, List<String> out, String err) {}

    Run acp(String... arguments) throws IOException, InterruptedException {
        return run(tree.resolve("acp"), arguments);
    }

    ProcessBuilder process(Path command, String... arguments) {
        List<String> line = new ArrayList<>(shell);
        line.add(command.toString());
        line.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(line).directory(home.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder;
    }

    Run run(Path command, String... arguments) throws IOException, InterruptedException {
        Path err = Files.createTempFile(home, "stderr", "");
        Process process =
                process(command, arguments).redirectError(err.toFile()).start();
        process.getOutputStream().close();
        List<String> out = new String(process.getInputStream().readAllBytes(), UTF_8)
                .lines()
                .toList();
        return new Run(process.waitFor(), out, new String(Files.readAllBytes(err), UTF_8));
    }

    /** Starts acp and waits until the cache that it makes in the background is there or has failed. */
    Run acpThatMakesACache(Path folder, String... arguments) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        try (WatchService watch = folder.getFileSystem().newWatchService()) {
            folder.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
            Run run = acp(arguments);
            while (true) {
                WatchKey key = requireNonNull(watch.poll(30, SECONDS), "no cache was made");
                if (key.pollEvents().stream()
                        .anyMatch(e -> e.context().toString().endsWith(".key"))) {
                    return run;
                }
                key.reset();
            }
        }
    }

    static void script(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, fromString("rwxr-xr-x"));
    }

    static Path which(String tool) {
        return find(tool).orElseThrow(() -> new IllegalStateException("no " + tool + " on the path"));
    }

    static Optional<Path> find(String tool) {
        return Stream.of(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, tool))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
