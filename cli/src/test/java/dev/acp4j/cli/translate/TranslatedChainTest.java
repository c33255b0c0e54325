package dev.acp4j.cli.translate;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.Version;
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

@Timeout(180)
class TranslatedChainTest {
    @TempDir
    private Path folder;

    private Path chain(String agentVersion, String translate) throws Exception {
        List<String> agent = new ArrayList<>(AcpRun.java(Acp.class));
        agent.addAll(List.of("test-agent", "--protocol", agentVersion));
        String command = agent.stream().map(word -> "\"" + word + "\"").collect(Collectors.joining(", ", "[", "]"));
        return Files.writeString(
                folder.resolve("chain.yaml"),
                "components:\n  - id: tools\n    command: acp proxy tools deny=none\nagent:\n  command: " + command
                        + "\n  translate: " + translate + "\n");
    }

    @ParameterizedTest
    @CsvSource({"V1, 1", "V1, 2", "V2, 1", "V2, 2"})
    @Tag("RMP-21")
    void theClientGetsTheVersionThatItAsksForWhateverTheAgentSpeaks(Version asked, String agentVersion)
            throws Exception {
        List<String> command = new ArrayList<>(AcpRun.java(Acp.class));
        command.addAll(List.of("conduct", "--chain", chain(agentVersion, "auto").toString()));

        try (ConnectedAgent agent = Client.builder("test", "1")
                .protocol(asked)
                .connect(Launch.of(command.get(0), command.subList(1, command.size())))) {
            assertThat(agent.newSession(folder).prompt("Hello.").text()).isEqualTo("Hello.");
        }
    }

    @Test
    @Tag("RMP-21")
    void anotherVersionInAChainFileIsReportedWithItsLine() throws Exception {
        AcpRun run = acp("conduct", "--chain", chain("1", "3").toString()).run();

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("line 6: translate: expected auto, 1 or 2, got 3");
    }
}
