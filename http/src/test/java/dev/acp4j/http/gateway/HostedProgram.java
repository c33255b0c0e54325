package dev.acp4j.http.gateway;

import dev.acp4j.Agent;
import dev.acp4j.AgentSession;
import dev.acp4j.Stdio;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.testkit.TestAgent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The scripted agent as a program that a gateway starts. {@code _test/facts} says what it sees: its process, folder and
 * environment; {@code _test/background} starts a program that computes until the agent ends. With the argument
 * {@code dies} it ends before its first answer, and with {@code holds} a load waits for {@code _test/release}, whose
 * params say whether it succeeds. {@code _test/ask} asks a client {@code _test/which}, and returns its answer.
 */
public final class HostedProgram {
    private static final LinkedBlockingQueue<Boolean> RELEASED = new LinkedBlockingQueue<>();

    private HostedProgram() {}

    static Launch launch(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                HostedProgram.class.getName()));
        command.addAll(List.of(arguments));
        return Launch.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), command);
    }

    /** Serves on standard input and output. */
    public static void main(String[] args) throws Exception {
        if (List.of(args).contains("dies")) {
            System.err.println("no key, so no agent");
            System.exit(3);
        }
        Agent.Builder agent = TestAgent.builder()
                .on("_test/facts", (client, params) -> facts())
                .on("_test/ask", (client, params) -> client.call("_test/which", RawJson.EMPTY_OBJECT))
                .on("_test/background", (client, params) -> background());
        if (List.of(args).contains("holds")) {
            agent.on("_test/release", (client, params) -> {
                        RELEASED.add(String.valueOf(params).contains("true"));
                        return RawJson.EMPTY_OBJECT;
                    })
                    .onLoadSession(HostedProgram::load);
        }
        agent.build().serve(Stdio.system());
    }

    private static void load(AgentSession session) throws InterruptedException {
        if (!RELEASED.take()) {
            throw RpcError.invalidParams("this session cannot be loaded");
        }
        session.modes(SessionModeState.of(
                SessionModeId.of("held"),
                List.of(SessionMode.builder(SessionModeId.of("held"), "Held").build())));
    }

    private static RawJson background() throws IOException {
        Process unused = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
        return RawJson.EMPTY_OBJECT;
    }

    private static RawJson facts() {
        Map<String, JsonValue> facts = new LinkedHashMap<>();
        facts.put("pid", JsonString.of(Long.toString(ProcessHandle.current().pid())));
        facts.put("cwd", JsonString.of(Path.of("").toAbsolutePath().toString()));
        facts.put("environment", JsonString.of(System.getenv().toString()));
        return RawJson.of(JsonObject.of(facts));
    }
}
