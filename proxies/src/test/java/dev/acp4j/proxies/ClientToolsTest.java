package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.Session;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.CreateTerminalResponse;
import dev.acp4j.schema.KillTerminalRequest;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputRequest;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import dev.acp4j.schema.WaitForTerminalExitRequest;
import dev.acp4j.schema.WaitForTerminalExitResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ClientToolsTest {
    @TempDir
    private Path temporary;

    private Path folder = Path.of("");
    private final List<String> done = new CopyOnWriteArrayList<>();
    private final List<String> notices = new CopyOnWriteArrayList<>();
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeEach
    void folder() throws Exception {
        folder = Files.createDirectory(temporary.toRealPath().resolve("project"));
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private Session session(Proxy proxy, Client.Builder client, Version version) throws Exception {
        AskingAgent chain = new AskingAgent(proxy, client, version);
        open.add(chain);
        return chain.client().newSession(folder);
    }

    private Client.Builder editor(boolean allows) {
        return Client.builder("editor", "1")
                .onPermission(question -> {
                    done.add("asked: " + question.title());
                    return allows ? question.allowOnce() : question.rejectOnce();
                })
                .onReadTextFile((session, request) -> "unsaved " + request.path() + " from " + request.line())
                .onWriteTextFile((session, request) -> done.add("wrote: " + request.content()))
                .terminals(new Shown());
    }

    @Test
    @Tag("RMP-27")
    void filesAndTerminalsOfTheClientAreToolsAndWhatChangesSomethingIsAskedFor() throws Exception {
        Session session = session(ClientTools.create(notices::add), editor(true), Version.V1);

        assertThat(session.prompt("tools").text())
                .isEqualTo("client__read_text_file client__write_text_file client__run_command");
        assertThat(session.prompt("client__read_text_file {\"path\":\"a.txt\",\"line\":2}")
                        .text())
                .isEqualTo("unsaved " + folder.resolve("a.txt") + " from 2");
        assertThat(done).isEmpty();
        assertThat(session.prompt("client__write_text_file {\"path\":\"a.txt\",\"content\":\"new\"}")
                        .text())
                .isEqualTo("Written.");
        assertThat(session.prompt("client__run_command {\"command\":\"make\",\"args\":[\"all\"]}")
                        .text())
                .isEqualTo("made\n[Exit code 3]");
        assertThat(done)
                .containsExactly(
                        "asked: Write " + folder.resolve("a.txt"),
                        "wrote: new",
                        "asked: Run make all",
                        "ran: make [all] in " + folder,
                        "released");
        assertThat(notices).isEmpty();
    }

    @Test
    @Tag("RMP-27")
    void whatIsRejectedOrOutsideOfTheFoldersIsNotDone() throws Exception {
        Files.createSymbolicLink(folder.resolve("link"), temporary);
        Session session = session(ClientTools.create(notices::add), editor(false), Version.V1);

        assertThat(session.prompt("client__write_text_file {\"path\":\"a.txt\",\"content\":\"new\"}")
                        .text())
                .contains("not allowed");
        for (String path : List.of("../b.txt", "/etc/passwd", "link/b.txt")) {
            assertThat(session.prompt("client__read_text_file {\"path\":\"" + path + "\"}")
                            .text())
                    .as(path)
                    .contains("outside of the session's folders");
        }
        assertThat(done).containsExactly("asked: Write " + folder.resolve("a.txt"));
    }

    @Test
    @Tag("RMP-27")
    void rulesBeforeItAnswerItsQuestions() throws Exception {
        Proxy rules = PermissionRules.builder()
                .allow(ToolKind.EDIT)
                .denyTools("run_command")
                .build();
        Session session = session(rules.then(ClientTools.create(notices::add)), editor(false), Version.V1);

        assertThat(session.prompt("client__write_text_file {\"path\":\"a.txt\",\"content\":\"new\"}")
                        .text())
                .isEqualTo("Written.");
        assertThat(session.prompt("client__run_command {\"command\":\"make\"}").text())
                .contains("not allowed");
        assertThat(done).containsExactly("wrote: new");
    }

    @Test
    @Tag("RMP-27")
    void whatTheClientDoesNotOfferIsNoTool() throws Exception {
        Client.Builder reader = Client.builder("reader", "1").onReadTextFile((session, request) -> "text");

        assertThat(session(ClientTools.create(notices::add), reader, Version.V1)
                        .prompt("tools")
                        .text())
                .isEqualTo("client__read_text_file");
        assertThat(session(ClientTools.create(notices::add), Client.builder("plain", "1"), Version.V2)
                        .prompt("tools")
                        .text())
                .isEmpty();
        assertThat(notices)
                .containsExactly("The client offers neither files nor terminals, so the agent gets no tools for them.");
    }

    /** Says what it is asked to run. */
    private final class Shown implements Client.TerminalHandler {
        @Override
        public CreateTerminalResponse create(Session session, CreateTerminalRequest request) {
            done.add("ran: " + request.command() + " " + request.args() + " in " + request.cwd());
            return CreateTerminalResponse.of(TerminalId.of("t"));
        }

        @Override
        public TerminalOutputResponse output(Session session, TerminalOutputRequest request) {
            return TerminalOutputResponse.builder("made", false).build();
        }

        @Override
        public WaitForTerminalExitResponse waitForExit(Session session, WaitForTerminalExitRequest request) {
            return WaitForTerminalExitResponse.builder().exitCode(3L).build();
        }

        @Override
        public void kill(Session session, KillTerminalRequest request) {
            done.add("killed");
        }

        @Override
        public void release(Session session, ReleaseTerminalRequest request) {
            done.add("released");
        }

        @Override
        public void sessionEnded(Session session) {}
    }
}
