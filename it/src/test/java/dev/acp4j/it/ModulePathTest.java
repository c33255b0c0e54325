package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.testkit.Transports;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program that is a module uses ours as modules, with nothing beside them that a user would not have. */
@Tag("SCH-22")
@Timeout(120)
class ModulePathTest {
    private static final String PROGRAM = """
            package probe;

            import dev.acp4j.Agent;
            import dev.acp4j.Client;
            import dev.acp4j.rpc.MemoryTransport;
            import java.nio.file.Path;

            public class Main {
                public static void main(String[] arguments) throws Exception {
                    MemoryTransport.Pair pair = MemoryTransport.pair();
                    Agent agent = Agent.builder("agent", "1")
                            .onPrompt(turn -> turn.message("from " + Agent.class.getModule()))
                            .build();
                    try (var client = agent.connect(pair.left());
                            var connection = Client.builder("client", "1").connect(pair.right());
                            var session = connection.newSession(Path.of("").toAbsolutePath());
                            var turn = session.prompt("hello")) {
                        System.out.println(turn.text());
                    }
                }
            }
            """;

    @TempDir
    private Path folder;

    @Test
    void aProgramNeedsNothingButTheModuleItRequires() throws Exception {
        String core = location(Agent.class);

        compile(core, "requires dev.acp4j;");

        assertThat(run(core)).contains("from module dev.acp4j");
    }

    @Test
    void theTestkitIsAModule() throws Exception {
        String path = String.join(File.pathSeparator, location(Agent.class), location(Transports.class));

        compile(path, "requires dev.acp4j.testkit;");

        assertThat(run(path)).contains("from module dev.acp4j");
    }

    private void compile(String path, String requires) throws Exception {
        Path program = folder.resolve("probe/Main.java");
        Files.createDirectories(program.getParent());
        Files.writeString(program, PROGRAM);
        Path module = Files.writeString(folder.resolve("module-info.java"), "module probe { " + requires + " }");
        StringWriter out = new StringWriter();
        int code = tool("javac")
                .run(
                        new PrintWriter(out),
                        new PrintWriter(out),
                        "-Werror",
                        "--module-path",
                        path,
                        "-d",
                        folder.resolve("out").toString(),
                        program.toString(),
                        module.toString());
        assertThat(code).as(out::toString).isZero();
    }

    private String run(String path) throws Exception {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--module-path",
                folder.resolve("out") + File.pathSeparator + path,
                "--module",
                "probe/probe.Main");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return output;
    }

    private static ToolProvider tool(String name) {
        return ToolProvider.findFirst(name).orElseThrow();
    }

    private static String location(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
