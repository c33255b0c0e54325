package dev.acp4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs the programs of the README, and the commands of docs/deployment.md, as a reader copies them. */
@Timeout(240)
class PrintedProgramsTest {
    private static final Path ROOT = Path.of("..");
    private static final String JAR = "acp4j-core-0.1.0-SNAPSHOT.jar";
    private static final Pattern PROGRAM = Pattern.compile("```java\n(.*?final class (\\w+) .*?)```", Pattern.DOTALL);
    private static final Pattern COMMANDS = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path folder;

    @Test
    void theProgramsOfTheReadmeCompileAndRun() throws Exception {
        saveProgramsOfTheReadme();
        String sources = compile("Ask.java", "EchoAgent.java");

        assertThat(sources).isEmpty();
        assertThat(run("java -cp " + JAR + " Ask.java java -cp " + JAR + " EchoAgent.java"))
                .isEqualTo("You said: What is 2 + 2? [end_turn]\n");
    }

    @Test
    void theCommandsOfTheDeploymentPageRun() throws Exception {
        saveProgramsOfTheReadme();
        String commands = COMMANDS.matcher(Files.readString(ROOT.resolve("docs/deployment.md")))
                .results()
                .map(block -> block.group(1))
                .collect(Collectors.joining("\n"));

        String printed = run(commands);

        // The answers of the jars, of the start with the cache, and of the image without and with one.
        assertThat(printed.lines().filter(line -> line.contains("\"agentInfo\"")))
                .hasSize(4);
        assertThat(folder.resolve("echo.aot")).isNotEmptyFile();
        assertThat(folder.resolve("image/bin/echo")).isExecutable();
    }

    /** Saves each program under its name, and the library beside them. */
    private void saveProgramsOfTheReadme() throws Exception {
        var programs = PROGRAM.matcher(Files.readString(ROOT.resolve("README.md")))
                .results()
                .toList();
        assertThat(programs).hasSize(2);
        for (var program : programs) {
            Files.writeString(folder.resolve(program.group(2) + ".java"), program.group(1));
        }
        Path core = Path.of(
                Agent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(core)) {
            tool("jar", "--create", "--file", folder.resolve(JAR).toString(), "-C", core.toString(), ".");
        } else {
            Files.copy(core, folder.resolve(JAR));
        }
    }

    private String compile(String... sources) throws IOException {
        Path classes = Files.createDirectory(folder.resolve("classes"));
        // Without the annotations that are there at compile time only, and that classes of the library carry.
        List<String> arguments = new ArrayList<>(
                List.of("-Xlint:all,-classfile", "-Werror", "--release", "21", "-d", classes.toString()));
        arguments.addAll(List.of("-cp", folder.resolve(JAR).toString()));
        for (String source : sources) {
            arguments.add(folder.resolve(source).toString());
        }
        return tool("javac", arguments.toArray(String[]::new));
    }

    private static String tool(String name, String... arguments) {
        StringWriter output = new StringWriter();
        PrintWriter printed = new PrintWriter(output);
        int code = ToolProvider.findFirst(name).orElseThrow().run(printed, printed, arguments);
        assertThat(code).as(output.toString()).isZero();
        return output.toString();
    }

    /** Runs commands in the folder, with the JDK of this test first on the path. */
    private String run(String commands) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        ProcessBuilder shell = new ProcessBuilder("bash", "-euc", commands)
                .directory(folder.toFile())
                .redirectOutput(output.toFile())
                .redirectError(folder.resolve("errors").toFile());
        String jdk = System.getProperty("java.home");
        shell.environment().put("JAVA_HOME", jdk);
        shell.environment().merge("PATH", jdk + "/bin", (old, first) -> first + File.pathSeparator + old);
        Process process = shell.start();
        process.getOutputStream().close();
        boolean ended = process.waitFor(200, TimeUnit.SECONDS);
        process.destroyForcibly();
        String errors = Files.readString(folder.resolve("errors"));
        assertThat(ended).as(errors).isTrue();
        assertThat(process.exitValue()).as(Files.readString(output) + errors).isZero();
        return Files.readString(output);
    }
}
