package dev.acp4j.agent;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A tool that builds the workspace, known by the file it reads.
 *
 * @param name as people call it
 * @param file the file that identifies it, relative to the working directory
 * @param testCommand the command that runs the tests; empty if there is no common one
 */
record BuildTool(String name, String file, String testCommand) {
    private static final List<BuildTool> KNOWN = List.of(
            new BuildTool("Maven", "pom.xml", "mvn -q test"),
            new BuildTool("Gradle", "build.gradle.kts", "gradle test"),
            new BuildTool("Gradle", "build.gradle", "gradle test"),
            new BuildTool("Gradle", "settings.gradle.kts", "gradle test"),
            new BuildTool("Gradle", "settings.gradle", "gradle test"),
            new BuildTool("sbt", "build.sbt", "sbt test"),
            new BuildTool("Bazel", "MODULE.bazel", "bazel test //..."),
            new BuildTool("Bazel", "WORKSPACE", "bazel test //..."),
            new BuildTool("Cargo", "Cargo.toml", "cargo test"),
            new BuildTool("Go", "go.mod", "go test ./..."),
            new BuildTool("pnpm", "pnpm-lock.yaml", "pnpm test"),
            new BuildTool("Yarn", "yarn.lock", "yarn test"),
            new BuildTool("Deno", "deno.json", "deno test"),
            new BuildTool("npm", "package.json", "npm test"),
            new BuildTool("Python", "pyproject.toml", "python3 -m pytest"),
            new BuildTool("Python", "setup.py", "python3 -m pytest"),
            new BuildTool("Python", "requirements.txt", "python3 -m pytest"),
            new BuildTool("Bundler", "Gemfile", "bundle exec rake"),
            new BuildTool("Composer", "composer.json", "composer test"),
            new BuildTool("Mix", "mix.exs", "mix test"),
            new BuildTool("Dart", "pubspec.yaml", "dart test"),
            new BuildTool("Swift", "Package.swift", "swift test"),
            new BuildTool("Zig", "build.zig", "zig build test"),
            new BuildTool("CMake", "CMakeLists.txt", "ctest --test-dir build"),
            new BuildTool("Meson", "meson.build", "meson test -C build"),
            new BuildTool("Make", "Makefile", "make test"));

    /** Returns the tools whose files are in {@code folder}, each once. */
    static List<BuildTool> in(Path folder) {
        List<BuildTool> found = new ArrayList<>();
        for (BuildTool tool : KNOWN) {
            boolean isNew = found.stream().noneMatch(tool::replaces);
            if (isNew && Files.isRegularFile(folder.resolve(tool.file()))) {
                found.add(tool.withWrapper(folder));
            }
        }
        return found;
    }

    /** Whether a file of this name says how something is built. */
    static boolean isBuildFile(String fileName) {
        return KNOWN.stream().anyMatch(tool -> tool.file().equals(fileName));
    }

    /** npm's file also exists beside those of its alternatives. */
    private boolean replaces(BuildTool found) {
        boolean packages = name.equals("npm")
                && (found.name().equals("pnpm") || found.name().equals("Yarn"));
        return found.name().equals(name) || packages;
    }

    /** A wrapper script fetches the version required by the project. */
    private BuildTool withWrapper(Path folder) {
        String wrapper = name.equals("Maven") ? "mvnw" : "gradlew";
        String command = name.equals("Maven") ? "mvn " : "gradle ";
        boolean wrapped = testCommand.startsWith(command) && Files.isExecutable(folder.resolve(wrapper));
        return wrapped
                ? new BuildTool(name, file, "./" + wrapper + " " + testCommand.substring(command.length()))
                : this;
    }
}
