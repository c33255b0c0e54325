package dev.acp4j.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * The JVMs that tests start, which is most of what tests of commands do. They have an archive of their classes, which
 * saves a third of each start. It is made by the first of them, and needs jars in the place of the folders of the class
 * path.
 */
final class TestJava {
    /** The program with its options and the class path: a main class follows. */
    static final List<String> COMMAND = prepared();

    private TestJava() {}

    private static List<String> prepared() {
        try {
            // Two JVMs run tests at the same time, and each has a folder of its own.
            Path target = Files.createDirectories(Path.of("target").toAbsolutePath());
            Path folder = Files.createTempDirectory(target, "test-java-");
            folder.toFile().deleteOnExit();
            Path archive = file(folder, "classes.jsa");
            String classPath = withoutFolders(folder);
            List<String> training = new ArrayList<>(command("-XX:ArchiveClassesAtExit=" + archive, classPath));
            training.addAll(List.of(Acp.class.getName(), "prompt", "hello", "--"));
            training.addAll(command("-Xshare:auto", classPath));
            training.add(ScriptedAgent.class.getName());
            Path output = file(folder, "output.txt");
            ProcessBuilder builder =
                    new ProcessBuilder(training).redirectErrorStream(true).redirectOutput(output.toFile());
            builder.environment().put("XDG_STATE_HOME", target.resolve("state").toString());
            Process process = builder.start();
            process.getOutputStream().close();
            if (process.waitFor() != 0 || !Files.exists(archive)) {
                throw new IllegalStateException("no archive of classes was made:\n" + Files.readString(output));
            }
            return command("-XX:SharedArchiveFile=" + archive, classPath);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> command(String option, String classPath) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                option,
                "-cp",
                classPath);
    }

    /** Returns the class path of the tests with a jar for each folder. */
    private static String withoutFolders(Path jars) throws IOException {
        String separator = System.getProperty("path.separator");
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(separator, -1)) {
            Path path = Path.of(entry);
            if (Files.isDirectory(path)) {
                path = jar(path, file(jars, entries.size() + ".jar"));
            }
            entries.add(path.toString());
        }
        return String.join(separator, entries);
    }

    /** Returns a file that is deleted when the tests have ended. */
    private static Path file(Path folder, String name) {
        Path file = folder.resolve(name);
        file.toFile().deleteOnExit();
        return file;
    }

    private static Path jar(Path folder, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> files = Files.walk(folder)) {
            out.setLevel(0);
            for (Path each : (Iterable<Path>) files.filter(Files::isRegularFile).sorted()::iterator) {
                out.putNextEntry(new ZipEntry(folder.relativize(each).toString().replace('\\', '/')));
                Files.copy(each, out);
                out.closeEntry();
            }
        }
        return jar;
    }
}
