package dev.acp4j.cli.chat;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chats without a terminal: lines in, lines out. */
class ChatCommandTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void whatATerminalDoesNotShowIsSaved() throws Exception {
        Files.writeString(folder.resolve("mine.png"), "mine");

        AcpRun run = acp("chat", "--cwd", folder.toString()).with().input("""
                        :save
                        pictures
                        :save
                        :save 2
                        :save 1 sound
                        :save 2 mine.png
                        :save 3
                        :save 9
                        """).run();

        assertThat(run.out())
                .containsSubsequence(
                        "The agent has sent no images, audio or other binary content so far.\n",
                        "[audio audio/wav, 2 bytes; :save 1]",
                        "[image image/png, 3 bytes, changed 2026-11-02; :save 2]\n",
                        "[image image/png, 3 bytes, changed 2026-11-02; :save 2]\n",
                        "[file:///tmp/odd, 3 bytes; :save 3]\n",
                        "1  audio audio/wav, 2 bytes\n2  image image/png, 3 bytes\n3  resource x/../../y, 3 bytes\n",
                        "Saved as " + folder + "/image-2.png.\n",
                        "Saved as " + folder + "/sound.\n",
                        "Not saved: " + folder + "/mine.png exists; choose another name.\n",
                        "Not saved: the agent's data is not Base64.\n",
                        "Not saved: there is no content 9 to save.\n");
        assertThat(folder.resolve("image-2.png")).hasBinaryContent(new byte[] {1, 2, 3});
        assertThat(folder.resolve("sound")).hasBinaryContent(new byte[] {4, 5});
        assertThat(folder.resolve("mine.png")).hasContent("mine");
    }

    @Test
    void eachLineIsAMessage() {
        AcpRun run = acp("chat").with().input("one\n\ntwo\n").run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("Scripted agent 1.0")
                .contains("You said: one")
                .contains("You said: two");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void thereAreNoEscapesInAPipe() {
        AcpRun run = acp("chat").with().input("plan\n").env("TERM", "xterm").run();

        assertThat(run.out()).doesNotContain("\u001b").contains("  ▸ Mend it");
    }

    @Test
    void ourCommandsBeginWithAColonAndTheAgentsWithASlash() {
        // An agent announces its commands when it likes; after an answer they have come.
        AcpRun run = acp("chat")
                .with()
                .input(":mode code\n:mode\n::smile\n:commands\n/test now\n:nonsense\n:quit\nnever\n")
                .run();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("/test    Run the tests\n")
                .contains("/review  Review what has changed [what]\n")
                .contains("/find    Find files [<pattern>]\n")
                .contains("* code")
                .contains("You said: :smile")
                .contains("You said: /test now")
                .contains(":nonsense is not a command of this chat")
                .doesNotContain("never");
    }

    @Test
    @Tag("CBK-02")
    void aPermissionIsAskedWithTheAgentsOwnOptions() {
        AcpRun run = acp("chat").with().input("permission\n1\n").run();

        assertThat(run.out())
                .contains("? The agent asks for permission")
                .contains("Delete everything")
                // Version 1 has no other kinds, so the agent keeps an option of another kind to itself.
                .doesNotContain("Do something odd")
                .contains("  1  Yes, just once  allow once")
                .contains("  3  No  reject once")
                .contains("Chosen: Yes, just once");
    }

    /** Only version 2 has such options. */
    @Test
    void anOptionOfAnUnknownKindIsNamedAsSuch() {
        AcpRun run = acp("chat", "--protocol", "2")
                .with("v2")
                .input("permission\n2\n")
                .run();

        assertThat(run.out())
                .contains("  1  Do something odd  unknown kind: allow sometimes")
                .contains("  2  Yes, just once  allow once")
                .contains("Chosen: Yes, just once");
    }

    @Test
    @Tag("CBK-01")
    void anEmptyAnswerRejects() {
        assertThat(acp("chat").with().input("permission\n\n").run().out()).contains("Chosen: No");
    }

    @Test
    @Tag("CBK-01")
    void theEndOfInputRejects() {
        assertThat(acp("chat").with().input("permission\n").run().out()).contains("Chosen: No");
    }

    @Test
    @Tag("CBK-01")
    void answersThatFitNoOptionReject() {
        // "yes" is the id of an option that allows.
        AcpRun run =
                acp("chat").with().input("permission\nyes\n7\nsure\nhello\n").run();

        assertThat(run.out()).contains("Chosen: No").contains("You said: hello");
    }

    @Test
    void aChangeIsShownBeforeItIsAllowed() {
        AcpRun run = acp("chat").with().input("edit\n1\n").run();

        assertThat(run.out())
                .containsSubsequence(
                        "src/Retry.java  +1 -1", "-    int pause = 30;", "+    int pause = 10;", "Which one?", "Done.");
        assertThat(run.out()).containsOnlyOnce("+    int pause = 10;");
    }

    @Test
    void anErrorOfTheAgentDoesNotEndTheChat() {
        AcpRun run = acp("chat").with().input("error\nhello\n").run();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("out of cheese (-32050)").contains("You said: hello");
    }

    @Test
    void theEndOfTheAgentDoes() {
        AcpRun run = acp("chat").with().input("die\nhello\n").run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("exit code 9").contains("| FATAL: out of luck");
    }

    @Test
    void aLoginIsAskedFor() {
        AcpRun run = acp("chat").with("locked").input("1\nhello\n").run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("  1  Sign in with a browser").contains("You said: hello");
    }

    @Test
    void withoutALoginThereIsNoChat() {
        AcpRun run = acp("chat").with("locked").input("\n").run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("requires a login first");
    }
}
