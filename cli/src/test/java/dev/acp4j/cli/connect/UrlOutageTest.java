package dev.acp4j.cli.connect;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.cli.TerminalRun;
import dev.acp4j.http.BearerTokens;
import dev.acp4j.http.Http;
import dev.acp4j.http.RunningServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What people see of an outage in {@code acp chat} and {@code acp prompt} with {@code --url}. */
@Timeout(120)
@Tag("CNX-26")
class UrlOutageTest {
    private static final String TOKEN = "a-token-that-is-long-enough";

    @TempDir
    private Path folder;

    private final Semaphore started = new Semaphore(0);
    private final Semaphore steps = new Semaphore(0);
    private TcpPath path;
    private RunningServer server;

    @BeforeEach
    void serve() throws Exception {
        path = new TcpPath("http");
        Agent agent = Agent.builder("remote", "1.0")
                .onPrompt(turn -> {
                    turn.message("The beginning, ");
                    started.release();
                    steps.acquire();
                    turn.message("and the end.");
                })
                .build();
        server = Http.on(0)
                .allowedHosts(path.host())
                .tokens(BearerTokens.of("me", TOKEN))
                .drainTime(Duration.ZERO)
                .start(agent::connect);
        path.leadTo(server.uri());
    }

    @AfterEach
    void close() throws Exception {
        path.close();
        server.close();
    }

    @Test
    void aChatShowsThatTheConnectionIsLostAndThatItIsThereAgain() throws Exception {
        try (TerminalRun chat = TerminalRun.alone(
                folder,
                Map.of("ACP_TOKEN", TOKEN, "NO_COLOR", "1"),
                "chat",
                "--url",
                path.uri().toString())) {
            // Before anything is asked, too.
            chat.await("remote");
            path.refuse(true);
            chat.await("does not answer; trying again, and what you send waits");
            path.refuse(false);
            chat.await("again after").await(" s; nothing was lost");
            chat.press("Hello.\r").await("The beginning,");
            path.refuse(true);
            chat.await("does not answer; trying again, and what you send waits");
            path.refuse(false);
            chat.await("again after").await(" s; nothing was lost");
            steps.release();
            chat.await("and the end.");
            chat.press("\u0004");

            assertThat(chat.end()).isZero();
            assertThat(chat.all()).doesNotContain("\u001b[31m", "\u001b[33m", "\u001b[38;");
        }
    }

    @Test
    void aPromptSaysItOnStandardErrorAndItsAnswerIsTheAnswer() throws Exception {
        List<String> shown = said();
        List<String> json = said("--json");

        assertThat(shown).containsExactly("The beginning, and the end.");
        assertThat(json)
                .filteredOn(line -> line.contains("notice"))
                .hasSize(2)
                .allMatch(line -> line.startsWith("{") && line.endsWith("}"));
    }

    /** Returns the lines on standard output of a prompt whose connection is away for a while. */
    private List<String> said(String... options) throws Exception {
        List<String> words =
                new ArrayList<>(List.of("prompt", "--url", path.uri().toString()));
        words.addAll(List.of(options));
        words.add("Hello.");
        try (RawEditor prompt = new RawEditor(acp(words.toArray(String[]::new)).env("ACP_TOKEN", TOKEN))) {
            prompt.process.getOutputStream().close();
            started.acquire();
            path.refuse(true);
            if (options.length == 0) {
                assertThat(prompt.awaitErr("does not answer")).doesNotContain("\u001b");
            } else {
                assertThat(prompt.await("does not answer")).contains("notice");
            }
            path.refuse(false);
            if (options.length == 0) {
                prompt.awaitErr("nothing was lost");
            } else {
                prompt.await("nothing was lost");
            }
            steps.release();
            assertThat(prompt.awaitExit()).isZero();
            return List.copyOf(prompt.out);
        }
    }
}
