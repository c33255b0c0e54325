package dev.acp4j.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** A real folder with files, for tests. */
record TestWorkspace(Path root) {
    TestWorkspace file(String name, String text) {
        try {
            Path path = root.resolve(name);
            Files.createDirectories(Objects.requireNonNull(path.getParent()));
            Files.writeString(path, text);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String text(String name) {
        try {
            return Files.readString(root.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path path(String name) {
        return root.resolve(name);
    }

    /** Makes the folder a Git checkout. */
    TestWorkspace git() throws IOException, InterruptedException {
        run("git", "init", "-q", "-b", "main");
        run("git", "config", "user.email", "test@example.org");
        run("git", "config", "user.name", "Test");
        return this;
    }

    String run(String... command) throws IOException, InterruptedException {
        List<Byte> output = new ArrayList<>();
        try (LocalProcess process = LocalProcess.command(root, List.of(command))) {
            for (byte[] piece = process.next(Duration.ofSeconds(1));
                    piece != null;
                    piece = process.next(Duration.ofSeconds(1))) {
                for (byte b : piece) {
                    output.add(b);
                }
            }
            byte[] bytes = new byte[output.size()];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = output.get(i);
            }
            String text = new String(bytes, StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + text);
            }
            return text;
        }
    }

    WorkspaceFiles files() {
        return new WorkspaceFiles(List.of(root));
    }

    List<String> names() throws IOException, InterruptedException {
        return files().list().files().stream().map(WorkspaceFile::name).sorted().toList();
    }

    /** The small web shop among the test resources, copied. */
    static TestWorkspace shop(Path folder) throws IOException, URISyntaxException {
        URL corpus = Objects.requireNonNull(TestWorkspace.class.getResource("/corpus"));
        Path from = Path.of(corpus.toURI());
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Path to = folder.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(to);
                } else {
                    Files.copy(path, to);
                }
            }
        }
        return new TestWorkspace(folder);
    }
}
