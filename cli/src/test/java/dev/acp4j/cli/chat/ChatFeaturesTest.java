package dev.acp4j.cli.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.TerminalRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Options, mentions, usage, steering and logins in a chat. */
class ChatFeaturesTest {
    private static final String CTRL_C = "\u0003";
    private static final String CTRL_D = "\u0004";
    private static final String CTRL_U = "\u0015";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    // ---- options

    @Test
    void optionsAreListedInTheirGroupsAndSetByTheirCategory() {
        AcpRun run = chat(
                "hello",
                ":config",
                ":model",
                ":model tiny",
                ":config engine",
                ":effort",
                ":effort high",
                ":effort odd",
                ":mode",
                ":config depth");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .containsSubsequence(
                        "engine  The engine: large (or Quick ones: small, tiny)\n",
                        "› :model\nQuick ones\n  small  Model small\n  tiny   Model tiny\nThorough ones\n* large  Model large\n",
                        "With it: The window is 200k (or 1M); :config window VALUE sets it.\n",
                        "› :model tiny\nmodel is tiny.\n",
                        "› :config engine\nQuick ones\n  small  Model small\n* tiny   Model tiny\n",
                        "› :effort\n* low   Model low\n  high  Model high\n",
                        "effort is high.\n",
                        "The agent has no effort odd. It has these:\n  low   Model low\n* high  Model high\n",
                        "The agent has no modes.\n",
                        "  low   Model low\n* high  Model high\n");
    }

    @Test
    void onlyCommandsForWhatTheSessionHasAreNamed() {
        assertThat(chat("hello", ":help").out())
                .contains(":model ", ":effort ", ":steer ", "@path ")
                .doesNotContain("\n:mode ");
        assertThat(AcpRun.acp("chat").with().input("hello\n:help\n").run().out())
                .contains("\n:mode ")
                .doesNotContain("\n:model ", "\n:effort ", "\n:steer ");
    }

    // ---- mentions

