package dev.acp4j.registry;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Installs a package of npm into a folder of its own. npm writes the tree of packages with the digest of each once, and
 * makes the same tree from it from then on. Its settings are those of the user.
 */
final class NodePackages {
    private static final int LEAST_NODE = 18;
    private static final int LEAST_NPM = 9;
    private static final long LONGEST_SECONDS = 1800;
    private static final String HINT = "Install Node.js.";
    private static final String LOCK = "package-lock.json";

    private NodePackages() {}

    static void require() throws IOException, InterruptedException {
        Path unused = Program.require("node", LEAST_NODE, HINT);
        unused = Program.require("npm", LEAST_NPM, HINT);
    }

    /** Installs into a folder; returns the tree. */
    static JsonValue install(
            Distribution.Packaged wanted, @Nullable JsonValue tree, Path folder, RegistrySettings settings)
            throws IOException, InterruptedException {
        Path npm = Program.require("npm", LEAST_NPM, HINT);
        Map<String, JsonValue> dependency = Map.of(wanted.name(), JsonString.of(wanted.version()));
        Map<String, JsonValue> manifest = new TreeMap<>();
        manifest.put("name", JsonString.of("acp-agent"));
        manifest.put("version", JsonString.of("0.0.0"));
        manifest.put("private", RawJson.parse("true").value());
        manifest.put("dependencies", JsonObject.of(dependency));
        write(folder.resolve("package.json"), Json.lines(JsonObject.of(manifest)));
        List<String> command = new ArrayList<>(List.of(npm.toString(), tree == null ? "install" : "ci"));
        command.addAll(List.of(
                "--global=false",
                "--save-exact",
                "--no-audit",
                "--no-fund",
                "--no-update-notifier",
                "--omit-lockfile-registry-resolved",
                "--lockfile-version=3",
                "--package-lock=true",
                "--loglevel=error"));
        if (settings.isOffline()) {
            command.add("--offline");
        }
        if (tree != null) {
            write(folder.resolve(LOCK), Json.lines(tree));
        }
        Program.Ended ended = Program.run(command, folder, settings.programs(), LONGEST_SECONDS);
        if (ended.exit() != 0) {
            throw new RegistryException("npm could not install " + wanted.text() + cause(ended.output()) + "\n"
                    + String.join("\n", ended.lastLines()));
        }
        return tree == null ? tree(folder) : tree;
    }

    private static void write(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardCharsets.UTF_8);
    }

    private static JsonValue tree(Path folder) throws IOException {
        Path lock = folder.resolve(LOCK);
        try {
            JsonValue tree = RawJson.parse(Files.readAllBytes(lock)).value();
            // As it will be when it is read back from a lock file.
            write(lock, Json.lines(tree));
            return tree;
        } catch (JsonException e) {
            throw new RegistryException("npm has written a damaged " + LOCK, e);
        }
    }

    /** Names the setting or the fact behind a failure. */
    private static String cause(String output) {
        if (output.contains("EINTEGRITY") || output.contains("integrity checksum failed")) {
            return ": a package has other bytes than those that are pinned";
        }
        if (output.contains("with a date before") || (output.contains("ENOVERSIONS") && output.contains("before"))) {
            return ": the setting min-release-age (or before) of npm refuses this version";
        }
        if (output.contains("ENOTCACHED")) {
            return ": offline, and not in the cache of npm";
        }
        if (output.contains("ETARGET") || output.contains("E404")) {
            return ": the server that the setting registry of npm names does not have it";
        }
        if (output.contains("ECONNREFUSED") || output.contains("ENOTFOUND") || output.contains("ETIMEDOUT")) {
            return ": the server of the settings registry and proxy of npm cannot be reached";
        }
        if (output.contains("E401") || output.contains("E403") || output.contains("ENEEDAUTH")) {
            return ": the server that the setting registry of npm names refuses the user";
        }
        if (output.contains("EBADENGINE")) {
            return ": the setting engine-strict of npm refuses this version of Node.js";
        }
        return "";
    }

    /**
     * Returns the program of a package as a path below the folder.
     *
     * @throws RegistryException if there is none, or several and none has the name of the package
     */
    static String program(Distribution.Packaged wanted, Path folder) throws IOException, InterruptedException {
        String name = wanted.command() == null ? onlyProgram(wanted, folder) : wanted.command();
        String file = "node_modules/.bin/" + EntryPath.ofCommand(name);
        Path windows = folder.resolve(file + ".cmd");
        if (!Files.exists(folder.resolve(file)) && !Files.exists(windows)) {
            throw new RegistryException("the package " + wanted.text() + " has no program " + name);
        }
        return file;
    }

    private static String onlyProgram(Distribution.Packaged wanted, Path folder) throws IOException {
        Path manifest = folder.resolve("node_modules").resolve(wanted.name()).resolve("package.json");
        String bare = wanted.name().substring(wanted.name().indexOf('/') + 1);
        JsonValue bin;
        try {
            JsonObject json =
                    Json.object(RawJson.parse(Files.readAllBytes(manifest)).value(), "package.json");
            bin = json.get("bin").orElse(null);
        } catch (JsonException | IllegalArgumentException e) {
            throw new RegistryException("the package " + wanted.text() + " has a damaged package.json", e);
        }
        if (bin instanceof JsonString) {
            return bare;
        }
        Optional<String> only = Optional.empty();
        if (bin instanceof JsonObject programs) {
            only = programs.members().size() == 1
                    ? programs.members().keySet().stream().findFirst()
                    : programs.members().keySet().stream().filter(bare::equals).findFirst();
        }
        return only.orElseThrow(() ->
                new RegistryException("the package " + wanted.text() + " does not say which program is the agent"));
    }
}
