package dev.acp4j.cli.elicitation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.TerminalRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Forms and pages of agents, with lines and at a terminal. */
class ElicitationDialogTest {
    private static final String CTRL_C = "\u0003";
    private static final String CTRL_D = "\u0004";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path state;

    @Test
    void aFormIsAskedFieldByFieldAndSentAfterItsSummary() {
        AcpRun run = chat(
                "form", "1.2", "1.2.3", "9", "conservative", "1,3", "12", "", "0.4", ".75", "n", "nobody", "", "y");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .containsSubsequence(
                        "? The agent asks for input\n  About the release\n",
                        "1/7  Version  required, text, 5 to 20 characters\n    The version to release\n",
                        "! Expected text, 5 to 20 characters, got 3 characters.\n",
                        "2/7  Strategy  required, one of these\n    1  Conservative  few changes\n    2  Balanced\n",
                        "Strategy (1-3 or a name; Enter for Balanced): 9\n",
                        "! Expected one of these, got \"9\".\n",
                        "3/7  files  required, at least 1 of these\n",
                        "files (1-3 or a name; several with commas; Enter for b.txt): 1,3\n",
                        "4/7  count  required, a whole number from 1 to 9\n",
                        "! Expected a whole number from 1 to 9, got 12.\n",
                        "count (Enter for 3): \n",
                        "5/7  rate  a number, at least 0.5\n",
                        "! Expected a number, at least 0.5, got 0.4.\n",
                        "Dry run (y or n; Enter for yes): n\n",
                        "! Expected an e-mail address, got \"nobody\".\n",
                        "mail (Enter leaves it out): \n",
                        "  1  Version   1.2.3\n  2  Strategy  Conservative\n  3  files     a.txt, c.txt\n",
                        "  7  mail      left out\n",
                        "Send this? (y sends, n declines, 1-7 changes an answer, Ctrl-C cancels) y\n",
                        "› sent\n",
                        "answer: accept version=1.2.3 strategy=safe files=a.txt+c.txt count=3 rate=0.75 dry=false end");
    }

    @Test
    void enterTakesDefaultsAndNothingIsSentUnasked() {
        AcpRun run = chat("form", "1.2.3", "", "", "", "", "", "", "", "y");

        assertThat(run.out())
                .contains("! Nothing is sent yet: y sends the answers.")
                .contains("answer: accept version=1.2.3 strategy=mid files=b.txt count=3 dry=true end");
    }

    @Test
    void answersAreChangedSkippedAndTakenBack() {
        AcpRun run = chat("form", ":skip", "1.2.3", ":back", "::back", "", "", "", ":skip", "", "", "2", "wild", "y");

        assertThat(run.out())
                .contains("! This is required: text, 5 to 20 characters.")
                .contains("Version (Enter for 1.2.3): ")
                .contains("answer: accept version=:back strategy=wild files=b.txt count=3 dry=true end");
    }

    @Test
    void aFormIsDeclinedAtAnyTimeAndCancelledAtTheEndOfInput() {
        assertThat(chat("form", "1.2.3", ":decline").out()).contains("› declined", "answer: decline");
        assertThat(chat("one", "21", "n").out()).contains("› declined", "answer: decline");
        assertThat(chat("form", "1.2.3").out()).contains("› cancelled", "answer: cancel");
    }

