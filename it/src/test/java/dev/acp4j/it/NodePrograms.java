package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** The programs in src/test/node with the packages that they need, installed once into target. */
final class NodePrograms {
    private static final Path SOURCE = Path.of("src/test/node");
    private static final Path INSTALLED = Path.of("target/node").toAbsolutePath();

    private NodePrograms() {}

    /** Returns the folder with the programs. Without node and npm the test is skipped, and says so. */
    static Path folder() throws IOException, InterruptedException {
        Assumptions.assumeTrue(runs("node") && runs("npm"), "skipped: node and npm are not installed");
        Files.createDirectories(INSTALLED);
        for (String file : new String[] {"package.json", "client.mjs", "agent.mjs"}) {
            Files.copy(SOURCE.resolve(file), INSTALLED.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        }
        if (!Files.isDirectory(INSTALLED.resolve("node_modules/@agentclientprotocol/sdk"))) {
            install();
        }
        return INSTALLED;
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

    private static void install() throws IOException, InterruptedException {
        Path log = INSTALLED.resolve("npm.log");
        Process npm = new ProcessBuilder(
                        "npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts")
                .directory(INSTALLED.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = npm.waitFor(5, TimeUnit.MINUTES);
        assertThat(ended && npm.exitValue() == 0)
                .as("npm install: %s", Files.readString(log))
                .isTrue();
    }
}
