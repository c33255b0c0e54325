package dev.acp4j.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;

/**
 * How the programs are started. Each gets the libraries that it needs and no others, in jars: neither the archive of
 * classes nor the AOT cache takes what lies in folders. Virtual machines get no options, but for acp4j as its launcher
 * starts it.
 */
final class Subjects {
    private static final String PROGRAMS = "dev.acp4j.bench.programs.";
    private static final List<String> OF_JAVA_SDK =
            List.of("acp-core", "acp-annotations", "jackson-", "reactor-", "reactive-streams", "slf4j-api");
    private static final List<String> OF_KOTLIN_SDK =
            List.of("acp-jvm", "acp-model", "kotlin", "atomicfu", "annotations-", "slf4j-api");

    private final Path work;
    private final Path programs;
    private final List<String> classPath;
    private final String java;
    private final NodePackages node;

    /** Prepares the programs in a folder. */
    Subjects(Path work) throws IOException, InterruptedException {
        this.work = Files.createDirectories(work);
        this.java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        this.classPath = List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1));
        this.programs = jar(classesOf(Subjects.class), "programs.jar");
        this.node = new NodePackages(work.resolve("node"));
    }

    private static Path classesOf(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath());
    }

    private Path jar(Path classes, String name) {
        if (Files.isRegularFile(classes)) {
            return classes;
        }
        Path jar = work.resolve(name);
        int exit = ToolProvider.findFirst("jar")
                .orElseThrow()
                .run(System.out, System.err, "--create", "--file=" + jar, "-C", classes.toString(), ".");
        if (exit != 0) {
            throw new IllegalStateException("jar ended with " + exit);
        }
        return jar;
    }

    private String withLibraries(Predicate<String> wanted) {
        return programs
                + classPath.stream()
                        .filter(path -> wanted.test(Path.of(path).getFileName().toString()))
                        .map(path -> File.pathSeparator + path)
                        .collect(Collectors.joining());
    }

    private static Predicate<String> startsWithOneOf(List<String> names) {
        return file -> names.stream().anyMatch(file::startsWith);
    }

    private String ofAcp4j() {
        return programs + File.pathSeparator + jar(classesOf(dev.acp4j.Agent.class), "core.jar");
    }

    /** Starts a program of acp4j without options. */
    Subject acp4jPlain(String program) {
        return new Subject(Subject.ACP4J_PLAIN, List.of(java, "-cp", ofAcp4j(), PROGRAMS + program));
    }

    /** The same with the module of proxies. */
    Subject acp4jWithProxies(String program) {
        String path = ofAcp4j() + File.pathSeparator + jar(classesOf(dev.acp4j.proxy.Proxy.class), "proxy.jar");
        return new Subject(Subject.ACP4J_PLAIN, List.of(java, "-cp", path, PROGRAMS + program));
    }

    /** The class path with the module for MCP servers, and what it needs. */
    private String ofAcp4jWithMcp() {
        return String.join(
                File.pathSeparator,
                ofAcp4j(),
                jar(classesOf(dev.acp4j.proxy.Proxy.class), "proxy.jar").toString(),
                jar(classesOf(dev.acp4j.mcp.McpServers.class), "mcp.jar").toString(),
                classPath.stream()
                        .filter(path -> path.contains("json-schema"))
                        .collect(Collectors.joining(File.pathSeparator)));
    }

    /** The same with the module for MCP servers. */
    Subject acp4jPlainWithMcp(String program) {
        return new Subject(Subject.ACP4J_PLAIN, List.of(java, "-cp", ofAcp4jWithMcp(), PROGRAMS + program));
    }

    /** The same with the module for MCP servers; see {@link #acp4j(String, Trainer)}. */
    Subject acp4jWithMcp(String program, Trainer trainer) throws IOException, InterruptedException {
        return acp4j(program, ofAcp4jWithMcp(), trainer);
    }

    /**
     * Starts a program of acp4j as its launcher does: with the launcher's options and, if it can be made here, an AOT
     * cache.
     */
    Subject acp4j(String program, Trainer trainer) throws IOException, InterruptedException {
        return acp4j(program, ofAcp4j(), trainer);
    }

    private Subject acp4j(String program, String path, Trainer trainer) throws IOException, InterruptedException {
        List<String> options = List.of(
                "-XX:+UseSerialGC",
                "-Xms24m",
                "-Xmn8m",
                "-XX:PretenureSizeThreshold=128k",
                "-XX:MaxHeapFreeRatio=50",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-Xlog:disable",
                "-Xlog:all=warning:stderr",
                "-XX:+DisplayVMOutputToStderr");
        List<String> rest = List.of("-cp", path, PROGRAMS + program);
        Path cache = work.resolve(program + ".aot");
        Files.deleteIfExists(cache);
        trainer.train(new Subject(program, command("-XX:AOTCacheOutput=" + cache, options, rest)));
        String use = Files.exists(cache) ? "-XX:AOTCache=" + cache : "-Xshare:auto";
        return new Subject(Subject.ACP4J, command(use, options, rest));
    }

    private List<String> command(String option, List<String> options, List<String> rest) {
        List<String> command = new ArrayList<>(List.of(java, option));
        command.addAll(options);
        command.addAll(rest);
        return command;
    }

    /** Plays with a program, and lets it end, so that it writes its cache. */
    @FunctionalInterface
    interface Trainer {
        void train(Subject subject) throws IOException, InterruptedException;
    }

    /** Starts a program that uses no library. */
    Subject floor(String program) {
        return new Subject(Subject.FLOOR, List.of(java, "-cp", programs.toString(), PROGRAMS + program));
    }

    Subject javaSdk(String program) {
        String path = withLibraries(startsWithOneOf(OF_JAVA_SDK));
        return new Subject(Subject.JAVA_SDK, List.of(java, "-cp", path, PROGRAMS + program));
    }

    Subject kotlinSdk(String program) {
        String path = withLibraries(startsWithOneOf(OF_KOTLIN_SDK));
        return new Subject(Subject.KOTLIN_SDK, List.of(java, "-cp", path, PROGRAMS + program));
    }

    Subject typeScriptSdk(String program) throws IOException, InterruptedException {
        String missing = node.install();
        return missing.isEmpty()
                ? new Subject(Subject.TYPESCRIPT_SDK, List.of("node", node.program(program)))
                : Subject.missing(Subject.TYPESCRIPT_SDK, missing);
    }

    /** So that what a process has in memory says what it needs. */
    private static final List<String> SMALL_HEAP =
            List.of("-XX:+UseSerialGC", "-Xms16m", "-Xmx512m", "-XX:MinHeapFreeRatio=5", "-XX:MaxHeapFreeRatio=10");

    /** Starts a program of acp4j with the module for HTTP, and what it needs. */
    Subject acp4jWithHttp(String program) {
        String path = String.join(
                File.pathSeparator,
                ofAcp4j(),
                jar(classesOf(dev.acp4j.http.Http.class), "http.jar").toString(),
                jetty());
        List<String> rest = List.of("-cp", path, PROGRAMS + program);
        return new Subject(Subject.ACP4J_PLAIN, command("-Xshare:auto", SMALL_HEAP, rest));
    }

    /** Starts a program that uses Jetty and no library of the protocol. */
    Subject floorWithJetty(String program) {
        String path = programs + File.pathSeparator + jetty();
        List<String> rest = List.of("-cp", path, PROGRAMS + program);
        return new Subject(Subject.FLOOR, command("-Xshare:auto", SMALL_HEAP, rest));
    }

    private String jetty() {
        return classPath.stream()
                .filter(path -> path.contains("jetty") || path.contains("slf4j-api"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Starts a program of the TypeScript SDK that can collect garbage when it is told to. */
    Subject typeScriptSdkWithCollection(String program) throws IOException, InterruptedException {
        Subject plain = typeScriptSdk(program);
        return plain.isMissing()
                ? plain
                : new Subject(plain.name(), List.of("node", "--expose-gc", node.program(program)));
    }

    /** Starts a program of acp4j with more options for the virtual machine. */
    List<String> acp4jCommand(String program, List<String> options, String... arguments) {
        List<String> command = new ArrayList<>(List.of(java));
        command.addAll(options);
        command.addAll(List.of("-cp", ofAcp4j(), PROGRAMS + program));
        command.addAll(List.of(arguments));
        return command;
    }
}
