package dev.acp4j.cli.agents;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.acp4j.cli.AcpRun;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The offline agent as an entry of a registry: packed as for a release, judged, installed and prompted by its name. */
@Timeout(300)
class OwnEntryTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @TempDir
    private Path folder;

    @Test
    @Tag("REG-42")
    @Tag("REG-43")
    @Tag("REG-45")
    @Tag("REG-47")
    void theEntryOfTheOfflineAgentWouldBeListed() throws Exception {
        Path release = folder.resolve("release");
        HttpServer host = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        host.createContext("/", exchange -> {
            Path file = release.resolve(exchange.getRequestURI().getPath().substring(1));
            boolean isHead = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(200, isHead ? -1 : Files.size(file));
            if (!isHead) {
                Files.copy(file, exchange.getResponseBody());
            }
            exchange.close();
        });
        host.start();
        try {
            pack(release, "http://127.0.0.1:" + host.getAddress().getPort() + "/");

            AcpRun judged = run("agents", "validate", release.resolve("acp4j").toString());
            assertThat(judged.exitCode()).as(judged.out() + judged.err()).isZero();
            assertThat(judged.out()).isEqualTo("""
                            warning: platforms: there is no program for windows
                            the registry would list it
                            """);
            AcpRun added = run("agents", "add", "-q", "--index", release.toString(), "acp4j");
            assertThat(added.exitCode()).as(added.err()).isZero();
        } finally {
            host.stop(0);
        }
        AcpRun prompted = run("prompt", "acp4j", "/help");
        assertThat(prompted.exitCode()).as(prompted.err()).isZero();
        assertThat(prompted.out()).contains("/search");
        assertThat(run("agents", "verify").out()).isEqualTo("acp4j 0.1.0: unchanged\n");
        assertThat(run("login", "local", "--agent", "acp4j").err()).contains("Logged in");
    }

    /** Makes the release from a folder as the build leaves it, whose jar names the classes of this test run. */
    private void pack(Path release, String url) throws Exception {
        Path tree = folder.resolve("tree");
        for (String file : List.of("acp", "bin/find-jdk.sh", "deploy/registry-entry", "deploy/icon.svg")) {
            Files.createDirectories(tree.resolve(file).getParent());
            Files.copy(ROOT.resolve(file), tree.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
        }
        // Instead of one that works in the background, longer than this test.
        Files.writeString(tree.resolve("bin/make-cache.sh"), "exit\n");
        Files.createDirectories(tree.resolve("cli/target/lib"));
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        Stream.of(System.getProperty("java.class.path").split(":"))
                                .map(entry -> Path.of(entry).toUri().toString())
                                .collect(Collectors.joining(" ")));
        try (OutputStream jar = Files.newOutputStream(tree.resolve("cli/target/acp.jar"))) {
            new JarOutputStream(jar, manifest).close();
        }

        ProcessBuilder builder = new ProcessBuilder(
                        tree.resolve("deploy/registry-entry").toString(), "0.1.0", url, release.toString())
                .redirectErrorStream(true);
        builder.environment().put("ACP_NO_CACHE", "1");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
    }

    private AcpRun run(String... args) {
        AcpRun.Builder run = AcpRun.acp(args);
        for (String place : List.of("DATA", "CACHE", "CONFIG", "STATE")) {
            run.env("XDG_" + place + "_HOME", folder.resolve(place).toString());
        }
        Map.of("ACP_NO_CACHE", "1", "ACP_REGISTRY", folder.resolve("none.json").toString())
                .forEach(run::env);
        return run.run();
    }
}
