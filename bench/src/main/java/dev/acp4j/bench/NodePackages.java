package dev.acp4j.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The programs for Node.js, with the packages that they need, installed once into a folder. */
final class NodePackages {
    private static final List<String> FILES = List.of(
            "package.json", "agent.mjs", "client.mjs", "agent-v2.mjs", "client-v2.mjs", "mcp.mjs", "remote.mjs");
    private static final int MINUTES = 5;

    private final Path folder;

    NodePackages(Path folder) {
        this.folder = folder;
    }

    String program(String name) {
        return folder.resolve(name).toString();
    }

    /** Copies the programs and installs what they need. Returns why that cannot be done, or the empty string. */
    String install() throws IOException, InterruptedException {
        Files.createDirectories(folder);
        for (String name : FILES) {
            try (InputStream in =
                    Objects.requireNonNull(NodePackages.class.getResourceAsStream("/node/" + name), name)) {
                Files.copy(in, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        if (Files.isDirectory(folder.resolve("node_modules/@agentclientprotocol/sdk"))
                && Files.isDirectory(folder.resolve("node_modules/@modelcontextprotocol/client"))
                && Files.isDirectory(folder.resolve("node_modules/ws"))) {
            return runs("node", "--version") ? "" : "node is not installed";
        }
        boolean installed = runs(
                "npm",
                "install",
                "--no-package-lock",
                "--no-audit",
                "--no-fund",
                "--ignore-scripts",
                "--omit=optional");
        return installed ? "" : "npm could not install it: see npm.log in " + folder.getFileName();
    }

    private boolean runs(String... command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("npm.log").toFile())
                    .start();
            return process.waitFor(MINUTES, TimeUnit.MINUTES) && process.exitValue() == 0;
        } catch (IOException e) {
            return false; // there is no such command
        }
    }
}
