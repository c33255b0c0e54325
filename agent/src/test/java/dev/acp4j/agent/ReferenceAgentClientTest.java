package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Entry;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The agent with a client that offers its files and terminals. */
@Timeout(60)
class ReferenceAgentClientTest {
    @TempDir
    Path folder;

    /** What is open in the editor and not saved, by path. */
    private final Map<String, String> buffers = new ConcurrentHashMap<>();

    private Editor editorWithFiles() throws InterruptedException {
        return Editor.of(
                ReferenceAgent.create(),
                client -> client.onReadTextFile((session, request) -> {
                            String text = buffers.get(request.path());
                            if (text == null) {
                                throw RpcError.resourceNotFound("not open: " + request.path());
                            }
                            return text;
                        })
                        .onWriteTextFile((session, request) -> buffers.put(request.path(), request.content())));
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    @Test
    void whatTheEditorHasNotSavedIsReadAndSearched() throws Exception {
        new TestWorkspace(folder).file("a.txt", "alpha\n");
        buffers.put(path("a.txt"), "new first line\nalpha\n");
        try (Editor editor = editorWithFiles()) {
            Session session = editor.open(folder);

            assertThat(session.prompt("/read a.txt").text()).contains("1  new first line");
            assertThat(session.prompt("alpha").text()).contains("a.txt:2");
            assertThat(session.prompt("/search --exact alpha").text()).contains("a.txt:2");
        }
    }

    @Test
    void changesGoToTheEditorAndNotToTheDisk() throws Exception {
        TestWorkspace workspace = new TestWorkspace(folder).file("a.txt", "alpha\n");
        buffers.put(path("a.txt"), "alpha and more alpha\n");
        try (Editor editor = editorWithFiles()) {
            Session session = editor.open(folder);

            assertThat(session.prompt("/replace alpha beta").text()).contains("Replaced 2 places in ");

            assertThat(buffers).containsEntry(path("a.txt"), "beta and more beta\n");
            assertThat(workspace.text("a.txt")).isEqualTo("alpha\n");
        }
    }

    @Test
    void aFileThatTheClientRefusesIsNotReadBehindItsBack() throws Exception {
        new TestWorkspace(folder).file("a.txt", "alpha\n");
        try (Editor editor = editorWithFiles()) {
            Session session = editor.open(folder);

            assertThat(session.prompt("/read a.txt").text())
                    .contains("not open")
                    .doesNotContain("alpha");
            Entry.ToolCall call = Editor.calls(session, ToolKind.READ).getFirst();
            assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED);
        }
    }

    @Test
    void aClientWithoutTerminalsThatShowsThoseOfAgentsSeesTheOutputLive() throws Exception {
        try (Editor editor = Editor.of(ReferenceAgent.create(), client -> client.agentTerminals(true))) {
            Session session = editor.open(folder);
            StringBuilder live = new StringBuilder();
            try (Turn turn = session.prompt("/run echo one; until [ -e seen ]; do :; done; echo two; exit 3")) {
                for (SessionEvent event : turn) {
                    if (event instanceof SessionEvent.TerminalChanged changed) {
                        live.append(changed.output());
                        if (changed.output().contains("one")
                                && changed.terminal().exitStatus() == null) {
                            new TestWorkspace(folder).file("seen", "");
                        }
                    }
                }
            }

            assertThat(live).hasToString("one\ntwo\n");
            Entry.ToolCall call = Editor.calls(session, ToolKind.EXECUTE).getFirst();
            Entry.Terminal terminal =
                    session.view().terminal(TerminalId.of(call.id().value())).orElseThrow();
            assertThat(terminal.exitStatus()).isEqualTo(TerminalExitStatus.exited(3));
            assertThat(terminal.cwd()).isEqualTo(folder.toString());
        }
    }

    @Test
    void aCommandRunsInATerminalOfTheClient() throws Exception {
        ScriptedTerminals terminals = new ScriptedTerminals("all is well\n");
        terminals.end();
        try (Editor editor = Editor.of(ReferenceAgent.create(), client -> client.terminals(terminals))) {
            Session session = editor.open(folder);

            assertThat(session.prompt("/run make all").text()).contains("`make all` ended with exit code 0");

            terminals.awaitReleased();
            assertThat(terminals.created()).singleElement().satisfies(request -> {
                assertThat(request.command()).isEqualTo("sh");
                assertThat(request.args()).containsExactly("-c", "make all");
                assertThat(request.cwd()).isEqualTo(folder.toString());
            });
            Entry.ToolCall call = Editor.calls(session, ToolKind.EXECUTE).getFirst();
            assertThat(call.content()).containsExactly(ToolCallContent.terminal(TerminalId.of("terminal-1")));
            assertThat(String.valueOf(call.rawOutput())).contains("all is well");

            session.detach();
            Session loaded = editor.agent().loadSession(session.id(), folder);
            assertThat(Editor.calls(loaded, ToolKind.EXECUTE).getFirst().content())
                    .containsExactly(ToolCallContent.text("all is well\n"));
        }
    }

    @Test
    void aCancelledTurnReleasesItsTerminal() throws Exception {
        ScriptedTerminals terminals = new ScriptedTerminals("");
        try (Editor editor = Editor.of(ReferenceAgent.create(), client -> client.terminals(terminals))) {
            Session session = editor.open(folder);
            var turn = session.prompt("/run sleep 1000");
            terminals.awaitWaiting();

            turn.cancel();

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
            terminals.awaitReleased();
            assertThat(Objects.requireNonNull(
                                    Editor.calls(session, ToolKind.EXECUTE).getFirst())
                            .status())
                    .isEqualTo(ToolCallStatus.FAILED);
        }
    }
}
