package dev.acp4j.cli.login;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.TerminalRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class LoginCommandTest {
    @TempDir
    Path folder;

    private AcpRun.Builder run(String... args) {
        return acp(command(args)).env("XDG_STATE_HOME", folder.resolve("state").toString());
    }

    private String[] command(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--");
        all.addAll(AcpRun.java(LoginAgent.class));
        all.add(folder.toString());
        return all.toArray(String[]::new);
    }

    private String login() throws Exception {
        return Files.readString(folder.resolve("login"));
    }

    @Test
    void theMethodsAreListed() {
        AcpRun list = run("login").run();
        AcpRun json = run("login", "--json").run();

        assertThat(list.exitCode()).isZero();
        assertThat(list.lines())
                .containsExactly(
                        "browser  Log in with a browser: Opens a page",
                        "device   Log in with a code (in a terminal)",
                        "key      Use a key (with variables of the environment)");
        assertThat(json.lines())
                .contains(
                        "{\"id\":\"device\",\"type\":\"terminal\",\"name\":\"Log in with a code\"}",
                        "{\"id\":\"key\",\"type\":\"env_var\",\"name\":\"Use a key\",\"link\":\"https://example.org/keys\","
                                + "\"variables\":[{\"name\":\"MAGIC_WORD\",\"label\":\"Magic word\",\"secret\":true,"
                                + "\"optional\":false},{\"name\":\"MAGIC_REGION\",\"label\":\"Region\",\"secret\":false,"
                                + "\"optional\":true}]}");
    }

    @Test
    void theAgentLogsInByItselfAndOutAgain() throws Exception {
        assertThat(run("prompt", "hi").run().err())
                .contains("the agent requires a login first", "acp login METHOD", "  browser   Log in with a browser");

        AcpRun login = run("login", "browser").run();

        assertThat(login.exitCode()).isZero();
        assertThat(login.err()).contains("Logged in: the agent opens a session.");
        assertThat(login()).isEqualTo("browser");
        assertThat(run("prompt", "hi").run().out()).isEqualTo("Hello.\n");
        AcpRun logout = run("logout").run();
        assertThat(logout).isEqualTo(new AcpRun(0, "", "Logged out.\n"));
        assertThat(folder.resolve("login")).doesNotExist();
    }

    @Test
    @Tag("REG-35")
    void theProgramOfALoginRunsInTheTerminal() throws Exception {
        AcpRun wrong = run("login", "device").input("7\n").run();
        AcpRun right = run("login", "device").input("42\n").run();

        assertThat(wrong.exitCode()).isEqualTo(1);
        assertThat(wrong.out()).isEqualTo("Type the code of the phone: ");
        assertThat(wrong.err())
                .contains("the login has failed: ", "ended with exit code 5")
                .containsPattern("For an agent that means\\s+them alone, run: \\S+ device\n");
        assertThat(right.exitCode()).isZero();
        assertThat(login()).isEqualTo("terminal");
    }

    @Test
    void variablesAreAskedForAndNeitherShownNorStored() throws Exception {
        Path trace = folder.resolve("trace.jsonl");

        try (TerminalRun terminal =
                TerminalRun.alone(folder, command("login", "key", "-v", "--trace", trace.toString()))) {
            terminal.await("Use a key: https://example.org/keys");
            terminal.await("Magic word, MAGIC_WORD: ").press("s3cret-word-4711\r");
            terminal.await("Region, MAGIC_REGION (optional): ").press("north\r").await("Logged in");
            assertThat(terminal.end()).isZero();
            assertThat(terminal.all()).doesNotContain("s3cret-word");
        }

        assertThat(login()).isEqualTo("key in north");
        assertThat(Files.readString(trace)).contains("\"key\"").doesNotContain("s3cret-word");
    }

    @Test
    void aRefusedKeyIsNotShown() throws Exception {
        Path trace = folder.resolve("trace.jsonl");

        AcpRun run = run("login", "key", "--env", "MAGIC_WORD", "--trace", trace.toString())
                .env("MAGIC_WORD", "another-word-99")
                .run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains("MAGIC_WORD is taken from the environment.", "the magic word is wrong")
                .doesNotContain("another-word");
        assertThat(Files.readString(trace)).contains("the magic word is wrong").doesNotContain("another-word");
    }

    @Test
    void aChatAsksForVariablesAndStartsTheAgentAnew() throws Exception {
        Path trace = folder.resolve("trace.jsonl");

        try (TerminalRun chat = TerminalRun.alone(folder, command("chat", "-v", "--trace", trace.toString()))) {
            chat.await("The agent requires a login (for device use 'acp login METHOD -- COMMAND'):")
                    .await("2  Use a key")
                    .press("2\r");
            chat.await("Use a key: https://example.org/keys")
                    .await("Magic word, MAGIC_WORD: ")
                    .press("s3cret-word-4711\r");
            chat.await("Region, MAGIC_REGION (optional): ").press("north\r").await("login 1.0");
            chat.await("› ").press("private\r").await("Hello from north").await("› ");

            Files.delete(folder.resolve("login"));
            chat.press("private\r").await("2  Use a key").press("2\r");
            chat.await("Magic word, MAGIC_WORD: ").press("s3cret-word-4711\r");
            chat.await("(optional): ")
                    .press("\r")
                    .await("The agent was started anew, and you are logged in.")
                    .await("Hello from null")
                    .await("› ")
                    .press("\u0004");

            assertThat(chat.end()).isZero();
            assertThat(chat.all()).doesNotContain("s3cret-word");
        }
        assertThat(Files.readString(trace))
                .contains("\"key\"", "session/resume")
                .doesNotContain("s3cret-word");
        assertThat(folder.resolve("acp/history")).content().doesNotContain("s3cret-word");
    }

    @Test
    void aWrongKeyInTheMiddleOfAChatChangesNothing() throws Exception {
        Files.writeString(folder.resolve("login"), "earlier");

        try (TerminalRun chat = TerminalRun.alone(folder, command("chat"))) {
            chat.await("› ").press("private\r").await("Hello from null in ");
            Files.delete(folder.resolve("login"));
            chat.await("› ").press("private\r").await("2  Use a key").press("2\r");
            chat.await("MAGIC_WORD: ").press("wrong-word-77\r").await("MAGIC_REGION (optional): ");
            chat.press("south\r").await("the magic word is wrong").await("› ");
            chat.press("hello\r").await("Hello.").await("› ");
            chat.press("private\r").await("2  Use a key").press("2\r");
            chat.await("MAGIC_WORD: ").press("s3cret-word-4711\r").await("MAGIC_REGION (optional): ");
            chat.press("north\r").await("Hello from north in ").await("› ").press("\u0004");

            assertThat(chat.end()).isZero();
            assertThat(chat.all()).doesNotContain("wrong-word", "s3cret-word");
            assertThat(sessions(chat.all())).hasSize(1);
        }
    }

    /** Returns the ids of the sessions that have answered. */
    private static Set<String> sessions(String shown) {
        return Pattern.compile("Hello from \\w+ in (\\S+)")
                .matcher(shown)
                .results()
                .map(found -> found.group(1).replaceAll("\\e\\[[0-9;]*m", ""))
                .collect(Collectors.toSet());
    }

    @Test
    void variablesOfTheEnvironmentAreUsedWithoutATerminal() throws Exception {
        AcpRun run = run("prompt", "--login", "key", "--env", "MAGIC_WORD", "--env", "MAGIC_REGION=east", "private")
                .env("MAGIC_WORD", "s3cret-word-4711")
                .run();
        AcpRun missing = run("prompt", "--login", "key", "private").run();

        assertThat(run.out()).startsWith("Hello from east in ");
        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.err())
                .isEqualTo("acp: MAGIC_WORD is missing, and there is no terminal to ask for it; set it and add"
                        + " --env MAGIC_WORD\n");
    }

    @Test
    void whatCannotWorkIsReported() {
        AcpRun unknown = run("login", "fax").run();
        AcpRun unattended = run("login", "key").run();
        AcpRun before = run("prompt", "--login", "device", "hi").run();
        AcpRun none = acp("login", "--", "cat").run();

        assertThat(unknown)
                .isEqualTo(new AcpRun(
                        2,
                        "",
                        "acp: the agent does not offer the login method fax; it offers: browser, device, key\n"));
        assertThat(unattended.exitCode()).isEqualTo(2);
        assertThat(unattended.err()).contains("MAGIC_WORD is missing, and there is no terminal to ask for it");
        assertThat(before.exitCode()).isEqualTo(2);
        assertThat(before.err()).contains("--login cannot use the method device", "acp login device -- COMMAND");
        assertThat(none.exitCode()).isEqualTo(1);
    }
}
