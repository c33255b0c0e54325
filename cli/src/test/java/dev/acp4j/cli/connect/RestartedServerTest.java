package dev.acp4j.cli.connect;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.KeepingAgent;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import java.io.BufferedReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code acp connect} before an {@code acp serve} that ends and is started anew, each as a process of its own. */
@Timeout(180)
class RestartedServerTest {
    @TempDir
    private Path folder;

    /** A server that runs, with an agent that keeps its sessions in files. */
    private final class Served implements AutoCloseable {
        final Process process;
        final URI uri;
        final Path tokens;

        Served(TcpPath path, String offer) throws Exception {
            List<String> agent = new ArrayList<>(AcpRun.java(KeepingAgent.class));
            agent.add(Files.createDirectories(folder.resolve("sessions")).toString());
            agent.add(offer);
            process = acp("serve", "--port", "0", "--json", "--drain", "1s", "--host", path.host())
                    .env("XDG_STATE_HOME", folder.toString())
                    .agent(agent.toArray(String[]::new))
                    .redirected("2>>" + folder.resolve("log"))
                    .start();
            process.getOutputStream().close();
            BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
            String line = out.readLine();
            assertThat(line).as(() -> log()).isNotNull();
            JsonObject started = (JsonObject) RawJson.parse(line).value();
            uri = URI.create(started.text("url").orElseThrow());
            tokens = Path.of(started.text("tokens").orElseThrow());
            path.leadTo(uri);
        }

        private String log() {
            try {
                return Files.readString(folder.resolve("log"));
            } catch (java.io.IOException e) {
                return e.toString();
            }
        }

        void end(boolean isKilled) {
            if (isKilled) {
                process.destroyForcibly();
            } else {
                process.destroy();
            }
            Process unused = process.onExit().join();
        }

        @Override
        public void close() {
            end(true);
        }
    }

    @ParameterizedTest
    @CsvSource({"events,load,true", "websocket,load,false", "events,resume,false"})
    @Tag("CNX-06")
    void theSessionGoesOnAndWhatItHasSaidIsNotSaidAgain(String over, String offer, boolean isKilled) throws Exception {
        try (TcpPath path = new TcpPath("http")) {
            Served first = new Served(path, offer);
            try (RawEditor editor = new RawEditor(acp(
                    "connect",
                    "--over",
                    over,
                    "--token-file",
                    first.tokens.toString(),
                    path.uri().toString()))) {
                String session = editor.open("{}");
                editor.prompt("first", session, "one");
                editor.await("\"first\"");
                editor.prompt("cut", session, "wait");
                editor.await("Prompt 2");
                first.end(isKilled);
                try (Served second = new Served(path, offer)) {
                    editor.awaitErr("anew; turns that ran were interrupted");
                    editor.prompt("again", session, "three");
                    assertThat(editor.await("\"again\"")).contains("end_turn");
                    assertThat(second.process.isAlive()).isTrue();
                    assertThat(editor.end()).isZero();
                }

                assertThat(editor.out)
                        .filteredOn(line -> line.contains("Prompt"))
                        .hasSize(3)
                        .last()
                        .asString()
                        .contains("Prompt 3", session);
                assertThat(editor.out).noneMatch(line -> line.contains("An answer to"));
                assertThat(editor.out)
                        .filteredOn(line -> line.contains("\"cut\""))
                        .hasSize(1)
                        .allMatch(line -> line.contains("\"error\""));
            } finally {
                first.close();
            }
        }
    }
}
