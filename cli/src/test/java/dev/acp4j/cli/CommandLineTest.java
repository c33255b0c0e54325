package dev.acp4j.cli;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.command.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|a command is missing: chat, prompt, sessions, models, login, logout, doctor, agent|acp",
                "talk|there is no command 'talk'; the commands are chat, prompt, sessions, models, login, logout, doctor, agent|acp",
                "prompt|the prompt is missing; use acp prompt \"what to do\", or - for standard input|",
                "prompt --jsn hi|unknown option: '--jsn'|acp prompt",
                "prompt --timeout soon hi|invalid value for option '--timeout': expected a time such as 90s, 5m or 1h, got 'soon'|acp prompt",
                "prompt --permissions maybe hi|invalid value for option '--permissions': expected ask, allow, deny or fail, got 'maybe'|acp prompt",
                "prompt --file nothing.txt hi|there is no file |",
                "prompt hi --|the command of an agent is missing after --|",
                "prompt tell me more|expected a prompt, or a name and a prompt, got 3 words. A prompt of several words goes in quotes|",
                "prompt Tell me|not the name of an agent: Tell (names have lower-case letters, digits and hyphens). A prompt of several words goes in quotes|",
                "prompt tell me -- cat|the name tell and a command after -- cannot be combined. A prompt of several words goes in quotes|",
                "prompt --url http://127.0.0.1:1/acp tell me|--url cannot be combined with the name of an agent or a command after --. A prompt of several words goes in quotes|",
                "chat one two|unexpected argument 'two'; the command of an agent goes after --|acp chat",
                "chat one --agent two|--agent and the name one cannot be combined|",
                "doctor one -- cat|the name one and a command after -- cannot be combined|",
                "trace|the command of an agent is missing: acp trace -- COMMAND|",
                "trace gemini -- --acp|the name gemini and a command after -- cannot be combined. The command of an agent goes after --.|",
                "trace Show|not the name of an agent: Show (names have lower-case letters, digits and hyphens). The command of an agent goes after --. Did you mean show?|",
                "trace --names one -- cat|expected two names such as --names client,proxy:0|",
                "trace show --grep ( x|invalid value for option '--grep': not a regular expression: |acp trace show",
                "trace show --type song x|unknown type 'song': expected request, |",
                "trace show --raw --json x|--raw, --json, --times and --html cannot be combined|",
                "trace show --follow a b|only one file can be followed|",
                "trace show no-such-file|there is no no-such-file|",
                "agent --fast|unknown option: '--fast'|acp agent",
            })
    void aWrongCommandLineGetsOneClearLine(String args, String message, String help) {
        AcpRun run = acp(args.isEmpty() ? new String[0] : args.split(" ")).run();

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        List<String> lines = run.err().lines().toList();
        assertThat(lines).first().asString().startsWith("acp: " + message);
        if (help != null) {
            assertThat(lines).last().isEqualTo("Try '" + help + " --help'.");
        }
        assertThat(lines).hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void aMistypedCommandGetsTheNearestOne() {
        AcpRun run = acp("chta").run();

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .startsWith("acp: there is no command 'chta'; the commands are chat, ")
                .contains(" and test-agent. Did you mean chat?");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "chat",
                "prompt",
                "sessions",
                "models",
                "login",
                "logout",
                "agent",
                "trace",
                "trace show",
                "install-into",
                "uninstall-from"
            })
    void helpIsOnStandardOutputAndFitsAnOrdinaryWindow(String command) {
        List<String> args = new ArrayList<>(command.isEmpty() ? List.of() : List.of(command.split(" ")));
        args.add("--help");

        AcpRun run = acp(args.toArray(new String[0])).run();

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).startsWith("Usage: acp").contains("Example").doesNotContain("\u001b");
        assertThat(run.lines()).allMatch(line -> line.length() <= 100);
    }

    @Test
    void helpOfPromptListsTheExitCodes() {
        String help = acp("prompt", "--help").run().out();

        // What the doctor and acp connect alone end with.
        Set<ExitCode> ofOthers = Set.of(ExitCode.PROBLEMS_FOUND, ExitCode.NOT_ALLOWED, ExitCode.LOST);
        for (ExitCode code : ExitCode.values()) {
            if (!ofOthers.contains(code)) {
                assertThat(help).contains(code.number() + "  " + code.meaning());
            }
        }
    }

    @Test
    void theVersionIsThatOfTheBuild() {
        AcpRun run = acp("--version").run();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).matches("acp \\d+\\.\\d+.* \\(JDK .*\\)\n");
    }
}
