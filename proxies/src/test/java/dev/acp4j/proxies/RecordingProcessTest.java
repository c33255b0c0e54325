package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.acp4j.Stdio;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.testkit.ScriptedPeer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Records as a program that is killed, or has no room: the test is its conductor, and both its neighbours. */
@Timeout(180)
class RecordingProcessTest {
    private static final String RESUMES =
            "{\"protocolVersion\":1,\"agentCapabilities\":{\"sessionCapabilities\":{\"resume\":{}}}}";
    private static final String LOAD = "{\"sessionId\":\"s\",\"cwd\":\"/work\",\"mcpServers\":[]}";

    @TempDir
    private Path folder;

    /** The proxy as a program. */
    static final class Main {
        private Main() {}

        public static void main(String[] args) throws InterruptedException {
            RecordedSessions.in(Path.of(args[0])).serve(Stdio.system());
        }
    }

    private Launch program(String... before) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String modules = System.getProperty("jdk.module.path");
        String classPath = System.getProperty("java.class.path")
                + (modules == null || modules.isEmpty() ? "" : System.getProperty("path.separator") + modules);
        List<String> line = new ArrayList<>(List.of(before));
        line.addAll(List.of(
                java,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-cp",
                classPath,
                Main.class.getName(),
                folder.toString()));
        return Launch.of(line.get(0), line.subList(1, line.size()));
    }

    /** The agent's side of the connection answers. */
    private static void agentAnswers(ScriptedPeer conductor, String result) throws IOException, InterruptedException {
        conductor.answer(conductor.expect("proxy/successor"), result);
    }

    /** Opens a session and prompts; the agent has the prompt then. */
    private static JsonObject prompted(ScriptedPeer conductor) throws IOException, InterruptedException {
        conductor.request(1, "proxy/initialize", "{\"protocolVersion\":1}");
        agentAnswers(conductor, RESUMES);
        conductor.expectResult(1);
        conductor.request(2, "session/new", "{\"cwd\":\"/work\",\"mcpServers\":[]}");
        agentAnswers(conductor, "{\"sessionId\":\"s\"}");
        conductor.expectResult(2);
        conductor.request(3, "session/prompt", Between.prompt("Count."));
        return conductor.expect("proxy/successor");
    }

    private static String said(int number) {
        return "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\""
                + number + "\"}}}";
    }

    private static void agentSays(ScriptedPeer conductor, String update) throws IOException {
        conductor.notification("proxy/successor", "{\"method\":\"session/update\",\"params\":" + update + "}");
    }

    /** Loads the session in this program; returns what is replayed of the agent. */
    private List<String> loaded() throws Exception {
        List<String> replayed = new ArrayList<>();
        try (Between between = new Between(
                RecordedSessions.in(folder), 1, RESUMES.substring(RESUMES.indexOf(','), RESUMES.length() - 1), true)) {
            between.client.request(70, "session/load", LOAD);
            JsonObject there = between.agent.expect("session/resume");
            between.agent.answer(there, "{}");
            JsonObject message = between.client.receive();
            while (message.get("method").isPresent()) {
                String params = Between.params(message);
                if (params.contains("agent_message_chunk")) {
                    replayed.add(params);
                }
                message = between.client.receive();
            }
            assertThat(RawJson.of(message).toString()).contains("\"complete\":false");
        }
        return replayed;
    }

    @Test
    @Tag("RMP-19")
    void afterAKillTheReplayHasAllThatTheClientHasReceivedInItsOrder() throws Exception {
        for (int most : new int[] {1, 37, 400}) {
            List<String> received = new ArrayList<>();
            try (LaunchedProcess process = program().start();
                    ScriptedPeer conductor = new ScriptedPeer(process.transport())) {
                JsonObject unused = prompted(conductor);
                for (int i = 0; i < 500; i++) {
                    agentSays(conductor, said(i));
                }
                while (received.size() < most) {
                    received.add(Between.params(conductor.expect("session/update")));
                }
                assertThat(ProcessHandle.of(process.pid()).orElseThrow().destroyForcibly())
                        .isTrue();
            }

            List<String> replayed = loaded();
            assertThat(replayed).startsWith(received.toArray(String[]::new));
            for (int i = 0; i < replayed.size(); i++) {
                assertThat(replayed.get(i)).isEqualTo(said(i));
            }
        }
    }

    @Test
    @Tag("RMP-20")
    void aFullDiskEndsNoTurnAndTheRecordSaysThatAPartIsMissing() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")));
        try (LaunchedProcess process =
                        program("sh", "-c", "ulimit -f 8 && exec \"$@\"", "sh").start();
                ScriptedPeer conductor = new ScriptedPeer(process.transport())) {
            JsonObject prompt = prompted(conductor);
            for (int i = 0; i < 200; i++) {
                agentSays(conductor, said(i));
                assertThat(Between.params(conductor.expect("session/update"))).isEqualTo(said(i));
            }
            conductor.answer(prompt, "{\"stopReason\":\"end_turn\"}");
            conductor.expectResult(3);
        }

        List<String> replayed = loaded();
        assertThat(replayed).hasSizeBetween(1, 100);
        for (int i = 0; i < replayed.size(); i++) {
            assertThat(replayed.get(i)).isEqualTo(said(i));
        }
    }
}
