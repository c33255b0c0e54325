package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.http.Http;
import dev.acp4j.http.HttpServer;
import dev.acp4j.http.RunningServer;
import dev.acp4j.http.gateway.Gateway;
import dev.acp4j.it.ForeignAgent.Way;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.Version;
import dev.acp4j.testkit.TestAgent;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients of the official TypeScript SDK whose connections to our server are cut in the middle of a turn. They cannot
 * resume: a cut ends the client with an error, and over HTTP it has the server end the connection as soon as the way is
 * there again. What is ours to do is that the session is found by the client that comes next.
 */
@Timeout(300)
@Tag("TST-08")
class CutTypeScriptClientTest {
    @TempDir
    Path folder;

    static List<Object[]> waysAndVersions() {
        List<Object[]> all = new ArrayList<>();
        for (Version version : Version.values()) {
            all.add(new Object[] {Way.EVENTS, version});
            all.add(new Object[] {Way.WEBSOCKET, version});
        }
        return all;
    }

    /** Runs the client against a server that is reached by a port where the client cuts. */
    private Map<String, String> cut(Way way, Version version, boolean goesOn, Serving serving) throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        HttpServer configured = Http.on(0).allowedHosts("127.0.0.1:" + port).drainTime(Duration.ZERO);
        try (RunningServer server = serving.start(configured)) {
            String address = server.uri().toString();
            List<String> command = new ArrayList<>(List.of(
                    "node",
                    NodePrograms.folder().resolve("cut-client.mjs").toString(),
                    version == Version.V1 ? NodePrograms.SDK : NodePrograms.SDK_V2,
                    Integer.toString(version.number()),
                    folder.toString(),
                    way == Way.EVENTS ? address : address.replace("http:", "ws:"),
                    server.token().orElseThrow(),
                    Integer.toString(port)));
            if (goesOn) {
                command.add("--goes-on");
            }
            return ClientProgram.run(command, folder.resolve("output")).steps();
        }
    }

    private interface Serving {
        RunningServer start(HttpServer configured) throws Exception;
    }

    /** What the client notices of a cut: its connection has failed, with all that it waited for. */
    private static void assertLost(Map<String, String> steps) {
        for (String step : List.of("updates lost", "question lost")) {
            assertThat(steps.get(step)).doesNotContain("\"error\":\"none\"");
        }
    }

    @ParameterizedTest
    @MethodSource("waysAndVersions")
    void theTurnGoesOnWithoutItsClientAndTheNextOneSeesItAllAndAnswersItsQuestion(Way way, Version version)
            throws Exception {
        List<String> program = ClientProgram.java("dev.acp4j.cli.Acp", "test-agent");
        StringBuilder numbers = new StringBuilder();
        for (int i = 0; i < 2_000; i++) {
            numbers.append(i).append(' ');
        }

        Map<String, String> steps;
        try (Gateway gateway = Gateway.builder(Launch.of(program.get(0), program.subList(1, program.size())))
                .perUser()
                .build()) {
            steps = cut(
                    way,
                    version,
                    true,
                    configured -> configured.pages(gateway.pages()).start(gateway));
        }

        assertLost(steps);
        assertThat(steps.get("updates found"))
                .contains("\"user\":[\"stream 2000\\nsay end\"]", "\"agent\":\"" + numbers + "end\"");
        assertThat(steps.get("question found"))
                .contains(
                        "\"user\":[\"say one\\nask Edit\\nsay two\"]",
                        "\"agent\":\"oneallowedtwo\"",
                        "\"questions\":[\"Edit\"]");
        assertThat(steps.get("updates next")).contains("three");
        assertThat(steps.get("question next")).contains("three");
    }

    @ParameterizedTest
    @MethodSource("waysAndVersions")
    void anAgentThatEndsWithItsConnectionIsNotStuckAndKnowsWhatWasPromptedOnce(Way way, Version version)
            throws Exception {
        Map<String, String> steps =
                cut(way, version, false, configured -> configured.start(TestAgent.create()::connect));

        assertLost(steps);
        assertThat(steps.get("updates found")).contains("\"user\":[\"stream 2000\\nsay end\"]");
        assertThat(steps.get("question found")).contains("\"user\":[\"say one\\nask Edit\\nsay two\"]");
        assertThat(steps.get("updates next")).contains("three");
        assertThat(steps.get("question next")).contains("three");
    }
}
