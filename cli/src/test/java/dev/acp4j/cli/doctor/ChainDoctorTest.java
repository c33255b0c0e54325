package dev.acp4j.cli.doctor;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.conduct.ConductedProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code acp doctor} finds out about chains. */
@Timeout(180)
class ChainDoctorTest {
    @TempDir
    private Path folder;

    private static List<String> program(String... args) {
        List<String> command = new ArrayList<>(AcpRun.java(ConductedProgram.class));
        command.addAll(List.of(args));
        return command;
    }

    private static String list(List<String> command) {
        return command.stream().map(word -> "\"" + word + "\"").collect(Collectors.joining(", ", "[", "]"));
    }

    private Path chain(String fault, boolean hasAgent) throws Exception {
        return Files.writeString(
                folder.resolve("chain.yaml"),
                "components:\n  - {id: policy, command: acp proxy policy allow=read}\n"
                        + (fault.isEmpty() ? "" : "  - {id: faulty, command: " + list(program("broken", fault)) + "}\n")
                        + "  - {id: last, command: " + list(program("adds", "Last.")) + "}\n"
                        + (hasAgent ? "agent: {command: " + list(program("echo")) + "}\n" : ""));
    }

    @Test
    @Tag("CON-27")
    void aGoodChainIsExaminedInPartsAndWithItsAgent() throws Exception {
        AcpRun run = acp("doctor", "--chain", chain("", true).toString()).run();

        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out())
                .contains("policy alone: acp proxy policy allow=read")
                .contains("last alone: ")
                .contains("the chain: policy, last")
                .contains("No component breaks anything.")
                .contains("the chain with its agent: ")
                .contains("last, version 2")
                .endsWith("no problems found: the chain works\n");
        // Alone, together, and with the agent, which has a step of the same name.
        assertThat(run.lines().stream().filter(line -> line.contains("initialize")))
                .hasSize(4);
    }

    @ParameterizedTest
    @CsvSource({
        "drops, unknown, an unknown notification did not arrive",
        "meta, meta, _meta or an unknown member was changed",
        "errors, errors, an error of the agent was changed",
        "order, order, an update is lost",
        "cancel, cancel, session/cancel did not reach the agent",
        "nothing-at-all, initialize, the component faulty has ended"
    })
    @Tag("CON-27")
    @Tag("TST-04")
    void theFirstComponentThatBreaksSomethingIsNamed(String fault, String step, String finding) throws Exception {
        AcpRun run = acp(
                        "doctor",
                        "--timeout",
                        fault.equals("drops") || fault.equals("cancel") ? "5s" : "60s",
                        "--json",
                        "--chain",
                        chain(fault, true).toString())
                .run();

        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(7);
        List<String> problems = run.lines().stream()
                .filter(line -> line.contains("\"problem\""))
                .toList();
        assertThat(problems.get(0))
                .startsWith("{\"type\":\"step\",\"part\":\"faulty alone: ")
                .contains("\"step\":\"" + step + "\"")
                .contains(finding);
        assertThat(run.out())
                .contains("{\"type\":\"conclusion\",\"firstBroken\":\"faulty\"")
                .doesNotContain("with its agent");
    }

    @Test
    @Tag("CON-27")
    void whatAComponentDoesToCapabilitiesIsATable() throws Exception {
        AcpRun run = acp(
                        "doctor",
                        "--json",
                        "--chain",
                        chain("capabilities", false).toString())
                .run();

        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out())
                .contains(
                        "{\"type\":\"capabilities\",\"part\":\"faulty\",\"version\":1,\"agent\":{\"added\":[\"_own\"],"
                                + "\"removed\":[\"mcpCapabilities.acp\",")
                .contains(
                        "{\"type\":\"capabilities\",\"part\":\"last\",\"version\":1,\"agent\":{\"added\":[],\"removed\":[],"
                                + "\"changed\":[]}");
    }
}