    @Test
    void filesThatAreMentionedAreAttachedAndOtherWordsAreText() throws Exception {
        Files.writeString(folder.resolve("notes.txt"), "buy milk");
        Files.writeString(folder.resolve("two words.txt"), "buy tea");
        Files.createDirectories(folder.resolve("src"));

        AcpRun run = chat(
                "see (@notes.txt), @\"two words.txt\" and @src.",
                "@notes.txt @notes.txt",
                "@Override is not ada@example.org or @nobody",
                "look at @gone/away.txt");

        assertThat(run.out())
                .contains(
                        "Got text(see (@notes.txt), @\"two words.txt\" and @src.) resource(buy milk) resource(buy tea) link(src)")
                .contains("Got text(@notes.txt @notes.txt) resource(buy milk)\n")
                .contains("Got text(@Override is not ada@example.org or @nobody)\n")
                .contains("! There is no file gone/away.txt: sent as text.\n")
                .contains("Got text(look at @gone/away.txt)\n");
        assertThat(run.out()).containsOnlyOnce("There is no file");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void tabCompletesMentionsBelowTheFolder() throws Exception {
        Files.createDirectories(folder.resolve("src/main/java"));
        Files.writeString(folder.resolve("src/main/java/Retry.java"), "class Retry {}");
        Files.createDirectories(folder.resolve(".git"));
        Files.writeString(folder.resolve(".git/Retry.lock"), "");
        Files.createDirectories(folder.resolve("my docs"));
        Files.writeString(folder.resolve("my docs/to do.txt"), "rest");

        try (TerminalRun run = start()) {
            run.await("› ").press("explain @retr\t\r");
            run.await("@src/main/java/Retry.java ) resource(class Retry {})").await("› ");
            run.press("see @sr\tma\tja\t\r")
                    .await("Got text(see @src/main/java/) link(java)")
                    .await("› ");
            run.press("do @my\tto\t\r").await("Got text(do @\"my docs/to do.txt\" ) resource(rest)");
            run.await("› ").press(CTRL_D);

            assertThat(run.end()).isZero();
        }
    }

    // ---- usage

    @Test
    void aContextThatFillsAndACostThatRisesAreWarnedOfOnce() {
        AcpRun run = chat(
                "usage 50 0.2",
                "usage 82 0.9",
                "usage 83 1.1",
                "usage 78 1.9",
                "usage 96 12",
                "usage 20 12.5",
                "usage 81 12.5");

        assertThat(run.out().lines().filter(line -> line.startsWith("! ")))
                .containsExactly(
                        "! The context is 82 % full. /compact shortens it, :new starts over.",
                        "! This session has cost 1.10 USD so far.",
                        "! The context is 96 % full: the agent may soon forget or stop. /compact shortens it, :new starts over.",
                        "! This session has cost 12.00 USD so far.",
                        "! The context is 81 % full. /compact shortens it, :new starts over.");
        assertThat(run.out()).contains("Counting tokens.\n\n! The context is 82 % full.");
        assertThat(agent(AcpRun.acp("prompt", "usage 96 12")).run().err()).isEmpty();
    }

    // ---- what is shown

    @Test
    void contentForTheAgentOnlyIsNotShown() {
        assertThat(chat("hidden").out())
                .contains("Seen.\n\n[a part of this message is for the agent only]\n\nSeen again.")
                .doesNotContain("the raw log");
        assertThat(agent(AcpRun.acp("prompt", "hidden")).run().out()).isEqualTo("Seen. Seen again.\n");
    }

    @Test
    void aRefusalSaysWhatIsForgotten() {
        assertThat(chat("refuse").out())
                .contains("! The agent refused. It has forgotten your message and what followed it: they are no part of"
                        + " the conversation any more.");
    }

    // ---- steering

    @Test
    @EnabledOnOs(OS.LINUX)
    void aRunningTurnIsSteered() throws Exception {
        try (TerminalRun run = start()) {
            run.await("› ").press("work\r").await(":steer TEXT").press("next\r:steer never\r");
            run.await("The agent did not take it into its turn. Enter sends it after the turn.")
                    .await("› never");
            run.press(CTRL_U + ":steer late\r").await("The agent has begun a new one with: late");
            run.press(":steer use the other one\r")
                    .await("Steered by")
                    .await("use the other one")
                    .await("next")
                    .await("Got text(next)")
                    .await("› ");
            run.press(":steer again\r").await("The agent is not working on anything.");
            run.await("again").press("\r").await("Got text(again)").await("› ").press(CTRL_D);

            assertThat(run.end()).isZero();
            assertThat(run.all()).contains("Told the agent: use the other one");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void whatIsSteeredArrivesInItsOrder() throws Exception {
        StringBuilder lines = new StringBuilder();
        for (int i = 1; i <= 20; i++) {
            lines.append(":steer ").append(i).append('\r');
        }

        try (TerminalRun run = start()) {
            run.await("› ").press("listen 20\r").await("Listening.").press(lines.toString());
            run.await("Heard 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20")
                    .await("› ")
                    .press(CTRL_D);

            assertThat(run.end()).isZero();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void whatAnAgentCannotTakeIsOfferedAsTheNextMessage() throws Exception {
        try (TerminalRun run = start("plain")) {
            run.await("› ").press("work\r").await("Working.").press(":steer faster\r");
            run.await("This agent takes nothing into a running turn. Enter sends it after the turn.")
                    .await("› faster");
            run.press("\r")
                    .await("queued")
                    .press(CTRL_C)
                    .await("Cancelled.")
                    .await("faster")
                    .press("\r");
            run.await("Got text(faster)").await("› ").press(CTRL_D);

            assertThat(run.end()).isZero();
        }
    }

    // ---- logins

    @Test
    void aLoginThatExpiredIsAskedForAndThePromptIsRepeated() {
        AcpRun run = chat("private", "1", "Ada", "36", "y", "private");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .containsSubsequence(
                        "The agent requires a login (for device use 'acp login METHOD -- COMMAND'):\n",
                        "  1  Sign in with a browser\n",
                        "? The agent asks for input\n  Who are you?\n",
                        "› sent\n",
                        "Welcome back.",
                        "Welcome back.")
                .containsOnlyOnce("requires a login");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void whileTheUserTypesAQuestionPutsTheMessageAside() throws Exception {
        try (TerminalRun run = start()) {
            run.await("› ")
                    .press("later\r")
                    .await("without a word")
                    .await("› ")
                    .press("hal")
                    .await("hal");
            Files.writeString(folder.resolve("now"), "");
            run.await("Who are you?")
                    .await("name: ")
                    .press("Ada\r")
                    .await("age: ")
                    .press("36\r");
            run.await("Send this?").press("y\r").await("› ").await("hal").press("lo\r");
            run.await("Got text(hallo)").await("› ").press(CTRL_D);

            assertThat(run.end()).isZero();
            assertThat(run.all()).contains("Confirmed: true");
        }
    }

    @Test
    void withoutALoginThePromptIsNotRepeated() {
        AcpRun run = chat("private", "", "hello");

        assertThat(run.out())
                .containsSubsequence("! the agent requires a login first\n", "browser", "Got text(hello)")
                .doesNotContain("Welcome back.");
    }

    private AcpRun chat(String... lines) {
        return agent(AcpRun.acp("chat", "--cwd", folder.toString()))
                .input(String.join("\n", lines) + "\n")
                .run();
    }

    private static AcpRun.Builder agent(AcpRun.Builder run) {
        return run.agent(AcpRun.java(FeatureAgent.class).toArray(String[]::new));
    }

    private TerminalRun start(String... agentArgs) throws Exception {
        List<String> all = new ArrayList<>(List.of("chat", "--cwd", folder.toString(), "--"));
        all.addAll(AcpRun.java(FeatureAgent.class));
        all.addAll(List.of(agentArgs));
        Path state = Files.createDirectories(folder.resolve(".state"));
        return TerminalRun.alone(state, all.toArray(String[]::new));
    }
}
