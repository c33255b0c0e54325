package dev.acp4j.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.process.FailureReport;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchException;
import dev.acp4j.process.LaunchedProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
class LikelyCauseTest {
    /** An agent that says something and ends. */
    private static Launch ending(int code, String lastWords) {
        return Launch.of("sh", "-c", "printf '%s\\n' \"$1\" >&2; exit $2", "sh", lastWords, Integer.toString(code));
    }

    private static FailureReport report(Launch launch) throws Exception {
        try (LaunchedProcess agent = launch.start()) {
            assertThatThrownBy(() -> agent.transport().reader().read()).isInstanceOf(LaunchException.class);
            return agent.report("initialize");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    1   | FATAL ERROR: Reached heap limit - JavaScript heap out of memory | ran out of memory
                    1   | Exception in thread "main" java.lang.OutOfMemoryError: Java heap | ran out of memory
                    1   | write failed: No space left on device                    | disk is full
                    1   | npm warn EBADENGINE Unsupported engine                   | another version of its runtime
                    1   | Error: Cannot find module '/usr/lib/agent/index.js'      | incomplete or broken
                    1   | ModuleNotFoundError: No module named 'agent'             | incomplete or broken
                    1   | Exception in thread "main" java.lang.ClassNotFoundException: a.B | class path of the agent is wrong
                    1   | Error: Could not find or load main class a.B             | class path of the agent is wrong
                    1   | npm error code E404                                      | does not exist under this name
                    1   | npm error getaddrinfo EAI_AGAIN packages.example.com      | could not reach the network
                    1   | Error: You are not logged in. Please run login           | needs a login or an API key
                    41  | Please set an Auth method or set GEMINI_API_KEY          | needs a login or an API key
                    1   | 429 Too Many Requests                                    | has reached a limit
                    127 | sh: 1: node: not found                                   | was not found
                    126 | sh: 1: ./agent: Permission denied                        | cannot be executed
                    1   | EACCES: permission denied, mkdir '/home/me/.agent'       | not allowed to do something
                    2   | error: unexpected argument '--acp' found                 | does not understand its arguments
                    1   | Error: listen EADDRINUSE: address already in use :::8080 | port that the agent needs
                    1   | strange things happened                                  | its last line was "strange things happened"
                    1   | cmd: 'agent' is not recognized as an internal or external command | was not found
                    127 | npm error code E404                                      | does not exist under this name
                    126 | npm: EACCES: permission denied                           | cannot be executed
                    """)
    void theLikelyCauseIsReadFromTheLastWords(int code, String lastWords, String cause) throws Exception {
        LikelyCause likely = LikelyCause.of(report(ending(code, lastWords)));

        assertThat(likely.cause()).contains(cause);
        assertThat(likely.nextStep()).isNotBlank().endsWith(".");
    }

    @Test
    void ofAStackTraceTheExceptionIsNamed() throws Exception {
        String trace = """
                Exception in thread "main" java.lang.IllegalStateException: no moon
                \tat a.Moon.rise(Moon.java:7)
                \tat a.Moon.main(Moon.java:3)
                Caused by: java.io.IOException: dark
                \tat a.Sky.look(Sky.java:9)
                \t... 2 more""";

        LikelyCause likely = LikelyCause.of(report(ending(1, trace)));

        assertThat(likely.cause()).endsWith("java.lang.IllegalStateException: no moon\".");
    }

    @Test
    void aVariableThatWasNotHandedOnIsHandedOnByAnOption() throws Exception {
        LikelyCause likely = LikelyCause.of(
                report(ending(1, "HOME is not set: not logged in").inheritOnly("PATH")));

        assertThat(likely.cause()).contains("HOME").contains("not passed on");
        assertThat(likely.nextStep()).isEqualTo("Pass it on: --env HOME");
    }
}
