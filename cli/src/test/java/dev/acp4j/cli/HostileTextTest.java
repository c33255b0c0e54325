package dev.acp4j.cli;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text of a hostile agent or project, through every output. */
@DisabledOnOs(OS.WINDOWS)
@Tag("SEC-07")
@Timeout(180)
class HostileTextTest {
    private static final String END_OF_INPUT = "\u0004";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temp;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "prompt --permissions allow hello",
                "prompt --permissions deny hello",
                "prompt -v --permissions deny hello",
                "prompt --json -v --permissions deny hello",
                "prompt -v error",
                "prompt -v die",
                "prompt -v noise",
                "prompt bad",
                "prompt stop",
                "prompt --json stop",
                "prompt --login nobody hello",
                "prompt --permissions fail hello",
                "doctor --timeout 5s --prompt noise",
                "doctor --timeout 5s --prompt bad",
                "doctor --json --timeout 5s --prompt die"
            })
    void aPipeGetsVisibleTextOnly(String line) {
        AcpRun run = hostile(line).run();

        assertThat(run.out() + run.err()).isNotEmpty();
        Hostile.assertHarmless(run.out());
        Hostile.assertHarmless(run.err());
    }

    @Test
    void anAgentThatWantsALoginIsShownVisibly() {
        AcpRun run = hostile("prompt hello", "locked").run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("  <␛]52;");
        Hostile.assertHarmless(run.err());
    }

    @Test
    void aChatWithoutATerminalShowsVisibleTextOnly() {
        AcpRun run = hostile("chat")
                .input("hello\n3\nerror\n:mode\n:config\n:commands\n:plan\n:show\n:usage\n")
                .run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("permission").contains("/cmd");
        Hostile.assertHarmless(run.out());
        Hostile.assertHarmless(run.err());
    }

    @Test
    void aFormIsShownVisibly() {
        AcpRun run = hostile("chat").input("form\n\n\nnope\n:skip\ny\n").run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("The agent asks for input", "Expected a number, got \"nope\".", "› sent");
        Hostile.assertHarmless(run.out());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFormAtATerminalIsVisible() throws Exception {
        try (TerminalRun run = terminal("chat")) {
            run.await("…] ›").press("form\r").await("Enter for").press("\r");
            run.await("Enter for").press("\r").await("Enter leaves it out").press("\r");
            run.await("Send this?").press("y\r").await("› sent").await("…] ›").press(END_OF_INPUT);

            assertThat(run.end()).isZero();
            Hostile.assertHarmlessEditing(run.all());
        }
    }

    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @ValueSource(
            strings = {
                "prompt -v --permissions deny hello",
                "prompt --json --permissions deny hello",
                "prompt error",
                "prompt die",
                "prompt stop",
                "prompt bad",
                "doctor --timeout 5s --prompt error",
                "doctor --json --timeout 5s --prompt error"
            })
    void aTerminalGetsVisibleTextOnly(String line) throws Exception {
        try (TerminalRun run = terminal(line)) {
            run.end();

            Hostile.assertHarmlessEditing(run.all());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aQuestionAtATerminalIsVisible() throws Exception {
        try (TerminalRun run = terminal("prompt hello")) {
            run.await("The agent asks for permission").await("Which one?").press("3\r");

            assertThat(run.end()).isZero();
            Hostile.assertHarmlessEditing(run.all());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aChatAtATerminalIsVisible() throws Exception {
        try (TerminalRun run = terminal("chat")) {
            run.await("…] ›").press("hello\r").await("Which one?").press("\r").await("…] ›");
            run.press(":mode\r").await("plain").await("…] ›");
            run.press(":config\r").await("(or v)").await("…] ›");
            run.press(":commands\r").await("/cmd").await("…] ›");
            run.press("/\t")
                    .await("cmd")
                    .press("\r")
                    .await("Which one?")
                    .press("\r")
                    .await("…] ›");
            run.press(":config \t")
                    .press("\u0003")
                    .await("…] ›")
                    .press(":usage\r")
                    .await("of 2 tokens");
            run.press("error\r").await("responded to session/prompt").press(END_OF_INPUT);

            assertThat(run.end()).isZero();
            Hostile.assertHarmlessEditing(run.all());
        }
    }

    @Test
    void aTraceIsShownVisiblyAndLosesNothing() throws Exception {
        Path trace = trace();
        List<String> shown = new ArrayList<>();

        for (String form : List.of("--grep=.", "--json", "--raw")) {
            AcpRun run = acp("trace", "show", form, trace.toString()).run();
            assertThat(run.exitCode()).as(run.err()).isZero();
            shown.add(run.out());
        }

        Hostile.assertHarmless(shown.get(0));
        Hostile.assertHarmless(shown.get(1));
        Path again = Files.writeString(temp.resolve("again.jsonl"), shown.get(1));
        assertThat(acp("trace", "show", "--raw", again.toString()).run().lines().stream()
                        .map(HostileTextTest::parsed))
                .containsExactlyElementsOf(
                        shown.get(2).lines().map(HostileTextTest::parsed).toList());
        assertThat(shown.get(2)).as("to another program, bytes as they came").contains("\u009b2J");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aTraceAtATerminalIsVisible() throws Exception {
        Path trace = trace();

        for (String form : List.of("--grep=.", "--json", "--raw", "--html=-", "--html=page.html")) {
            String option = form.replace("page.html", temp.resolve("page.html").toString());
            try (TerminalRun run = TerminalRun.alone(temp, "trace", "show", option, trace.toString())) {
                assertThat(run.end()).as(run.all()).isZero();
                Hostile.assertHarmless(run.all());
            }
        }
        Hostile.assertHarmless(Files.readString(temp.resolve("page.html")));
    }

    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @ValueSource(strings = {"What is this project about?", "/summary"})
    void theBuiltInAgentQuotesAHostileProjectVisibly(String question) throws Exception {
        Path project = Files.createDirectory(temp.resolve("project"));
        String hostile = Hostile.markdown().replace("\r", "");
        Files.writeString(
                project.resolve("README.md"),
                "# &#27;]52;c;SEFDSw==&#7;Title\n\nThis &#27;[2J&#x9b;6n&rlm; project " + Hostile.SEQUENCES.get(0)
                        + " is about retries.\n\n" + hostile);

        AcpRun piped = acp("prompt", "--cwd", project.toString(), question).run();
        try (TerminalRun run = TerminalRun.alone(temp, "prompt", "--cwd", project.toString(), question)) {
            assertThat(run.end()).as(run.all()).isZero();
            Hostile.assertHarmlessEditing(run.all());
        }

        assertThat(piped.exitCode()).isZero();
        Hostile.assertHarmless(piped.out());
        Hostile.assertHarmless(piped.err());
    }

    private Path trace() {
        Path trace = temp.resolve("t.trace.jsonl");
        AcpRun run =
                hostile("prompt --permissions deny --trace " + trace + " hello").run();
        assertThat(run.exitCode()).as(run.err()).isZero();
        return trace;
    }

    private static JsonObject parsed(String line) {
        return (JsonObject) RawJson.parse(line).value();
    }

    private static AcpRun.Builder hostile(String line, String... agentArgs) {
        List<String> agent = new ArrayList<>(AcpRun.java(HostileAgent.class));
        agent.addAll(List.of(agentArgs));
        return acp(line.split(" ")).agent(agent.toArray(String[]::new));
    }

    private TerminalRun terminal(String line) throws Exception {
        List<String> args = new ArrayList<>(List.of(line.split(" ")));
        args.add("--");
        args.addAll(AcpRun.java(HostileAgent.class));
        return TerminalRun.alone(temp, args.toArray(String[]::new));
    }
}
