package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ReferenceAgentCancelTest {
    @TempDir
    Path folder;

    private TestWorkspace workspace() {
        return new TestWorkspace(folder);
    }

    private static void waitFor(Turn turn, String output) {
        for (SessionEvent event : turn) {
            if (event instanceof SessionEvent.ToolCallChanged changed
                    && changed.call().content().toString().contains(output)) {
                return;
            }
        }
    }

    @Test
    void cancellingARunEndsTheCommandAndWhatItStarted() throws Exception {
        try (Editor editor = Editor.of(ReferenceAgent.create())) {
            Session session = editor.open(folder);
            Turn turn = session.prompt("/run sleep 1000 & echo child $!; wait");
            waitFor(turn, "child ");
            long child = childOf(session);
            ProcessHandle process = ProcessHandle.of(child).orElseThrow();

            session.cancel();

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
            process.onExit().get(30, TimeUnit.SECONDS);
            assertThat(Editor.calls(session, ToolKind.EXECUTE)).singleElement().satisfies(call -> {
                assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED);
                assertThat(call.content().getLast()).isEqualTo(ToolCallContent.text("Cancelled."));
            });
            assertThat(session.prompt("hello").text()).startsWith("Hello!");
        }
    }

    private static long childOf(Session session) {
        String shown =
                Editor.calls(session, ToolKind.EXECUTE).getFirst().content().toString();
        String number = shown.substring(shown.indexOf("child ") + 6);
        int end = 0;
        while (Character.isDigit(number.charAt(end))) {
            end++;
        }
        return Long.parseLong(number.substring(0, end));
    }

    @Test
    void outputIsSeenWhileTheCommandRuns() throws Exception {
        try (Editor editor = Editor.of(ReferenceAgent.create())) {
            Session session = editor.open(folder);
            // The command ends only after its output was seen here, because this test answers it.
            Turn turn = session.prompt("/run echo started; until [ -e seen ]; do :; done; echo finished");
            waitFor(turn, "started");

            workspace().file("seen", "");

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
            assertThat(Editor.calls(session, ToolKind.EXECUTE)
                            .getFirst()
                            .content()
                            .toString())
                    .contains("finished");
        }
    }

    @Test
    void cancellingWhileTheWorkspaceIsReadLeavesItReadableLater() throws Exception {
        for (int i = 0; i < 3_000; i++) {
            workspace().file("f" + i + ".txt", ("word" + i + " filler text ").repeat(60));
        }
        try (Editor editor = Editor.of(ReferenceAgent.create())) {
            Session session = editor.open(folder);
            Turn turn = session.prompt("where is word2999?");
            // The first event is the tool call of the search, which the reading is part of.
            assertThat(turn.iterator().hasNext()).isTrue();

            turn.cancel();

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
            assertThat(session.view().toolCalls())
                    .allMatch(call -> call.status().equals(ToolCallStatus.FAILED));
            assertThat(session.prompt("where is word2999?").text()).contains("f2999.txt:1");
        }
    }

    @Test
    void cancellingAnOpenQuestionChangesNothing() throws Exception {
        workspace().file("a.txt", "alpha\n");
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        try (Editor editor = Editor.of(ReferenceAgent.create())) {
            editor.policy(request -> {
                asked.countDown();
                cancelled.await();
                return request.cancelled();
            });
            Session session = editor.open(folder);
            Turn turn = session.prompt("/replace alpha beta");
            asked.await();

            turn.cancel();
            cancelled.countDown();

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
            assertThat(workspace().text("a.txt")).isEqualTo("alpha\n");
        }
    }

    @Test
    void closingASessionEndsItsWork() throws Exception {
        try (Editor editor = Editor.of(ReferenceAgent.create())) {
            Session session = editor.open(folder);
            Turn turn = session.prompt("/run sleep 1000 & echo child $!; wait");
            waitFor(turn, "child ");
            ProcessHandle process = ProcessHandle.of(childOf(session)).orElseThrow();

            session.close();

            process.onExit().get(30, TimeUnit.SECONDS);
            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        }
    }

    @Test
    void twoSessionsDoNotWaitForEachOther() throws Exception {
        try (Editor editor = Editor.of(ReferenceAgent.create())) {
            editor.policy(PermissionQuestion::allowOnce);
            Session busy = editor.open(folder);
            Turn turn = busy.prompt("/run sleep 1000 & echo child $!; wait");
            waitFor(turn, "child ");

            assertThat(editor.open(folder).prompt("hello").text()).startsWith("Hello!");

            turn.close();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/files **************************************************z",
                "/files *a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*z",
                "/files {a,aa,*}{a,aa,*}{a,aa,*}{a,aa,*}{a,aa,*}{a,aa,*}{a,aa,*}{a,aa,*}{a,aa,*}{a,aa,*}{a,aa,*}{a,aa,*}z",
                "/search --exact a --in *a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*z",
                "/replace a b --in ?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*z",
                "/search --regex (.*a){25}$",
                "/replace (a|aa)+$ b --regex",
            })
    void aPatternWithTooManyWaysToMatchCanBeCancelled(String prompt) throws Exception {
        for (int i = 0; i < 20; i++) {
            workspace().file("a".repeat(200) + "/" + "a".repeat(200) + i, "a".repeat(5_000) + "b\n");
        }
        try (Editor editor = Editor.of(ReferenceAgent.create())) {
            Session session = editor.open(folder);
            Turn turn = session.prompt(prompt);
            assertThat(turn.iterator().hasNext()).isTrue();

            turn.cancel();

            // The answer may have been on its way already.
            assertThat(turn.result().stopReason()).isIn(StopReason.CANCELLED, StopReason.END_TURN);
            assertThat(session.prompt("hello").text()).startsWith("Hello!");
            assertThat(editor.open(folder).prompt("hello").text()).startsWith("Hello!");
        }
    }

    private static List<String> promptsThatTakeLong() {
        return List.of(
                "a" + " ".repeat(1_000_000) + "b",
                "a-".repeat(500_000),
                "“".repeat(1_000_000),
                "\"".repeat(1_000_001),
                "please ".repeat(200_000),
                "how to" + " to".repeat(300_000),
                "/search --regex " + "(".repeat(500_000),
                "/search --exact " + "a".repeat(500_000),
                "/files " + "{a,".repeat(300_000),
                "/read " + "a/".repeat(500_000),
                "/replace --regex a " + "$0".repeat(500_000),
                "/replace a " + "b".repeat(500_000),
                "/replace a b",
                "/fix a -> b",
                "/fix whitespace",
                "/summary",
                "what does Comments.java do?");
    }

    @Test
    @Timeout(240)
    void noPromptKeepsTheAgentBusy() throws Exception {
        workspace().file("Comments.java", "/*\n".repeat(300_000));
        workspace().file("comments.py", "\"\"\"\n".repeat(200_001));
        workspace().file("lines.txt", "a \n".repeat(300_000));
        workspace().file("README.md", "a ".repeat(500_000));
        try (Editor editor = Editor.of(ReferenceAgent.create())) {
            Session session = editor.open(folder);

            for (String prompt : promptsThatTakeLong()) {
                assertThat(session.prompt(prompt).text()).isNotBlank();
            }
            for (String name : List.of("Comments.java", "comments.py")) {
                String address = workspace().path(name).toUri().toString();
                List<ContentBlock> link = List.of(ContentBlock.resourceLink(name, address));
                assertThat(session.prompt(link).text()).contains(name);
            }
        }
    }

    @Test
    void aTextThatWouldFillTheMemoryIsNotMade() throws Exception {
        workspace().file("a.txt", "a".repeat(1_000_000));
        try (Editor editor = Editor.of(ReferenceAgent.create())) {
            Session session = editor.open(folder);

            String answer =
                    session.prompt("/replace a " + "b".repeat(1_000_000)).text();

            assertThat(answer).contains("Left out", "a.txt: the text would have more than");
            assertThat(session.prompt("hello").text()).startsWith("Hello!");
        }
    }
}
