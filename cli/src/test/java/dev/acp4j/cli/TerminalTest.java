package dev.acp4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chats and prompts at a terminal. */
@EnabledOnOs(OS.LINUX)
class TerminalTest {
    private static final String CTRL_C = "\u0003";
    private static final String CTRL_D = "\u0004";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path state;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void aChat() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "chat")) {
            run.await("Scripted agent 1.0")
                    .await("[ask] › ")
                    .press("hello\r")
                    .await("You said: ")
                    .await("hello");
            run.await("[ask] › ").press(CTRL_D);

            assertThat(run.end()).isZero();
        }
        assertThat(state.resolve("acp/history")).content().contains("hello");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state.resolve("acp/history"))))
                .isEqualTo("rw-------");
    }

    @Test
    void anImageIsDrawnWhereTheTerminalCan() throws Exception {
        String drawn = "\u001b_Ga=T,f=100,C=1,q=2,c=40,r=10,m=0;iVBORw0KGgoAAAANSUhEUgAAAZAAAADICAYAAAA=\u001b\\";

        try (TerminalRun run = TerminalRun.start(state, Map.of("TERM", "xterm-kitty"), "chat")) {
            run.await("[ask] › ").press("draw\r").await("image image/png").await("\u001b[10A" + drawn);
            run.await("\u001b[10B\r").await("Seen.").await("[ask] › ").press(CTRL_D);

            assertThat(run.end()).isZero();
            assertThat(run.all()).containsOnlyOnce("\u001b_G");
        }
        for (Map<String, String> plain :
                List.of(Map.of("TERM", "xterm-kitty", "NO_COLOR", "1"), Map.of("TERM", "tmux-256color"))) {
            try (TerminalRun run = TerminalRun.start(state, plain, "prompt", "draw")) {
                run.await("image image/png").await("Seen.");

                assertThat(run.end()).isZero();
                assertThat(run.all()).doesNotContain("\u001b_G");
            }
        }
    }

    @Test
    void ctrlCCancelsTheTurnAndLeavesTheAgentAlive() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "chat")) {
            run.await("[ask] › ").press("slow\r").await("This takes long");
            run.press(CTRL_C).await("Cancelled.").await("[ask] › ");
            run.press("hello\r").await("You said: ").await("[ask] › ").press(CTRL_D);

            assertThat(run.end()).isZero();
        }
    }

    @Test
    void ctrlCTwiceLeaves() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "chat")) {
            run.await("[ask] › ").press("stubborn\r").await("I shall not stop.");
            run.press(CTRL_C).await("Ctrl-C again to quit").press(CTRL_C);

            assertThat(run.end()).isEqualTo(130);
        }
    }

    @Test
    void ctrlCDropsALineAndTwiceLeavesAtAnEmptyOne() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "chat")) {
            run.await("[ask] › ")
                    .press("nonsense")
                    .await("nonsense")
                    .press(CTRL_C)
                    .await("[ask] › ");
            run.press(CTRL_C)
                    .await("Ctrl-C again or Ctrl-D to quit")
                    .await("[ask] › ")
                    .press(CTRL_C);

            assertThat(run.end()).isZero();
        }
    }

    @Test
    void tabCompletesTheAgentsCommands() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "chat")) {
            run.await("[ask] › ").press("/re\t").await("view");
            run.press("\r")
                    .await("You said: ")
                    .await("/review")
                    .await("[ask] › ")
                    .press(":q\r");

            assertThat(run.end()).isZero();
        }
    }

    @Test
    void theOutputOfACommandThatTheAgentRunsByItselfIsShownWhileItRuns() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "chat", "--cwd", folder.toString())) {
            run.await("[ask] › ").press("own\r").await("│ one");
            Files.createFile(folder.resolve("seen"));
            run.await("│ two").await("Ended with 3.").await("[ask] › ").press(CTRL_D);

            assertThat(run.end()).isZero();
        }
    }

    @Test
    @Tag("CBK-01")
    void aPermissionIsAskedAndCtrlCAnswersCancelled() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "chat")) {
            run.await("[ask] › ")
                    .press("permission\r")
                    .await("Which one? (1-3; Enter for 3)")
                    .press("\r");
            run.await("Chosen: No").await("[ask] › ");
            run.press("permission\r")
                    .await("Which one?")
                    .press("1\r")
                    .await("Chosen: Yes, just once")
                    .await("[ask] › ");
            run.press("permission\r")
                    .await("Which one?")
                    .press(CTRL_C)
                    .await("Cancelled.")
                    .await("[ask] › ");
            run.press(CTRL_D);

            assertThat(run.end()).isZero();
        }
    }

    @ParameterizedTest
    @Tag("CBK-01")
    @ValueSource(strings = {"1\r", "2\r"})
    void anAnswerThatTheAgentCouldMistakeIsCancelled(String keys) throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "prompt", "ambiguous")) {
            run.await("Which one?").press("\r").await("Please give the number");
            run.await("Which one?").press(keys).await("› cancelled").await("Not allowed.");

            assertThat(run.end()).isZero();
        }
    }

    @Test
    void whatIsTypedDuringATurnIsSentAfterIt() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "chat", "--cwd", state.toString())) {
            run.await("[ask] › ").press("wait\r").await("Waiting for notes.txt").await(" s · Ctrl-C cancels");
            run.press("next one\rbeg").await("› next one").await("queued").await("› beg");
            Files.writeString(state.resolve("notes.txt"), "");
            run.await("Waited.")
                    .await("[ask] › ")
                    .await("next one")
                    .await("You said: ")
                    .await("next one");
            run.await("[ask] › ")
                    .await("beg")
                    .press("un\r")
                    .await("You said: ")
                    .await("begun")
                    .await("[ask] › ")
                    .press(CTRL_D);

            assertThat(run.end()).isZero();
        }
    }

    @Test
    void linesFitAWindowThatBecameNarrowerWhileThePromptWaited() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "chat", "--cwd", state.toString())) {
            run.await("[ask] › ").resize(30);
            run.press("wait\r").await("Waiting for notes.txt");
            int begun = run.all().length();
            run.await(" s · Ctrl-C cancels");
            Files.writeString(state.resolve("notes.txt"), "");
            run.await("Waited.").await("[ask] › ").press(CTRL_D);

            assertThat(run.end()).isZero();
            assertThat(run.all()
                            .substring(begun)
                            .replaceAll("\u001b\\[[0-9;?]*[a-zA-Z]", "")
                            .lines())
                    .allMatch(line -> line.strip().length() <= 30);
        }
    }

    @Test
    void aNameOfTheChatTypedByHabitIsUnderstoodAndAnUnknownOneIsNotSent() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "chat")) {
            run.await("[ask] › ").press("/reviw now\r").await("Did you mean /review?");
            run.await("[ask] › ").press("/help\r").await(":commands").await("[ask] › ");
            run.press(":mode nonsense\r")
                    .await("The agent has no mode nonsense")
                    .await("ask")
                    .await("[ask] › ");
            run.press("/clear\r").await("A new session.").await("[ask] › ");
            run.press("hello\r").await("You said: ").await("[ask] › ").press("/quit\r");

            assertThat(run.end()).isZero();
            assertThat(run.all()).doesNotContain("You said: /reviw");
        }
    }

    @Test
    @Tag("CBK-06")
    void whatIsAllowedForTheSessionIsSaidAndListedAndForgotten() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "chat")) {
            run.await("[ask] › ").press("run\r");
            run.await("Allow for this session")
                    .await("allow, and the same command, word for word,")
                    .await("without asking")
                    .await("Which one?")
                    .press("2\r");
            run.await("Chosen: Allow for this session").await("[ask] › ");
            run.press("run\r").await("Chosen: Once").await("[ask] › ");
            run.press(":permissions\r")
                    .await("1  allow")
                    .await("the same command, word for word: Run ls")
                    .await("[ask] › ");
            run.press(":permissions forget 1\r").await("Forgotten").await("[ask] › ");
            run.press("run\r")
                    .await("Which one?")
                    .press("\r")
                    .await("Chosen: No")
                    .await("[ask] › ");
            run.press(CTRL_D);

            assertThat(run.end()).isZero();
        }
    }

    @Test
    void aTurnWithoutAWordSaysSo() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "prompt", "silent")) {
            run.await("The agent ended its turn without a word.");

            assertThat(run.end()).isZero();
        }
    }

    @Test
    void coloursAreUsedUnlessUnwanted() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "prompt", "hello")) {
            assertThat(run.end()).isZero();
            assertThat(run.all()).contains("\u001b[32m✓ ").contains("\u001b[1mhello\u001b[0m");
            // The terminal is asked nothing: its answer would come when nobody reads it any more.
            assertThat(run.all()).doesNotContain("\u001b[c").doesNotContain("$p");
        }
    }

    @Test
    void noColorLeavesColoursOut() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, Map.of("NO_COLOR", "1"), "prompt", "hello")) {
            assertThat(run.end()).isZero();
            assertThat(run.all()).contains("✓ Read notes.txt").doesNotContainPattern("\u001b\\[[0-9;]+m");
        }
    }

    @Test
    void aDumbTerminalGetsLinesOnly() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, Map.of("TERM", "dumb"), "chat")) {
            run.await("[ask] › ")
                    .press("hello\r")
                    .await("You said: hello")
                    .await("[ask] › ")
                    .press(CTRL_D);

            assertThat(run.end()).isZero();
            assertThat(run.all()).doesNotContain("\u001b");
        }
    }

    @Test
    void withoutUnicodeSignsAreAscii() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, Map.of("LC_ALL", "C"), "prompt", "hello")) {
            assertThat(run.end()).isZero();
            assertThat(run.all()).contains("+ ").contains("Read notes.txt").doesNotContain("✓");
        }
    }

    @Test
    void aPromptAsksAtATerminal() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "prompt", "permission")) {
            run.await("Which one?").press("1\r").await("Chosen: Yes, just once");

            assertThat(run.end()).isZero();
        }
    }

    @Test
    void ctrlCCancelsAPrompt() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "prompt", "slow")) {
            run.await("This takes long").press(CTRL_C);

            assertThat(run.end()).isEqualTo(130);
        }
    }
}