    @Test
    void anAgentCannotAskForEver() {
        AcpRun run = chat("loop");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).containsSubsequence("› cancelled", "› cancelled", "! Cancelled.");
    }

    @Test
    void choicesThatAreNumbersHaveNoOthers() {
        assertThat(chat("one", "2", "1", "y").out())
                .contains("! Expected one of these, got \"2\".")
                .contains("    •  17\n")
                .contains("answer: accept java=1 end");
    }

    @Test
    void aSecretIsWarnedOf() {
        assertThat(chat("secret", ":decline").out())
                .contains("! This looks like a secret. The agent sees what you enter");
        assertThat(chat("tokens", "4000", "y").out())
                .contains("accept tokens=4000")
                .doesNotContain("secret.");
    }

    @Test
    void aFieldThatCannotBeAskedForCancels() {
        assertThat(chat("odd").out())
                .contains("! acp cannot ask for colour, which is of the type colour.")
                .contains("answer: cancel");
    }

    @Test
    @Tag("SEC-06")
    void aPageIsShownWithItsHostAndOpenedByTheUserOrDeclined() {
        AcpRun run =
                chat("page https://example.com@xn--pple-43d.com/login?a=1&b=2", "1", "page http://example.com/", "");

        assertThat(run.out())
                .containsSubsequence(
                        "? The agent asks you to visit a page\n  Log in there, please\n",
                        "\n  https://example.com@xn--pple-43d.com/login?a=1&b=2\n  host: xn--pple-43d.com\n",
                        "! What stands before the @ is not the host: the page is at xn--pple-43d.com.\n",
                        "! A part of the host, xn--pple-43d, stands for \"аpple\"",
                        "It mixes letters of Latin and Cyrillic.",
                        "  1  I open it myself\n  2  Decline\n",
                        "› agreed\n",
                        "answer: accept end",
                        "Done at xn--pple-43d.com, the agent reports.",
                        "! The connection is not encrypted (http)",
                        "› declined\n",
                        "answer: decline");
    }

    @Test
    void onlyAUserWhoCanBeAskedIsOffered() {
        assertThat(chat("offers").out()).contains("forms true, pages true");
        assertThat(agent(AcpRun.acp("prompt", "offers")).run().out()).contains("forms false, pages false");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void ctrlCCancelsTheFormAndTheTurnGoesOn() throws Exception {
        try (TerminalRun run = start(Map.of(), "chat")) {
            run.await("› ").press("form\r").await("Version: ").press("1.2.3\r");
            run.await("Enter for Balanced").press(CTRL_C).await("› cancelled").await("answer: cancel");
            run.await("› ")
                    .press("hello\r")
                    .await("You said: hello")
                    .await("› ")
                    .press(CTRL_D);

            assertThat(run.end()).isZero();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aPromptAsksAtATerminalAsForPermissions() throws Exception {
        try (TerminalRun run = start(Map.of(), "prompt", "one")) {
            run.await("java: ").press("21\r").await("Send this?").press("y\r").await("answer: accept java=21 end");

            assertThat(run.end()).isZero();
        }
        try (TerminalRun run = start(Map.of(), "prompt", "--permissions", "deny", "offers")) {
            run.await("forms false, pages false");

            assertThat(run.end()).isZero();
        }
    }

    @Test
    @Tag("SEC-06")
    @EnabledOnOs(OS.LINUX)
    void aPageIsOpenedInTheBrowserAfterConsentOnly() throws Exception {
        Path opened = state.resolve("opened");
        Path browser = Files.writeString(state.resolve("xdg-open"), "#!/bin/sh\necho \"$1\" >> '" + opened + "'\n");
        Files.setPosixFilePermissions(browser, PosixFilePermissions.fromString("rwx------"));
        Map<String, String> desktop = Map.of("DISPLAY", ":7", "PATH", state + ":" + System.getenv("PATH"));

        try (TerminalRun run = start(desktop, "chat")) {
            run.await("› ")
                    .press("page https://one.example/\r")
                    .await("Which one? (1-3; Enter for 3")
                    .press("\r");
            run.await("answer: decline").await("› ").press("page https://two.example/a?b=c&d\r");
            run.await("Open it in the browser").await("Which one?").press("1\r").await("answer: accept");
            run.await("Done at two.example, the agent reports.").press(CTRL_D);

            assertThat(run.end()).isZero();
        }
        assertThat(opened).hasContent("https://two.example/a?b=c&d");
    }

    private static AcpRun chat(String... lines) {
        return agent(AcpRun.acp("chat")).input(String.join("\n", lines) + "\n").run();
    }

    private static AcpRun.Builder agent(AcpRun.Builder run) {
        return run.agent(AcpRun.java(AskingAgent.class).toArray(String[]::new));
    }

    private TerminalRun start(Map<String, String> environment, String... args) throws Exception {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--");
        all.addAll(AcpRun.java(AskingAgent.class));
        return TerminalRun.alone(state, environment, all.toArray(String[]::new));
    }
}
