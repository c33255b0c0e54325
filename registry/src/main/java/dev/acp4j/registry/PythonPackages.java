package dev.acp4j.registry;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Installs a package of Python into an environment of its own by uv. The requirements of the package are written with
 * their digests once, and demanded from then on.
 */
final class PythonPackages {
    private static final int LEAST_UV = 0;
    private static final long LONGEST_SECONDS = 1800;
    private static final String HINT = "Install uv.";
    private static final String ENVIRONMENT = "environment";

    private PythonPackages() {}

    static void require() throws IOException, InterruptedException {
        Path unused = Program.require("uv", LEAST_UV, HINT);
    }

    /** Installs into a folder; returns the requirements. */
    static JsonValue install(
            Distribution.Packaged wanted, @Nullable JsonValue tree, Path folder, RegistrySettings settings)
            throws IOException, InterruptedException {
        String uv = Program.require("uv", LEAST_UV, HINT).toString();
        Path wish = Files.writeString(folder.resolve("wanted.txt"), wanted.text() + "\n");
        Path requirements = folder.resolve("requirements.txt");
        if (tree == null) {
            run(
                    wanted,
                    folder,
                    settings,
                    uv,
                    "pip",
                    "compile",
                    "--universal",
                    "--generate-hashes",
                    "--no-header",
                    "--no-annotate",
                    "--quiet",
                    wish.getFileName().toString(),
                    "--output-file",
                    requirements.getFileName().toString());
        } else {
            Files.writeString(requirements, text(tree));
        }
        run(wanted, folder, settings, uv, "venv", "--relocatable", "--quiet", ENVIRONMENT);
        run(
                wanted,
                folder,
                settings,
                uv,
                "pip",
                "install",
                "--quiet",
                "--python",
                ENVIRONMENT,
                "--require-hashes",
                "--link-mode=copy",
                "--requirements",
                requirements.getFileName().toString());
        return tree == null ? lines(Files.readString(requirements)) : tree;
    }

    private static void run(Distribution.Packaged wanted, Path folder, RegistrySettings settings, String... command)
            throws IOException, InterruptedException {
        Map<String, String> environment = new HashMap<>(settings.programs());
        if (settings.isOffline()) {
            environment.put("UV_OFFLINE", "1");
        }
        Program.Ended ended = Program.run(List.of(command), folder, environment, LONGEST_SECONDS);
        if (ended.exit() != 0) {
            String cause =
                    ended.output().contains("Hash mismatch") || ended.output().contains("hash mismatch")
                            ? ": a package has other bytes than those that are pinned"
                            : "";
            throw new RegistryException(
                    "uv could not install " + wanted.text() + cause + "\n" + String.join("\n", ended.lastLines()));
        }
    }

    /** One line of the file is one line of the lock. */
    private static JsonValue lines(String text) {
        return JsonObject.of(Map.of(
                "requirements",
                new JsonArray(text.lines().<JsonValue>map(JsonString::of).toList())));
    }

    private static String text(JsonValue tree) throws RegistryException {
        try {
            return String.join("\n", Json.texts(Json.object(tree, "tree"), "requirements")) + "\n";
        } catch (IllegalArgumentException e) {
            throw new RegistryException("the pinned requirements are damaged: " + e.getMessage(), e);
        }
    }

    /** Returns the program of a package as a path below the folder. */
    static String program(Distribution.Packaged wanted, Path folder) throws RegistryException {
        String bare = wanted.name().replaceFirst("\\[.*", "");
        String name = wanted.command() == null ? bare : wanted.command();
        boolean isWindows = File.separatorChar == '\\';
        String file = ENVIRONMENT + (isWindows ? "/Scripts/" : "/bin/") + EntryPath.ofCommand(name);
        if (!Files.exists(folder.resolve(file)) && !Files.exists(folder.resolve(file + ".exe"))) {
            throw new RegistryException("the package " + wanted.text() + " has no program " + name);
        }
        return file;
    }
}
