package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Entry;
import dev.acp4j.Session;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.data.Index;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is done when only a part of it can be done: the rest is done, and both are told. */
@Timeout(60)
class ReferenceAgentPartTest {
    private static final String UMLAUT = "gr\u00fcn color\n";

    @TempDir
    Path folder;

    private TestWorkspace workspace = new TestWorkspace(Path.of(""));

    @BeforeEach
    void makeFiles() throws Exception {
        workspace = new TestWorkspace(folder).file("a.txt", "color\n").file("b.txt", "two color color\n");
        Files.write(workspace.path("latin1.txt"), UMLAUT.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** A client that knows no encoding but UTF-8, and refuses to write {@code b.txt}. */
    private static Editor editor() throws InterruptedException {
        return Editor.of(
                ReferenceAgent.create(),
                client -> client.onReadTextFile((session, request) -> {
                            if (request.path().endsWith("latin1.txt")) {
                                throw RpcError.invalidParams(request.path() + " is not UTF-8 text");
                            }
                            return Files.readString(Path.of(request.path()));
                        })
                        .onWriteTextFile((session, request) -> {
                            if (request.path().endsWith("b.txt")) {
                                throw RpcError.invalidParams(request.path() + " is locked");
                            }
                            Files.writeString(Path.of(request.path()), request.content());
                        }));
    }

    @Test
    void aToolCallShowsTheChangesThatWereMade() throws Exception {
        try (Editor editor = editor()) {
            Session session = editor.open(folder);

            String said = session.prompt("/replace color colour").text();

            assertThat(said).contains("Replaced 1 place in 1 file:\n\n- `a.txt:1`");
            assertThat(said).contains("Failed:\n\n- b.txt is locked\n").doesNotContain("Nothing was changed");
            Entry.ToolCall call = Editor.calls(session, ToolKind.EDIT).getFirst();
            assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED);
            assertThat(call.title()).endsWith("3 places in 2 files (1 failed)");
            assertThat(call.locations()).hasSize(1);
            assertThat(call.content())
                    .containsExactly(
                            ToolCallContent.diff(workspace.path("a.txt").toString(), "color\n", "colour\n"),
                            ToolCallContent.text("Failed:\nb.txt is locked"));
        }
    }

    @Test
    void aPlanEntryThatFailedIsNotCompleted() throws Exception {
        try (Editor editor = editor()) {
            Session session = editor.open(folder);

            String said = session.prompt("/fix color -> colour").text();

            assertThat(said).containsOnlyOnce("Failed:").contains("Left as they were:\n\n- `b.txt:1`");
            assertThat(session.view().plan())
                    .filteredOn(entry -> !entry.status().equals(PlanEntryStatus.COMPLETED))
                    .extracting(PlanEntry::content)
                    .containsExactly("Change b.txt (not done)");
            assertThat(Editor.calls(session, ToolKind.EDIT))
                    .filteredOn(call -> call.status().equals(ToolCallStatus.FAILED))
                    .singleElement()
                    .satisfies(call -> assertThat(call.content())
                            .containsExactly(ToolCallContent.text("Failed:\nb.txt is locked")));
        }
    }

    @Test
    void aClientThatWroteAndStillReportsAnErrorIsNotBelievedBlindly() throws Exception {
        Editor editor = Editor.of(
                ReferenceAgent.create(),
                client -> client.onReadTextFile((session, request) -> Files.readString(Path.of(request.path())))
                        .onWriteTextFile((session, request) -> {
                            Files.writeString(Path.of(request.path()), "half");
                            throw RpcError.invalidParams("no room");
                        }));
        try (editor) {
            String said = editor.open(folder)
                    .prompt("/replace color colour --in a.txt")
                    .text();

            assertThat(said).isEqualTo("Failed:\n\n- a.txt: no room; it may have been changed\n\n");
        }
    }

    @Test
    void whatTheClientCannotWriteIsNotOffered() throws Exception {
        try (Editor editor = editor()) {
            Session session = editor.open(folder);

            String said =
                    session.prompt("/replace color colour --in latin1.txt").text();

            assertThat(said)
                    .startsWith("Left out:\n\n- latin1.txt is not UTF-8 text\n")
                    .endsWith("Nothing else to replace: no file has `color`.\n");
            assertThat(editor.asked()).isEmpty();
        }
    }

    @Test
    void aFileInAnotherEncodingIsReadFromTheDisk() throws Exception {
        try (Editor editor = editor()) {
            Session session = editor.open(folder);

            assertThat(session.prompt("/read latin1.txt").text()).contains("gr\u00fcn color");
            assertThat(session.prompt("what does latin1.txt do?").text()).contains("1 line of Text");
        }
    }

    @Test
    void aFileInAnotherEncodingKeepsIt() throws Exception {
        try (Editor editor = Editor.of(ReferenceAgent.create())) {
            Session session = editor.open(folder);

            assertThat(session.prompt("/replace color \u20ac --in latin1.txt").text())
                    .contains("latin1.txt: its encoding, ISO-8859-1, lacks a character");
            assertThat(editor.asked()).isEmpty();
            assertThat(session.prompt("/replace color colour --in latin1.txt").text())
                    .startsWith("Replaced 1 place");

            assertThat(Files.readString(workspace.path("latin1.txt"), StandardCharsets.ISO_8859_1))
                    .isEqualTo("gr\u00fcn colour\n");
        }
    }

    @Test
    void aFileThatIsTooMuchForAPatternIsLeftOut() throws Exception {
        workspace.file("big.txt", "a".repeat(400_000) + "b").file("small.txt", "aac\n");
        try (Editor editor = Editor.of(ReferenceAgent.create())) {
            Session session = editor.open(folder);

            assertThat(session.prompt("/search --regex (a|aa)+c").text())
                    .contains("1 line in 1 file", "small.txt:1", "Left out:\n\n- big.txt: the pattern is too deep");
            assertThat(session.prompt("/replace --regex (a|aa)+c x").text())
                    .contains("Replaced 1 place in 1 file", "Left out:\n\n- big.txt: the pattern is too deep");
        }
    }

    @Test
    void aCancelledChangeShowsWhatWasMadeBefore() throws Exception {
        AtomicInteger writes = new AtomicInteger();
        CountDownLatch never = new CountDownLatch(1);
        Editor editor = Editor.of(
                ReferenceAgent.create(),
                client -> client.onReadTextFile((session, request) -> Files.readString(Path.of(request.path())))
                        .onWriteTextFile((session, request) -> {
                            if (writes.incrementAndGet() == 2) {
                                session.cancel();
                                never.await();
                            }
                            Files.writeString(Path.of(request.path()), request.content());
                        }));
        try (editor) {
            Session session = editor.open(folder);

            var turn = session.prompt("/replace color colour --in a.txt --in b.txt");

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
            Entry.ToolCall call = Editor.calls(session, ToolKind.EDIT).getFirst();
            assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED);
            assertThat(call.content())
                    .hasSize(3)
                    .endsWith(ToolCallContent.text("Cancelled."))
                    .satisfies(
                            content -> assertThat(content).isInstanceOf(ToolCallContent.Diff.class), Index.atIndex(0))
                    .anyMatch(content -> content.toString().contains("cancelled meanwhile"));
        }
    }
}
